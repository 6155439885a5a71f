#include <minima/ops/core/copy_kernels.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/ops/loops/lines/lines.cuh>
#include <minima/ops/reduce/softmax_device.cuh>
#include <minima/ops/reduce/softmax_parts_device.cuh>

#include <algorithm>
#include <cstdint>

namespace minima::detail {

namespace {

/// Contiguous lines as rows of `block`s.
cuda::Grid grid_of_rows(std::int64_t rows, const cuda::RowBlock& block, const char* op) {
  return {cuda::blocks_of((rows + block.rows - 1) / block.rows, op), dim3(block.threads, block.rows)};
}

Tensor rows_for(const Tensor& like, const Lines& lines) {
  return empty(Shape{lines.outer, lines.inner, lines.length}, {.dtype = like.dtype(), .device = like.device()});
}
/// The lines of dense memory, copied to rows.
Tensor copied_rows(const Tensor& dense, const Lines& lines) {
  const Tensor rows = rows_for(dense, lines);
  copy_kernel_cuda(cuda::as_rows(dense, lines), rows);
  return rows;
}
/// Those rows as lines of their own.
Lines as_rows(const Lines& lines) { return {lines.outer * lines.inner, lines.length, 1}; }

/// How to cut contiguous rows into parts, or one part where rows alone keep a GPU busy or are short.
template <class X, class... Pointers>
SoftmaxParts parts_of(const Lines& lines, const Pointers*... pointers) {
  constexpr std::int64_t blocks_wanted = 528, least_part = 8192, least_parts = 4, step = 1024;
  const std::int64_t parts =
      std::min(blocks_wanted / std::max<std::int64_t>(1, lines.outer), lines.length / least_part);
  if (lines.inner > 1 || parts < least_parts) return {lines.length, lines.length, 1, false};
  const std::int64_t part = ((lines.length + parts - 1) / parts + step - 1) / step * step;
  return {lines.length, part, (lines.length + part - 1) / part, cuda::has_packs<X>(lines.length, pointers...)};
}
cuda::Grid grid_of_parts(const SoftmaxParts& cut, const Lines& lines) {
  return {dim3(static_cast<unsigned>(lines.outer * cut.parts)), dim3(512)};
}

template <class X>
void softmax(SoftmaxKind kind, const X* x, X* y, const Lines& lines, Device device) {
  const cuda::RowBlock block = cuda::row_block<X>(lines.length, softmax_packs);
  if (lines.inner == 1 && block.threads > 0 && cuda::has_packs<X>(lines.length, x, y))
    return cuda::launch("softmax_packed", grid_of_rows(lines.outer, block, "softmax"), softmax_packed_kernel<X>, kind,
                        x, y, lines.outer, lines.length);
  if (const SoftmaxParts cut = parts_of<X>(lines, x, y); cut.parts > 1) {
    const cuda::Grid grid = grid_of_parts(cut, lines);
    const Tensor memory = empty(Shape{lines.outer, cut.parts, 2}, {.dtype = dtype_of<Compute<X>>, .device = device});
    auto* const states = memory.data<Compute<X>>();
    cuda::launch("softmax_parts", grid, softmax_parts_kernel<X>, x, cut, states);
    return cuda::launch("softmax_by_parts", grid, softmax_by_parts_kernel<X>, kind, x, cut, states, y);
  }
  cuda::launch("softmax", cuda::grid_of(lines, "softmax"),
               lines.inner == 1 ? softmax_kernel<true, X> : softmax_kernel<false, X>, kind, x, y, lines);
}

template <class X>
void softmax_gradient(SoftmaxKind kind, const X* g, const X* y, X* dx, const Lines& lines, Device device) {
  const cuda::RowBlock block = cuda::row_block<X>(lines.length, softmax_packs);
  if (lines.inner == 1 && block.threads > 0 && cuda::has_packs<X>(lines.length, g, y, dx))
    return cuda::launch("softmax_gradient_packed", grid_of_rows(lines.outer, block, "softmax_gradient"),
                        softmax_gradient_packed_kernel<X>, kind, g, y, dx, lines.outer, lines.length);
  if (const SoftmaxParts cut = parts_of<X>(lines, g, y, dx); cut.parts > 1) {
    const cuda::Grid grid = grid_of_parts(cut, lines);
    const Tensor memory = empty(Shape{lines.outer, cut.parts}, {.dtype = dtype_of<Compute<X>>, .device = device});
    auto* const sums = memory.data<Compute<X>>();
    cuda::launch("softmax_gradient_parts", grid, softmax_gradient_parts_kernel<X>, kind, g, y, cut, sums);
    return cuda::launch("softmax_gradient_by_parts", grid, softmax_gradient_by_parts_kernel<X>, kind, g, y, cut, sums,
                        dx);
  }
  cuda::launch("softmax_gradient", cuda::grid_of(lines, "softmax_gradient"),
               lines.inner == 1 ? softmax_gradient_kernel<true, X> : softmax_gradient_kernel<false, X>, kind, g, y, dx,
               lines);
}

}  // namespace

void softmax_kernel_cuda(SoftmaxKind kind, const Tensor& x, int dim, Tensor& y) {
  const Tensor from = arranged(x, y.layout());
  const Lines lines = lines_of(y.layout(), dim);
  dispatch<floating>(y.dtype(), "softmax", [&]<class X> {
    if (!cuda::are_few(lines)) return softmax(kind, from.data<X>(), y.data<X>(), lines, y.device());
    const Tensor rows = copied_rows(from, lines);
    softmax(kind, rows.data<X>(), rows.data<X>(), as_rows(lines), y.device());
    copy_kernel_cuda(rows, cuda::as_rows(y, lines));
  });
}

void softmax_gradient_kernel_cuda(SoftmaxKind kind, const Tensor& g, const Tensor& y, int dim, Tensor& dx) {
  const Tensor gradient = arranged(g, dx.layout()), output = arranged(y, dx.layout());
  const Lines lines = lines_of(dx.layout(), dim);
  dispatch<floating>(dx.dtype(), "softmax", [&]<class X> {
    if (!cuda::are_few(lines))
      return softmax_gradient(kind, gradient.data<X>(), output.data<X>(), dx.data<X>(), lines, dx.device());
    const Tensor gs = copied_rows(gradient, lines), ys = copied_rows(output, lines);
    softmax_gradient(kind, gs.data<X>(), ys.data<X>(), gs.data<X>(), as_rows(lines), dx.device());
    copy_kernel_cuda(gs, cuda::as_rows(dx, lines));
  });
}

}  // namespace minima::detail
