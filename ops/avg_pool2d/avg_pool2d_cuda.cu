#include <minima/ops/avg_pool2d/avg_pool2d_kernels.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/ops/avg_pool2d/avg_pool2d_device.cuh>
#include <minima/ops/images/argument_table.cuh>
#include <minima/tensor/cuda/launch.cuh>

#include <limits>

namespace minima::detail {

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
