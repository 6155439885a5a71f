#include <minima/ops/index/select.h>

#include <minima/ops/core/copy_kernels.h>
#include <minima/ops/index/common.h>
#include <minima/ops/index/kernels.h>
#include <minima/ops/index/scatter.h>
#include <minima/ops/op.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/zero_memory.h>

#include <cstdint>

namespace minima {

namespace {

void check_index(const char* op, const Shape& shape, int dim, const Tensor& index) {
  if (index.dtype() != DType::int64)
    throw DTypeError(str(op, ": the index must be int64, got ", index, "; convert it with to()"));
  bool fits = index.rank() == shape.rank();
  for (int d = 0; fits && d < shape.rank(); ++d) fits = d == dim || index.shape()[d] <= shape[d];
  if (!fits)
    throw ShapeError(str(op, ": the index ", index.shape(), " must have the rank of the tensor ", shape,
                         " and must not be larger except in dimension ", dim));
}

struct Gather {
  static constexpr Traits traits{.name = "gather"};
  int dim;
  void list_attributes(detail::AttributeVisitor& visitor) const { visitor.integer("dim", dim); }
  TensorSpec result(const Tensor& x, const Tensor& index) const {
    check_index(traits.name, x.shape(), dim, index);
    return spec_of(index.shape(), x.dtype(), x.device());
  }
  Cost cost(const Tensor& x, const Tensor& index) const {
    return {.bytes = static_cast<double>(index.numel()) * static_cast<double>(8 + 2 * x.itemsize())};
  }
  void cpu(const Tensor& x, const Tensor& index, Tensor& y) const {
    detail::check_indices(traits.name, index, dim, x.rank() == 0 ? 1 : x.shape()[dim]);
    detail::gather_kernel_cpu(x, dim, index, y);
  }
  void cuda(const Tensor& x, const Tensor& index, Tensor& y) const { detail::gather_kernel_cuda(x, dim, index, y); }
  Tensor gradient(Grad g, Spec<0> x, Input<1> index) const { return detail::scattered(g, dim, index, x.shape()); }
};

void check_source(const Tensor& index, const Tensor& source) {
  if (source.shape() != index.shape())
    throw ShapeError(
        str("scatter_add: the source ", source.shape(), " and the index ", index.shape(), " must have the same shape"));
}

Cost scattering(const Shape& shape, const Tensor& index, const Tensor& source) {
  return {.flops = static_cast<double>(index.numel()),
          .bytes = static_cast<double>(numel(shape)) * static_cast<double>(source.itemsize()) +
                   static_cast<double>(index.numel()) * static_cast<double>(8 + 3 * source.itemsize())};
}

struct Scatter {
  static constexpr Traits traits{.name = "gather_gradient"};
  int dim;
  Shape shape;
  TensorSpec result(const Tensor& source, const Tensor& index) const {
    check_index(traits.name, shape, dim, index);
    check_source(index, source);
    return spec_of(shape, source.dtype(), source.device());
  }
  Cost cost(const Tensor& source, const Tensor& index) const { return scattering(shape, index, source); }
  void cpu(const Tensor& source, const Tensor& index, Tensor& y) const {
    detail::zero_memory(y);
    detail::scatter_add_kernel_cpu(source, dim, index, y);
  }
  void cuda(const Tensor& source, const Tensor& index, Tensor& y) const {
    detail::zero_kernel_cuda(y, y.numel());
    detail::scatter_add_kernel_cuda(source, dim, index, y);
  }
  Tensor gradient(Grad g, Input<1> index) const { return gather(g, dim, index); }
};

struct ScatterAdd {
  static constexpr Traits traits{.name = "scatter_add", .autocast = Cast::widest};
  int dim;
  void list_attributes(detail::AttributeVisitor& visitor) const { visitor.integer("dim", dim); }
  TensorSpec result(const Tensor& x, const Tensor& index, const Tensor& source) const {
    check_index(traits.name, x.shape(), dim, index);
    check_source(index, source);
    if (source.dtype() != x.dtype())
      throw DTypeError(
          str("scatter_add: the source must have the dtype of x ", x, ", got ", source, "; convert it with to()"));
    if (x.dtype() == DType::boolean)
      throw DTypeError(str("scatter_add: bool is not supported, got ", x, "; convert it with to()"));
    return spec_like(x);
  }
  Cost cost(const Tensor& x, const Tensor& index, const Tensor& source) const {
    return scattering(x.shape(), index, source);
  }
  void cpu(const Tensor& x, const Tensor& index, const Tensor& source, Tensor& y) const {
    detail::check_indices(traits.name, index, dim, x.rank() == 0 ? 1 : x.shape()[dim]);
    detail::copy_values(x, y);
    detail::scatter_add_kernel_cpu(source, dim, index, y);
  }
  void cuda(const Tensor& x, const Tensor& index, const Tensor& source, Tensor& y) const {
    detail::copy_kernel_cuda(x, y);
    detail::scatter_add_kernel_cuda(source, dim, index, y);
  }
  Gradients<3> gradient(Grad g, Input<1> index, Needs needs) const {
    return {g, Tensor(), needs[2] ? gather(g, dim, index) : Tensor()};
  }
};

}  // namespace

Tensor detail::as_vector(const Tensor& x) { return x.rank() == 0 ? reshape(x, {1}) : x; }

Tensor gather(const Tensor& x, std::int64_t dim, const Tensor& index) {
  using detail::as_vector;
  if (x.defined() && index.defined() && detail::mixes_scalars(x, index))
    return reshape(gather(as_vector(x), dim, as_vector(index)), index.shape());
  return apply(Gather{x.defined() ? wrap_dim(dim, x.rank(), "gather") : 0}, x, index);
}

Tensor detail::scattered(const Tensor& source, int dim, const Tensor& index, const Shape& shape) {
  return apply(Scatter{dim, shape}, source, index);
}

Tensor scatter_add(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source) {
  using detail::as_vector;
  if (x.defined() && index.defined() && source.defined() && detail::mixes_scalars(x, index, source))
    return reshape(scatter_add(as_vector(x), dim, as_vector(index), as_vector(source)), x.shape());
  return apply(ScatterAdd{x.defined() ? wrap_dim(dim, x.rank(), "scatter_add") : 0}, x, index, source);
}

}  // namespace minima
