#pragma once

#include <minima/ops/pooling/pool_axis.h>
#include <minima/tensor/tensor.h>

#include <vector>

// The kernels of pooling. Internal.

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

/// y and, if defined, indices (int32 or int64) of the windows' maxima. All three have the same memory order, row-major
/// or channels_last. A window without elements gives -inf and index -1.
void max_pool2d_kernel_cpu(const Tensor& x, const PoolAxis& rows, const PoolAxis& columns, const Tensor& y,
                           const Tensor& indices);
/// x_gradient = 0, then adds each element of g at its index, which is in its window. All have the same memory order.
void max_pool2d_scatter_cpu(const Tensor& g, const Tensor& indices, const PoolAxis& rows, const PoolAxis& columns,
                            const Tensor& x_gradient);
/// y = x at the indices. All have the same memory order.
void max_pool2d_gather_cpu(const Tensor& x, const Tensor& indices, const Tensor& y);
/// The same on CUDA, where every pixel looks only at its own windows.
void max_pool2d_kernel_cuda(const Tensor& x, const PoolAxis& rows, const PoolAxis& columns, const Tensor& y,
                            const Tensor& indices);
void max_pool2d_scatter_cuda(const Tensor& g, const Tensor& indices, const PoolAxis& rows, const PoolAxis& columns,
                             const Tensor& x_gradient);
void max_pool2d_gather_cuda(const Tensor& x, const Tensor& indices, const Tensor& y);

}  // namespace minima::detail
