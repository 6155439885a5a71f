#include <minima/tensor/base/dispatch.h>
#include <minima/ops/loops/lines/lines.cuh>
#include <minima/ops/scan/scan_device.cuh>

namespace minima::detail {

namespace {

template <class X>
void run(ScanKind kind, const Tensor& x, const Lines& lines, bool reverse, const Tensor& y) {
  cuda::launch("scan", cuda::grid_of(lines, "scan"), lines.inner == 1 ? scan_kernel<true, X> : scan_kernel<false, X>,
               kind, x.data<X>(), lines, reverse, y.data<X>());
}

}  // namespace

void scan_kernel_cuda(ScanKind kind, const Tensor& x, int dim, bool reverse, Tensor& y) {
  if (y.numel() == 0) return;
  const Lines lines = lines_of(y.layout(), dim);
  if (y.dtype() == DType::int64) return run<std::int64_t>(kind, x, lines, reverse, y);
  dispatch<floating>(y.dtype(), "scan", [&]<class X> { run<X>(kind, x, lines, reverse, y); });
}

}  // namespace minima::detail
