#pragma once

#include <minima/ops/image/grid_sample.h>
#include <minima/ops/image/taps.h>
#include <minima/tensor/tensor.h>

// The kernels of interpolate and grid_sample. Internal.

namespace minima::detail {

/// Images x [N, C, rows.size, columns.size] → y [N, C, rows.results, columns.results]. Both have the same memory order,
/// row-major or channels_last, and the same floating dtype; half types accumulate in float32.
void interpolate_kernel_cpu(const Tensor& x, const Taps& rows, const Taps& columns, const Tensor& y);
/// The same on CUDA.
void interpolate_kernel_cuda(const Tensor& x, const Taps& rows, const Taps& columns, const Tensor& y);

/// y [N, C, …] = x [N, C, …] of any layout whose channels reach over less than 2³¹ elements, sampled at the row-major
/// grid [N, …, D]; float32 or float64.
void grid_sample_cpu(const Tensor& x, const Tensor& grid, const GridSampleOptions& options, Tensor& y);
/// The gradient with respect to the grid, row-major, of the gradient g with respect to y.
void grid_sample_grid_gradient_cpu(const Tensor& x, const Tensor& grid, const Tensor& g,
                                   const GridSampleOptions& options, Tensor& grid_gradient);
/// Adds the gradient with respect to x to a row-major tensor. Each element sums in the order of the grid.
void grid_sample_gradient_cpu(const Tensor& grid, const Tensor& g, const GridSampleOptions& options, Tensor& gradient);

}  // namespace minima::detail
