#include <minima/ops/core/copy_kernels.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/ops/loops/lines/lines.cuh>
#include <minima/ops/reduce/scan_device.cuh>

#include <algorithm>

namespace minima::detail {

namespace {

/// Contiguous lines.
template <class X>
void scan_rows(ScanKind kind, const X* x, std::int64_t lines, std::int64_t length, bool reverse, X* y, Device device) {
  using T = cuda::Compute<X>;
  const auto is_aligned = [](const void* data) { return reinterpret_cast<std::uintptr_t>(data) % 16 == 0; };
  const std::int64_t tiles = (length + scan_tile - 1) / scan_tile;
  const std::int64_t part = std::max<std::int64_t>(2, (tiles + most_parts - 1) / most_parts) * scan_tile;
  const std::int64_t parts = (length + part - 1) / part;
  const ScanParts cut{length, part, parts, reverse, length % scan_items == 0 && is_aligned(x) && is_aligned(y)};
  const cuda::Grid grid{cuda::blocks_of(lines * parts, "scan"), dim3(scan_threads)};
  if (parts == 1) return cuda::launch("scan_parts", grid, scan_parts_kernel<X>, kind, x, cut, nullptr, y, nullptr);
  const Tensor memory = empty(Shape{lines * parts}, {.dtype = dtype_of<T>, .device = device});
  T* const totals = memory.data<T>();
  cuda::launch("scan_parts", grid, scan_parts_kernel<X>, kind, x, cut, nullptr, nullptr, totals);
  cuda::launch("part_starts", {cuda::blocks_of(lines, "scan"), dim3(most_parts)}, part_starts_kernel<T>, kind, totals,
               parts);
  cuda::launch("scan_parts", grid, scan_parts_kernel<X>, kind, x, cut, totals, y, nullptr);
}

template <class X>
void run(ScanKind kind, const Tensor& x, const Lines& lines, bool reverse, const Tensor& y) {
  if (lines.inner == 1)
    return scan_rows(kind, x.data<X>(), lines.outer, lines.length, reverse, y.data<X>(), x.device());
  if (!cuda::are_few(lines))
    return cuda::launch("scan", cuda::grid_of(lines, "scan"), scan_kernel<X>, kind, x.data<X>(), lines, reverse,
                        y.data<X>());
  const Tensor rows = empty(Shape{lines.outer, lines.inner, lines.length}, {.dtype = x.dtype(), .device = x.device()});
  copy_kernel_cuda(cuda::as_rows(x, lines), rows);
  scan_rows(kind, rows.data<X>(), lines.outer * lines.inner, lines.length, reverse, rows.data<X>(), x.device());
  copy_kernel_cuda(rows, cuda::as_rows(y, lines));
}

}  // namespace

void scan_kernel_cuda(ScanKind kind, const Tensor& x, int dim, bool reverse, Tensor& y) {
  if (y.numel() == 0) return;
  const Lines lines = lines_of(y.layout(), dim);
  if (y.dtype() == DType::int64) return run<std::int64_t>(kind, x, lines, reverse, y);
  dispatch<floating>(y.dtype(), "scan", [&]<class X> { run<X>(kind, x, lines, reverse, y); });
}

}  // namespace minima::detail
