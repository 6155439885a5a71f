#pragma once

#include <minima/ops/images/pool_axis.h>
#include <minima/tensor/tensor.h>

namespace minima::detail {

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
