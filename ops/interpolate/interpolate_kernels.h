#pragma once

#include <minima/ops/interpolate/taps.h>
#include <minima/tensor/tensor.h>

namespace minima::detail {

/// Images x [N, C, rows.size, columns.size] → y [N, C, rows.results, columns.results]. Both lie the same way, row-major
/// or channels_last, and have one floating dtype; half types add up in float32.
void interpolate_kernel_cpu(const Tensor& x, const Taps& rows, const Taps& columns, const Tensor& y);
/// The same on CUDA.
void interpolate_kernel_cuda(const Tensor& x, const Taps& rows, const Taps& columns, const Tensor& y);

}  // namespace minima::detail
