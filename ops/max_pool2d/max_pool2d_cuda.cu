#include <minima/ops/max_pool2d/max_pool2d_kernels.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/ops/max_pool2d/max_pool2d_device.cuh>
#include <minima/tensor/cuda/launch.cuh>

namespace minima::detail {

namespace {

/// f(X{}, I{}) with the types of elements and indices.
template <class F>
void with_types(const char* op, const Tensor& x, const Tensor& indices, F&& f) {
  dispatch<floating>(x.dtype(), op, [&]<class X> {
    if (indices.defined() && indices.dtype() == DType::int64) f(X{}, std::int64_t{});
    else f(X{}, std::int32_t{});
  });
}

}  // namespace

void max_pool2d_kernel_cuda(const Tensor& x, const PoolAxis& rows, const PoolAxis& columns, const Tensor& y,
                            const Tensor& indices) {
  const bool last = is_last(x, y);
  with_types("max_pool2d", x, indices, [&]<class X, class I>(X, I) {
    cuda::launch("max_pool2d", cuda::grid_for(y.numel()), max_pool2d_kernel<X, I>, x.data<X>(), order_of(x, last),
                 order_of(y, last), y.numel(), rows, columns, y.data<X>(),
                 indices.defined() ? indices.data<I>() : nullptr);
  });
}

void max_pool2d_scatter_cuda(const Tensor& g, const Tensor& indices, const PoolAxis& rows, const PoolAxis& columns,
                             const Tensor& x_gradient) {
  const bool last = is_last(g, x_gradient);
  with_types("max_pool2d_gradient", g, indices, [&]<class X, class I>(X, I) {
    cuda::launch("max_pool2d_scatter", cuda::grid_for(x_gradient.numel()), max_pool2d_scatter_kernel<X, I>, g.data<X>(),
                 indices.data<I>(), order_of(g, last), order_of(x_gradient, last), x_gradient.numel(), rows, columns,
                 x_gradient.data<X>());
  });
}

void max_pool2d_gather_cuda(const Tensor& x, const Tensor& indices, const Tensor& y) {
  const bool last = is_last(x, y);
  with_types("max_pool2d_gather", x, indices, [&]<class X, class I>(X, I) {
    cuda::launch("max_pool2d_gather", cuda::grid_for(y.numel()), max_pool2d_gather_kernel<X, I>, x.data<X>(),
                 indices.data<I>(), order_of(x, last), order_of(y, last), y.numel(), y.data<X>());
  });
}

}  // namespace minima::detail
