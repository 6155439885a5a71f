#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/dropout/dropout_kernels.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/ops/dropout/dropout_device.cuh>
#include <minima/tensor/cuda/launch.cuh>

#include <cmath>

namespace minima::detail {

void dropout_kernel_cuda(const Tensor& x, double keep, double scale, PhiloxState start, Tensor& y) {
  // Elements are numbered in row-major order, so other layouts go through row-major copies.
  const Layout rows = Layout::contiguous(x.shape());
  const Tensor from = arranged(x, rows);
  const Tensor to = y.is_contiguous() ? y : empty(rows, {.dtype = y.dtype(), .device = y.device()});
  const std::int64_t count = x.numel();
  const auto threshold = static_cast<std::uint32_t>(std::ceil(keep * 0x1p24));
  const auto is_aligned = [](const Tensor& t) { return reinterpret_cast<std::uintptr_t>(t.raw_data()) % 16 == 0; };
  dispatch<floating>(x.dtype(), "dropout", [&]<class X> {
    cuda::launch("dropout", cuda::grid_for((count + 3) / 4), dropout_kernel<X>, from.data<X>(), to.data<X>(), count,
                 start, threshold, static_cast<cuda::Compute<X>>(scale), is_aligned(from) && is_aligned(to));
  });
  if (!to.is_same(y)) copy_kernel_cuda(to, y);
}

}  // namespace minima::detail
