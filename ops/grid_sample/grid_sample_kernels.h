#pragma once

#include <minima/ops/grid_sample/grid_sample.h>
#include <minima/tensor/tensor.h>

namespace minima::detail {

/// y [N, C, …] = x [N, C, …] of any layout whose channels reach over less than 2³¹ elements, sampled at the row-major
/// grid [N, …, D]; float32 or float64.
void grid_sample_cpu(const Tensor& x, const Tensor& grid, const GridSampleOptions& options, Tensor& y);
/// The gradient with respect to the grid, row-major, of the gradient g with respect to y.
void grid_sample_grid_gradient_cpu(const Tensor& x, const Tensor& grid, const Tensor& g,
                                   const GridSampleOptions& options, Tensor& grid_gradient);
/// Adds the gradient with respect to x to a row-major tensor. Each element sums in the order of the grid.
void grid_sample_gradient_cpu(const Tensor& grid, const Tensor& g, const GridSampleOptions& options, Tensor& gradient);

}  // namespace minima::detail
