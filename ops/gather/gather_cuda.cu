#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/gather/gather_kernels.h>
#include <minima/ops/loops/words.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/ops/gather/gather_device.cuh>
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
