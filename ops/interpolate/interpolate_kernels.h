#pragma once

#include <minima/ops/interpolate/taps.h>
#include <minima/tensor/tensor.h>

namespace minima::detail {

/// Images x [N, C, rows.size, columns.size] → y [N, C, rows.results, columns.results]. Both have the same memory order,
/// row-major or channels_last, and the same floating dtype; half types accumulate in float32.
void interpolate_kernel_cpu(const Tensor& x, const Taps& rows, const Taps& columns, const Tensor& y);
/// The same on CUDA.
void interpolate_kernel_cuda(const Tensor& x, const Taps& rows, const Taps& columns, const Tensor& y);

}  // namespace minima::detail
