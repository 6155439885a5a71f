#pragma once

#include <minima/tensor/device/stream.h>
#include <minima/tensor/tensor.h>

namespace minima::detail {

/// This build has CUDA kernels inside.
#ifdef MINIMA_HAVE_CUDA
inline constexpr bool has_cuda_kernels = true;
#else
inline constexpr bool has_cuda_kernels = false;
#endif

#ifdef MINIMA_SIMT
/// tests/simt builds operators so that their CUDA kernels run on the CPU, in CPU memory, while this is true.
bool simulates_cuda();
/// The operator has no CUDA kernel and does its work by the one for the CPU.
void note_missing_kernel(const char* op);
#endif

/// Whether the kernels for x are those for CUDA.
inline bool on_cuda([[maybe_unused]] const Tensor& x) {
#ifdef MINIMA_SIMT
  return simulates_cuda();
#else
  return x.device().is_cuda();
#endif
}

}  // namespace minima::detail
