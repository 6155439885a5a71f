#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>
#include <string>

// How cuBLASLt may compute matrix products on a GPU, and whether it could compute what follows them. Process-wide.

namespace minima::cublas {

/// Whether a product of half types whose sum is cut into parts may round the parts to the half type before it adds them
/// up, which moves fewer bytes. On by default. In PyTorch, which allows it by default, too:
/// torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction and allow_fp16_reduced_precision_reduction.
MINIMA_API void allow_reduced_precision_reduction(bool on);
/// Whether products may do so.
MINIMA_API bool allows_reduced_precision_reduction();

/// Products with an epilogue (bias, activation, gradient of an activation, sums of a bias gradient), each counted once
/// per shapes, dtypes and epilogue.
struct Usage {
  std::int64_t served = 0;   ///< computed by cuBLASLt together with the product
  std::int64_t refused = 0;  ///< cuBLASLt has no algorithm; kernels of minima's follow the product
  std::int64_t slower = 0;   ///< served, but under autotune kernels that follow the product were faster
  std::string refusal;       ///< the last that was refused: "GELU_AUX_BIAS of bfloat16 [64, 768]·[768, 3072]"
};
/// Returns how many calls cuBLASLt has computed and refused so far in this process.
MINIMA_API Usage usage();

}  // namespace minima::cublas
