#include <minima/ops/view/join.h>

#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/op.h>
#include <minima/ops/view/kernels.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/layout/checked.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace minima {

namespace {

using Tensors = std::span<const Tensor>;

/// An empty vector among tensors of other shapes is skipped.
bool is_skipped(const Shape& shape) { return shape.rank() == 1 && shape[0] == 0; }

/// The first tensor that is not skipped, or the first of all.
const Tensor& model(Tensors tensors) {
  for (const Tensor& tensor : tensors)
    if (!is_skipped(tensor.shape())) return tensor;
  return tensors.front();
}

struct Cat {
  static constexpr Traits traits{.name = "cat"};
  int dim;
  void list_attributes(detail::AttributeVisitor& visitor) const { visitor.integer("dim", dim); }

  TensorSpec result(Tensors tensors) const {
    const Tensor& like = model(tensors);
    DType dtype = like.dtype();
    Shape shape = like.shape();
    shape[dim] = 0;
    bool last = true;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const Tensor& tensor = tensors[i];
      dtype = promote(dtype, tensor.dtype());
      if (is_skipped(tensor.shape())) continue;
      bool fits = tensor.rank() == shape.rank();
      for (int d = 0; fits && d < shape.rank(); ++d) fits = d == dim || tensor.shape()[d] == shape[d];
      if (!fits)
        throw ShapeError(str("cat: sizes must match except in dimension ", dim, ", but tensor ", i, " is ",
                             tensor.shape(), ", expected ", like.shape()));
      shape[dim] = detail::fit(detail::Wide{shape[dim]} + tensor.shape()[dim], "cat");
      last = last && tensor.layout().is_channels_last() && !tensor.is_contiguous();
    }
    last = last && (shape.rank() == 4 || shape.rank() == 5);
    return {last ? Layout::channels_last(shape) : Layout::contiguous(shape), dtype, like.device()};
  }
  Cost cost(Tensors tensors) const {
    double bytes = 0;
    for (const Tensor& tensor : tensors)
      bytes += static_cast<double>(tensor.numel()) * static_cast<double>(tensor.itemsize());
    return {.bytes = 2 * bytes};
  }
  void cpu(Tensors tensors, Tensor& y) const {
    if (!detail::interleave_cpu(tensors, dim, y)) copy_parts(tensors, y, detail::copy_kernel_cpu);
  }
  void cuda(Tensors tensors, Tensor& y) const { copy_parts(tensors, y, detail::copy_kernel_cuda); }
  void copy_parts(Tensors tensors, Tensor& y, void (*copy)(const Tensor&, const Tensor&)) const {
    std::int64_t start = 0;
    for (const Tensor& tensor : tensors) {
      if (is_skipped(tensor.shape())) continue;
      const std::int64_t stop = start + tensor.shape()[dim];
      const Tensor part(new TensorImpl(y.impl()->storage, y.layout().sliced(dim, start, stop, 1), y.dtype()));
      copy(tensor, part);
      start = stop;
    }
  }
  std::vector<Tensor> gradient(Grad g, SpecList inputs, Needs needs) const {
    std::vector<Tensor> gradients(inputs.size());
    std::int64_t start = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (is_skipped(inputs[i].shape())) continue;  // an undefined gradient is zero
      const std::int64_t size = inputs[i].shape()[dim];
      if (needs[static_cast<int>(i)]) gradients[i] = narrow(g, dim, start, size);
      start += size;
    }
    return gradients;
  }
};

void check_list(const char* op, Tensors tensors) {
  if (tensors.empty()) throw ValueError(str(op, ": needs at least one tensor"));
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (!tensors[i].defined()) throw ValueError(str(op, ": tensor ", i, " is undefined"));
}

}  // namespace

Tensor cat(Tensors tensors, std::int64_t dim) {
  check_list("cat", tensors);
  for (const Tensor& tensor : tensors)
    if (tensor.rank() == 0) throw ShapeError("cat: cannot concatenate tensors of rank 0; use stack");
  return minima::apply(Cat{wrap_dim(dim, model(tensors).rank(), "cat")}, tensors);
}

Tensor stack(Tensors tensors, std::int64_t dim) {
  check_list("stack", tensors);
  const Shape& shape = tensors.front().shape();
  const int at = wrap_dim(dim, shape.rank() + 1, "stack");
  std::vector<Tensor> slices;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].shape() != shape)
      throw ShapeError(
          str("stack: shapes must be equal, but tensor ", i, " is ", tensors[i].shape(), ", expected ", shape));
    slices.push_back(unsqueeze(tensors[i], at));
  }
  return cat(slices, at);
}

}  // namespace minima
