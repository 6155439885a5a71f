#pragma once

#include <minima/tensor/tensor.h>

#include <vector>

namespace minima::detail {

/// The elements [first, last) of one dimension that a window covers, and its factor of the divisor.
struct AvgWindow {
  std::int64_t first, last, count;
};
using AvgWindows = std::vector<AvgWindow>;

/// y[i, j] = Σ over rows[i] × columns[j] / (rows[i].count · columns[j].count). x and y have the same memory order,
/// row-major or channels_last, and the same dtype, float32 or float64.
void avg_pool2d_kernel_cpu(const Tensor& x, const AvgWindows& rows, const AvgWindows& columns, const Tensor& y);
/// The reverse: adds every g[i, j] / divisor to all elements that its window covers.
void avg_pool2d_spread_cpu(const Tensor& g, const AvgWindows& rows, const AvgWindows& columns,
                           const Tensor& x_gradient);
/// The same on CUDA, for any floating dtype.
void avg_pool2d_kernel_cuda(const Tensor& x, const AvgWindows& rows, const AvgWindows& columns, const Tensor& y);
void avg_pool2d_spread_cuda(const Tensor& g, const AvgWindows& rows, const AvgWindows& columns,
                            const Tensor& x_gradient);

}  // namespace minima::detail
