#include <minima/ops/pooling/kernels.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/ops/pooling/max_pool2d_device.cuh>
#include <minima/tensor/cuda/launch.cuh>

#include <initializer_list>
#include <type_traits>

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

/// Calls f with the number of channels that a thread takes, as a constant: as many as 16 bytes hold, if they are
/// neighbours in all tensors.
template <class X, class F>
void with_width(const Tensor& images, bool channels_last, std::initializer_list<const void*> data, F&& f) {
  constexpr int width = 16 / sizeof(X);
  bool packs = channels_last && images.shape()[1] % width == 0;
  for (const void* const address : data) packs = packs && reinterpret_cast<std::uintptr_t>(address) % 16 == 0;
  if (packs) f(std::integral_constant<int, width>());
  else f(std::integral_constant<int, 1>());
}

}  // namespace

void max_pool2d_kernel_cuda(const Tensor& x, const PoolAxis& rows, const PoolAxis& columns, const Tensor& y,
                            const Tensor& indices) {
  const bool last = is_last(x, y);
  with_types("max_pool2d", x, indices, [&]<class X, class I>(X, I) {
    I* const places = indices.defined() ? indices.data<I>() : nullptr;
    with_width<X>(x, last, {x.raw_data(), y.raw_data(), places}, [&]<int width>(std::integral_constant<int, width>) {
      const std::int64_t count = y.numel() / width;
      cuda::launch("max_pool2d", cuda::grid_for(count), max_pool2d_kernel<width, X, I>, x.data<X>(),
                   order_of(x, last, width), order_of(y, last, width), count, rows, columns, y.data<X>(), places);
    });
  });
}

void max_pool2d_scatter_cuda(const Tensor& g, const Tensor& indices, const PoolAxis& rows, const PoolAxis& columns,
                             const Tensor& x_gradient) {
  const bool last = is_last(g, x_gradient);
  with_types("max_pool2d_gradient", g, indices, [&]<class X, class I>(X, I) {
    with_width<X>(g, last, {g.raw_data(), indices.raw_data(), x_gradient.raw_data()},
                  [&]<int width>(std::integral_constant<int, width>) {
                    const std::int64_t count = x_gradient.numel() / width;
                    cuda::launch("max_pool2d_scatter", cuda::grid_for(count), max_pool2d_scatter_kernel<width, X, I>,
                                 g.data<X>(), indices.data<I>(), order_of(g, last, width),
                                 order_of(x_gradient, last, width), count, PoolSteps(rows), PoolSteps(columns),
                                 x_gradient.data<X>());
                  });
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
