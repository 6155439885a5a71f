#include <minima/ops/reduce/extreme.h>

#include <minima/ops/index/common.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/reduce/kernels.h>
#include <minima/ops/reduce/reduced_shape.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>

#include <array>
#include <cstdint>

namespace minima {

namespace {

/// The reduced shape; throws ShapeError if one of `dims` has size 0, DTypeError if x is complex.
Shape reduced(const char* op, const Tensor& x, const Shape& dims, bool keep_dim) {
  if (is_complex(x.dtype()))
    throw DTypeError(str(op, ": complex numbers have no order, got ", x, "; take abs(x), real(x) or imag(x)"));
  for (const std::int64_t dim : dims)
    if (x.shape()[static_cast<int>(dim)] == 0)
      throw ShapeError(str(op, ": dimension ", dim, " of ", x, " is empty, so there is nothing to choose from"));
  return reduced_shape(x.shape(), dims, keep_dim);
}

template <bool largest>
struct ExtremeAlong {
  static constexpr Traits traits{.name = largest ? "max" : "min"};
  Shape dims;  ///< one, or none for rank 0
  bool keep_dim;
  void list_attributes(detail::AttributeVisitor& visitor) const {
    visitor.integers("dims", dims);
    visitor.integer("keep_dim", keep_dim);
  }

  std::array<TensorSpec, 2> result(const Tensor& x) const {
    const Shape shape = reduced(traits.name, x, dims, keep_dim);
    return {spec_of(shape, x.dtype(), x.device()), spec_of(shape, DType::int64, x.device())};
  }
  Cost cost(const Tensor& x) const { return detail::cost_of_reading(x); }
  void cpu(const Tensor& x, Tensor& values, Tensor& indices) const {
    detail::extreme_kernel_cpu(largest, x, dims, values, indices);
  }
  void cuda(const Tensor& x, Tensor& values, Tensor& indices) const {
    detail::extreme_kernel_cuda(largest, x, dims, values, indices);
  }
  Tensor gradient(Grad g, OutputAt<1> indices, Spec<0> x) const {
    if (dims.empty()) return g;
    const Shape kept = reduced_shape(x.shape(), dims, true);
    return detail::scattered(reshape(g, kept), static_cast<int>(dims[0]), reshape(indices, kept), x.shape());
  }
};

template <bool largest>
struct ExtremeOver {
  static constexpr Traits traits{.name = largest ? "amax" : "amin"};
  Shape dims;
  bool keep_dim;
  void list_attributes(detail::AttributeVisitor& visitor) const {
    visitor.integers("dims", dims);
    visitor.integer("keep_dim", keep_dim);
  }

  TensorSpec result(const Tensor& x) const {
    return spec_of(reduced(traits.name, x, dims, keep_dim), x.dtype(), x.device());
  }
  Cost cost(const Tensor& x) const { return detail::cost_of_reading(x); }
  void cpu(const Tensor& x, Tensor& y) const { detail::extreme_kernel_cpu(largest, x, dims, y, Tensor()); }
  void cuda(const Tensor& x, Tensor& y) const { detail::extreme_kernel_cuda(largest, x, dims, y, Tensor()); }
  Tensor gradient(Grad g, Input<0> x, Output y) const {
    const Shape kept = reduced_shape(x.shape(), dims, true);
    const Tensor top = reshape(y, kept);
    const Tensor wins = logical_or(eq(x, top), logical_and(isnan(x), isnan(top)));
    return where(wins, reshape(g, kept) / sum(wins, dims, true),
                 scalar_tensor(0, {.dtype = g.dtype(), .device = g.device()}));
  }
};

template <bool largest>
struct ExtremeIndex {
  static constexpr Traits traits{.name = largest ? "argmax" : "argmin"};
  Shape dims;
  bool keep_dim;
  void list_attributes(detail::AttributeVisitor& visitor) const {
    visitor.integers("dims", dims);
    visitor.integer("keep_dim", keep_dim);
  }

  TensorSpec result(const Tensor& x) const {
    return spec_of(reduced(traits.name, x, dims, keep_dim), DType::int64, x.device());
  }
  Cost cost(const Tensor& x) const { return detail::cost_of_reading(x); }
  void cpu(const Tensor& x, Tensor& y) const { detail::extreme_kernel_cpu(largest, x, dims, Tensor(), y); }
  void cuda(const Tensor& x, Tensor& y) const { detail::extreme_kernel_cuda(largest, x, dims, Tensor(), y); }
};

Shape one_dim(const Tensor& x, std::int64_t dim, const char* op) {
  if (!x.defined()) return {};
  const int wrapped = wrap_dim(dim, x.rank(), op);
  return x.rank() == 0 ? Shape{} : Shape{wrapped};
}

Shape several_dims(const Tensor& x, const Shape& dims, const char* op) {
  return x.defined() ? wrap_dims(dims, x.rank(), op) : dims;
}

template <bool largest>
ValuesAndIndices along(const Tensor& x, std::int64_t dim, bool keep_dim) {
  using Op = ExtremeAlong<largest>;
  auto [values, indices] = apply(Op{one_dim(x, dim, Op::traits.name), keep_dim}, x);
  return {std::move(values), std::move(indices)};
}

template <class Op>
Tensor over(const Tensor& x, const Shape& dims, bool keep_dim) {
  return apply(Op{several_dims(x, dims, Op::traits.name), keep_dim}, x);
}

template <bool largest>
Tensor over_all(const Tensor& x) {
  constexpr const char* op = ExtremeAlong<largest>::traits.name;
  detail::check_defined(op, x);
  reduced(op, x, wrap_dims({}, x.rank(), op), false);
  return over<ExtremeOver<largest>>(x, {}, false);
}

template <class Op>
Tensor index_along(const Tensor& x, std::int64_t dim, bool keep_dim) {
  return apply(Op{one_dim(x, dim, Op::traits.name), keep_dim}, x);
}

}  // namespace

ValuesAndIndices max(const Tensor& x, std::int64_t dim, bool keep_dim) { return along<true>(x, dim, keep_dim); }
ValuesAndIndices min(const Tensor& x, std::int64_t dim, bool keep_dim) { return along<false>(x, dim, keep_dim); }
Tensor max(const Tensor& x) { return over_all<true>(x); }
Tensor min(const Tensor& x) { return over_all<false>(x); }
Tensor amax(const Tensor& x, const Shape& dims, bool keep_dim) { return over<ExtremeOver<true>>(x, dims, keep_dim); }
Tensor amin(const Tensor& x, const Shape& dims, bool keep_dim) { return over<ExtremeOver<false>>(x, dims, keep_dim); }
Extremes aminmax(const Tensor& x, const Shape& dims, bool keep_dim) {
  detail::check_defined("aminmax", x);
  const Shape along = wrap_dims(dims, x.rank(), "aminmax");
  return {amin(x, along, keep_dim), amax(x, along, keep_dim)};
}

Tensor argmax(const Tensor& x, std::int64_t dim, bool keep_dim) {
  return index_along<ExtremeIndex<true>>(x, dim, keep_dim);
}
Tensor argmin(const Tensor& x, std::int64_t dim, bool keep_dim) {
  return index_along<ExtremeIndex<false>>(x, dim, keep_dim);
}
Tensor argmax(const Tensor& x) { return over<ExtremeIndex<true>>(x, {}, false); }
Tensor argmin(const Tensor& x) { return over<ExtremeIndex<false>>(x, {}, false); }

}  // namespace minima
