#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/index/kernels.h>
#include <minima/ops/loops/elements.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/loops/runs/runs.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/ops/index/gather_device.cuh>
#include <minima/tensor/cuda/launch.cuh>

namespace minima::detail {

namespace {

std::int64_t step_of(const Tensor& x, int dim) { return x.rank() == 0 ? 0 : x.strides()[dim]; }
std::int64_t size_along(const Tensor& x, int dim) { return x.rank() == 0 ? 1 : x.shape()[dim]; }

/// x's layout expanded to `shape`, with stride 0 along `dim`.
Layout fixed_along(const Tensor& x, const Shape& shape, int dim) {
  Layout layout{shape, x.strides(), 0};
  if (x.rank() > 0) layout.strides[dim] = 0;
  return layout;
}

cuda::Fault* gather_fault() {
  static cuda::Fault* const fault = cuda::fault_place({"gather: an index is ", ", but the dimension has size ", ""});
  return fault;
}
cuda::Fault* scatter_fault() {
  static cuda::Fault* const fault =
      cuda::fault_place({"scatter_add: an index is ", ", but the dimension has size ", ""});
  return fault;
}

Tensor reshaped(const Tensor& dense, const Shape& shape) {
  return Tensor(new TensorImpl(dense.impl()->storage, {shape, Layout::contiguous(shape).strides, dense.layout().offset},
                               dense.dtype()));
}

/// Whether the lines along `dim` are too few for a thread each, or so long that a thread would take too long.
bool has_long_lines(const Tensor& index, std::int64_t length) {
  constexpr std::int64_t long_line = 128, most_lines = 4096, most = std::int64_t{1} << 31;
  return length >= long_line && index.numel() / length <= most_lines && index.numel() < most;
}

/// Whether whole rows of y are targets, one for each element of an index vector.
bool adds_rows(const Tensor& source, int dim, const Tensor& index, const Tensor& y) {
  bool result = dim == 0 && index.rank() > 1 && y.is_contiguous() && source.is_contiguous() && index.strides()[0] == 1;
  for (int d = 1; result && d < index.rank(); ++d)
    result = index.shape()[d] == y.shape()[d] && (index.strides()[d] == 0 || index.shape()[d] == 1);
  return result;
}

/// Sorts the targets, and sums the runs of equal ones.
void scatter_add_runs(const Tensor& source, int dim, const Tensor& index, const Tensor& y) {
  const bool rows = adds_rows(source, dim, index, y);
  const std::int64_t width = rows ? y.numel() / y.shape()[0] : 1, count = index.numel() / width;
  const Tensor keys = empty(Shape{count}, {.dtype = DType::int64, .device = y.device()});
  Shape shape = index.shape();
  for (int d = 1; rows && d < shape.rank(); ++d) shape[d] = 1;
  const Layout to = fixed_along(y, shape, dim), from{shape, index.strides(), 0};
  const Layout* layouts[] = {&to, &from};
  const pointwise::Plan plan = pointwise::make_plan(layouts, 2, pointwise::Order::row_major);
  std::int64_t first = 0;
  for (const pointwise::Part& part : pointwise::parts_of(plan)) {
    cuda::launch("scatter_keys", cuda::grid_for(part.geometry.count), scatter_keys_kernel, part.geometry,
                 part.start[0] / width, size_along(y, dim), step_of(y, dim) / width,
                 index.data<std::int64_t>() + part.start[1], keys.data<std::int64_t>() + first, scatter_fault());
    first += part.geometry.count;
  }
  const std::int64_t limit = y.numel() / width;
  const Tensor values = arranged(source, Layout::contiguous(source.shape()));
  sorting::sum_runs_cuda(reshaped(values, {count, width}), sorting::radix_sort_cuda(keys, limit + 1), sorting::no_key,
                         true, reshaped(y, {limit, width}));
}

}  // namespace

void gather_kernel_cuda(const Tensor& x, int dim, const Tensor& index, Tensor& y) {
  cuda::Fault* const fault = gather_fault();
  const Layout from = fixed_along(x, index.shape(), dim);
  const Layout* layouts[] = {&y.layout(), &index.layout(), &from};
  const pointwise::Plan plan = pointwise::make_plan(layouts, 3);
  with_word(size_of(x.dtype()), [&]<class Word>(Word) {
    for (const pointwise::Part& part : pointwise::parts_of(plan))
      cuda::launch("gather", cuda::grid_for(part.geometry.count), gather_kernel<Word>, part.geometry,
                   static_cast<const Word*>(x.raw_data()) + part.start[2], size_along(x, dim), step_of(x, dim),
                   index.data<std::int64_t>() + part.start[1], static_cast<Word*>(y.raw_data()) + part.start[0], fault);
  });
}

void scatter_add_kernel_cuda(const Tensor& source, int dim, const Tensor& index, Tensor& y) {
  if (has_long_lines(index, size_along(index, dim))) return scatter_add_runs(source, dim, index, y);
  if (is_half(y.dtype())) {  // accumulate in float32, round once
    const TensorOptions wide{.dtype = DType::float32, .device = y.device()};
    Tensor sums = empty(y.shape(), wide);
    const Tensor values = empty(source.shape(), wide);
    copy_kernel_cuda(y, sums);
    copy_kernel_cuda(source, values);
    scatter_add_kernel_cuda(values, dim, index, sums);
    return copy_kernel_cuda(sums, y);
  }
  if (index.numel() == 0) return;
  cuda::Fault* const fault = scatter_fault();
  Shape lines = index.shape();
  if (index.rank() > 0) lines[dim] = 1;
  const Layout places[] = {fixed_along(y, lines, dim), fixed_along(index, lines, dim), fixed_along(source, lines, dim)};
  const Layout* layouts[] = {&places[0], &places[1], &places[2]};
  const pointwise::Plan plan = pointwise::make_plan(layouts, 3);
  dispatch<numeric>(y.dtype(), "scatter_add", [&]<class T> {
    if constexpr (!std::is_same_v<T, Float16> && !std::is_same_v<T, BFloat16>)
      for (const pointwise::Part& part : pointwise::parts_of(plan))
        cuda::launch("scatter_add", cuda::grid_for(part.geometry.count, 128), scatter_add_kernel<T>, part.geometry,
                     size_along(index, dim), source.data<T>() + part.start[2], step_of(source, dim),
                     index.data<std::int64_t>() + part.start[1], step_of(index, dim), y.data<T>() + part.start[0],
                     step_of(y, dim), size_along(y, dim), fault);
  });
}

}  // namespace minima::detail
