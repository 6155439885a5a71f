#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>
#include <string>

// How often cuBLASLt computed what follows a matrix product on a GPU. Its settings are in tensor/settings.h.

namespace minima::cublas {

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
