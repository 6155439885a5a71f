#include <minima/ops/reduce/sum.h>

#include <minima/autograd/primitives.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/core/complex_ops.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/kernels.h>
#include <minima/ops/reduce/reduced_shape.h>
#include <minima/ops/view/view.h>

namespace minima {

namespace {

/// The gradient of a reduction over `dims`, expanded to the input's shape.
Tensor spread(const Tensor& g, const Shape& shape, const Shape& dims) {
  return expand(reshape(g, reduced_shape(shape, dims, true)), shape);
}

struct Sum {
  static constexpr Traits traits{.name = "sum", .autocast = Cast::to_float32};
  Shape dims;  ///< sorted
  bool keep_dim;
  void list_attributes(detail::AttributeVisitor& visitor) const {
    visitor.integers("dims", dims);
    visitor.integer("keep_dim", keep_dim);
  }

  TensorSpec result(const Tensor& x) const {
    const DType dtype = is_floating(x.dtype()) ? x.dtype() : DType::int64;
    return spec_of(reduced_shape(x.shape(), dims, keep_dim), dtype, x.device());
  }
  Cost cost(const Tensor& x) const { return detail::cost_of_reading(x); }
  void cpu(const Tensor& x, Tensor& y) const { detail::sum_kernel_cpu(x, dims, y); }
  void cuda(const Tensor& x, Tensor& y) const { detail::sum_kernel_cuda(x, dims, y); }
  Tensor gradient(Grad g, Spec<0> x) const { return spread(g, x.shape(), dims); }
};

/// An operator rather than sum / n, because the sum can overflow a half type.
struct Mean {
  static constexpr Traits traits{.name = "mean"};
  Shape dims;
  bool keep_dim;
  void list_attributes(detail::AttributeVisitor& visitor) const {
    visitor.integers("dims", dims);
    visitor.integer("keep_dim", keep_dim);
  }

  TensorSpec result(const Tensor& x) const {
    if (!is_floating(x.dtype()))
      throw DTypeError(str("mean: needs a floating tensor, got ", x, "; convert it with to()"));
    return spec_of(reduced_shape(x.shape(), dims, keep_dim), x.dtype(), x.device());
  }
  Cost cost(const Tensor& x) const { return detail::cost_of_reading(x); }
  void cpu(const Tensor& x, Tensor& y) const { detail::mean_kernel_cpu(x, dims, y); }
  void cuda(const Tensor& x, Tensor& y) const { detail::mean_kernel_cuda(x, dims, y); }
  Tensor gradient(Grad g, Spec<0> x) const { return spread(g / reduced_count(x.shape(), dims), x.shape(), dims); }
};

}  // namespace

Tensor sum(const Tensor& x, const Shape& dims, bool keep_dim) {
  if (detail::any_complex(x)) return complex_ops::sum(x, wrap_dims(dims, x.rank(), "sum"), keep_dim);
  return apply(Sum{x.defined() ? wrap_dims(dims, x.rank(), "sum") : dims, keep_dim}, x);
}

Tensor mean(const Tensor& x, const Shape& dims, bool keep_dim) {
  if (detail::any_complex(x)) return complex_ops::mean(x, wrap_dims(dims, x.rank(), "mean"), keep_dim);
  return apply(Mean{x.defined() ? wrap_dims(dims, x.rank(), "mean") : dims, keep_dim}, x);
}

Tensor sum_to(const Tensor& x, const Shape& shape) {
  detail::check_defined("sum_to", x);
  const auto as_sum = [&] {
    return is_differentiable(x.dtype()) || x.dtype() == DType::int64 ? x : cast(x, DType::int64);
  };
  if (x.shape() == shape) return as_sum();
  const int added = x.rank() - shape.rank();
  bool fits = added >= 0;
  for (int i = 0; fits && i < shape.rank(); ++i) fits = shape[i] == 1 || shape[i] == x.shape()[added + i];
  if (!fits) throw ShapeError(str("sum_to: ", shape, " does not broadcast to the shape of x ", x));
  Shape dims;
  for (int i = 0; i < x.rank(); ++i)
    if (i < added || (shape[i - added] == 1 && x.shape()[i] != 1)) dims.push_back(i);
  const Tensor summed = dims.empty() ? as_sum() : sum(x, dims, true);
  return reshape(summed, shape);
}

namespace detail {

Tensor fit_gradient(const Tensor& gradient, const Shape& shape, DType dtype) {
  return cast_gradient(sum_to(gradient, shape), dtype);
}

}  // namespace detail

}  // namespace minima
