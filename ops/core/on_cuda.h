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

/// Whether x's kernels are the CUDA ones.
inline bool on_cuda(const Tensor& x) { return x.device().is_cuda(); }

}  // namespace minima::detail
