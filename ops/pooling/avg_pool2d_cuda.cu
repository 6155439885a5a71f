#include <minima/ops/pooling/kernels.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/ops/convolution/images.cuh>
#include <minima/tensor/cuda/launch.cuh>

#include <limits>

namespace minima::detail {

/// Windows along one dimension: [count, 3] of first, last and divisor.
struct WindowTable {
  const std::int32_t* entries;
  std::int64_t count;
  __device__ std::int64_t first(std::int64_t i) const { return entries[3 * i]; }
  __device__ std::int64_t last(std::int64_t i) const { return entries[3 * i + 1]; }
  __device__ std::int64_t divisor(std::int64_t i) const { return entries[3 * i + 2]; }
  /// The first window that ends after `place`; both bounds of windows ascend.
  __device__ std::int64_t first_over(std::int64_t place) const {
    std::int64_t low = 0, high = count;
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      if (last(middle) > place) high = middle;
      else low = middle + 1;
    }
    return low;
  }
};

/// One thread per window.
template <class X>
__global__ void __launch_bounds__(256)
    avg_pool2d_kernel(const X* x, const ImageOrder from, const ImageOrder to, std::int64_t count,
                      const WindowTable rows, const WindowTable columns, X* y) {
  using T = cuda::Compute<X>;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const ImageOrder::Place p = to.place(i);
  T sum = 0;
  for (std::int64_t h = rows.first(p.h); h < rows.last(p.h); ++h)
    for (std::int64_t w = columns.first(p.w); w < columns.last(p.w); ++w) sum += static_cast<T>(x[from.at(p, h, w)]);
  y[i] = static_cast<X>(sum / static_cast<T>(rows.divisor(p.h) * columns.divisor(p.w)));
}

/// One thread per pixel, which sums the shares of the windows that cover it, in their order.
template <class X>
__global__ void __launch_bounds__(256)
    avg_pool2d_spread_kernel(const X* g, const ImageOrder from, const ImageOrder to, std::int64_t count,
                             const WindowTable rows, const WindowTable columns, X* dx) {
  using T = cuda::Compute<X>;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const ImageOrder::Place p = to.place(i);
  T sum = 0;
  const std::int64_t left = columns.first_over(p.w);
  for (std::int64_t h = rows.first_over(p.h); h < rows.count && rows.first(h) <= p.h; ++h)
    for (std::int64_t w = left; w < columns.count && columns.first(w) <= p.w; ++w)
      sum += static_cast<T>(g[from.at(p, h, w)]) / static_cast<T>(rows.divisor(h) * columns.divisor(w));
  dx[i] = static_cast<X>(sum);
}

namespace {

/// The windows in device memory.
Tensor upload(const AvgWindows& windows, Device device) {
  std::vector<std::int32_t> entries;
  for (const AvgWindow& w : windows)
    for (const std::int64_t value : {w.first, w.last, w.count}) {
      if (value > std::numeric_limits<std::int32_t>::max())
        throw ShapeError(
            str("avg_pool2d: a window of ", w.count, " elements up to ", w.last, " is too large for CUDA"));
      entries.push_back(static_cast<std::int32_t>(value));
    }
  return table_of(entries, {static_cast<std::int64_t>(windows.size()), 3}, device);
}

WindowTable table(const Tensor& entries) { return {entries.data<std::int32_t>(), entries.shape()[0]}; }

}  // namespace

void avg_pool2d_kernel_cuda(const Tensor& x, const AvgWindows& rows, const AvgWindows& columns, const Tensor& y) {
  if (y.numel() == 0) return;
  const Tensor r = upload(rows, x.device()), c = upload(columns, x.device());
  const bool last = is_last(x, y);
  dispatch<floating>(x.dtype(), "avg_pool2d", [&]<class X> {
    cuda::launch("avg_pool2d", cuda::grid_for(y.numel()), avg_pool2d_kernel<X>, x.data<X>(), order_of(x, last),
                 order_of(y, last), y.numel(), table(r), table(c), y.data<X>());
  });
}

void avg_pool2d_spread_cuda(const Tensor& g, const AvgWindows& rows, const AvgWindows& columns,
                            const Tensor& x_gradient) {
  if (x_gradient.numel() == 0) return;
  const Tensor r = upload(rows, g.device()), c = upload(columns, g.device());
  const bool last = is_last(g, x_gradient);
  dispatch<floating>(g.dtype(), "avg_pool2d_gradient", [&]<class X> {
    cuda::launch("avg_pool2d_spread", cuda::grid_for(x_gradient.numel()), avg_pool2d_spread_kernel<X>, g.data<X>(),
                 order_of(g, last), order_of(x_gradient, last), x_gradient.numel(), table(r), table(c),
                 x_gradient.data<X>());
  });
}

}  // namespace minima::detail
