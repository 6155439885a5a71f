#pragma once

// IWYU pragma: begin_exports
#include <minima/tensor/device/stream.h>
#include <minima/tensor/tensor.h>
// IWYU pragma: end_exports

namespace minima::detail {

/// Whether this build contains CUDA kernels.
#ifdef MINIMA_HAVE_CUDA
inline constexpr bool has_cuda_kernels = true;
#else
inline constexpr bool has_cuda_kernels = false;
#endif

// tests/simt replaces this header by one that sends CPU tensors to the CUDA kernels.

/// Whether x's kernels are the CUDA ones.
inline bool on_cuda(const Tensor& x) { return x.device().is_cuda(); }
/// Whether `op` must run its CUDA kernel for x. The arguments besides x are for tests/simt.
inline bool needs_cuda_kernel(const char* /*op*/, const Tensor& x, bool /*has_kernel*/) { return on_cuda(x); }

}  // namespace minima::detail
