#include <minima/ops/reduce/statistics.h>

#include <minima/ops/copy/casts.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/kernels.h>
#include <minima/ops/reduce/reduced_shape.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>

#include <cmath>
#include <limits>

namespace minima {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

using detail::check_floating;
using detail::in_full;

/// y, computed with keep_dim, in the shape that the caller wants.
Tensor shaped(const Tensor& y, const Tensor& x, const Shape& dims, bool keep_dim) {
  return keep_dim ? y : reshape(y, reduced_shape(x.shape(), dims, false));
}

/// x^(1/p), with derivative 0 at 0, where the true one is infinite for p > 1: computed with 1 instead of 0.
Tensor flat_root(const Tensor& x, double p) {
  const Tensor is_zero = x == 0;
  const Tensor safe = where(is_zero, x + 1, x);
  return where(is_zero, x * 0, p == 2 ? sqrt(safe) : pow(safe, 1 / p));
}

/// Σ x² / divisor or its root, in one pass on the CPU. Keeps the dimensions. The root's gradient at 0 is 0.
struct MeanSquare {
  static constexpr Traits traits{.name = "mean_square"};
  Shape dims;
  double divisor;
  bool root;
  void list_attributes(detail::AttributeVisitor& visitor) const {
    visitor.integers("dims", dims);
    visitor.number("divisor", divisor);
    visitor.integer("root", root);
  }
  TensorSpec result(const Tensor& x) const {
    return spec_of(reduced_shape(x.shape(), dims, true), x.dtype(), x.device());
  }
  Cost cost(const Tensor& x) const {
    const auto count = static_cast<double>(x.numel());
    return {.flops = 2 * count, .bytes = count * static_cast<double>(x.itemsize())};
  }
  void cpu(const Tensor& x, Tensor& y) const { detail::mean_square_kernel_cpu(x, dims, divisor, root, y); }
  Tensor gradient(Grad g, Input<0> x, Output y) const {
    if (!root) return 2 / divisor * g * x;
    const Tensor is_zero = y == 0;
    return where(is_zero, g * 0, g / where(is_zero, y + 1, y) / divisor) * x;
  }
};

Tensor mean_square(const Tensor& x, const Shape& dims, double divisor, bool root) {
  if (!detail::on_cuda(x)) return apply(MeanSquare{dims, divisor, root}, x);
  const Tensor y = sum(square(x), dims, true) / divisor;
  return root ? flat_root(y, 2) : y;
}

/// `root`: the standard deviation instead of the variance.
Moments moments(const char* op, const Tensor& x, const Shape& wanted, double correction, bool keep_dim,
                bool root = false) {
  check_floating(op, x);
  const Shape dims = wrap_dims(wanted, x.rank(), op);
  const Tensor values = in_full(x);
  const Tensor average = mean(values, dims, true);
  const double count = static_cast<double>(reduced_count(x.shape(), dims)) - correction;
  const Tensor spread = mean_square(values - average, dims, std::fmax(count, 0.0), root);
  return {cast(shaped(spread, x, dims, keep_dim), x.dtype()), cast(shaped(average, x, dims, keep_dim), x.dtype())};
}

/// The number of nonzero elements. Its gradient is 0.
struct NormZero {
  static constexpr Traits traits{.name = "norm"};
  Shape dims;
  bool keep_dim;
  void list_attributes(detail::AttributeVisitor& visitor) const {
    visitor.integers("dims", dims);
    visitor.integer("keep_dim", keep_dim);
  }
  TensorSpec result(const Tensor& x) const {
    return spec_of(reduced_shape(x.shape(), dims, keep_dim), x.dtype(), x.device());
  }
  Cost cost(const Tensor& x) const {
    return {.bytes = static_cast<double>(x.numel()) * static_cast<double>(x.itemsize())};
  }
  void cpu(const Tensor& x, Tensor& y) const { detail::copy_values(sum(ne(x.detach(), 0), dims, keep_dim), y); }
  void cuda(const Tensor& x, Tensor& y) const { cpu(x, y); }
  Tensor gradient(Grad g, Spec<0> x) const { return zeros(x.shape(), {.dtype = g.dtype(), .device = g.device()}); }
};

/// Σ |x|ᵖ. A zero has no gradient for p < 1, where its derivative, and for p < 0 its term, is infinite.
Tensor sum_of_powers(const Tensor& sizes, double p, const Shape& dims) {
  if (p >= 1) return sum(pow(sizes, p), dims, true);
  const Tensor is_zero = sizes == 0;
  const Tensor of_zero = full({}, p < 0 ? infinity : 0, {.dtype = sizes.dtype(), .device = sizes.device()});
  return sum(where(is_zero, of_zero, pow(where(is_zero, sizes + 1, sizes), p)), dims, true);
}

/// 1 where x is nonzero, to be summed over `dims`.
Tensor truth(const char* op, const Tensor& x, const Shape& dims) {
  detail::check_defined(op, x);
  wrap_dims(dims, x.rank(), op);
  return x.dtype() == DType::boolean ? x.detach() : ne(x.detach(), 0);
}

}  // namespace

Tensor var(const Tensor& x, const Shape& dims, double correction, bool keep_dim) {
  return moments("var", x, dims, correction, keep_dim).var;
}

Tensor std(const Tensor& x, const Shape& dims, double correction, bool keep_dim) {
  return moments("std", x, dims, correction, keep_dim, true).var;  // the variance could overflow
}

Moments var_mean(const Tensor& x, const Shape& dims, double correction, bool keep_dim) {
  return moments("var_mean", x, dims, correction, keep_dim);
}

StdMean std_mean(const Tensor& x, const Shape& dims, double correction, bool keep_dim) {
  check_floating("std_mean", x);
  const Shape along = wrap_dims(dims, x.rank(), "std_mean");
  return {stddev(x, along, correction, keep_dim), mean(x, along, keep_dim)};
}

Tensor norm(const Tensor& input, double p, const Shape& wanted, bool keep_dim) {
  check_floating("norm", input);
  const Tensor x = detail::autocast(Cast::to_float32, input);
  const detail::WithoutAutocast inside;
  const Shape dims = wrap_dims(wanted, x.rank(), "norm");
  if ((std::isinf(p) || p < 0) && reduced_count(x.shape(), dims) == 0 &&
      numel(reduced_shape(x.shape(), dims, false)) > 0)
    throw ShapeError(str("norm: no elements have no norm for p = ", p, "; x ", x, " over dimensions ", dims));
  if (p == infinity) return amax(abs(x), dims, keep_dim);
  if (p == -infinity) return amin(abs(x), dims, keep_dim);
  if (p == 0) return apply(NormZero{dims, keep_dim}, x);
  const Tensor values = in_full(x);
  if (p == 1) return cast(sum(abs(values), dims, keep_dim), x.dtype());
  if (p == 2) return cast(shaped(mean_square(values, dims, 1, true), x, dims, keep_dim), x.dtype());
  const Tensor total = sum_of_powers(abs(values), p, dims);
  return cast(shaped(p < 0 ? pow(total, 1 / p) : flat_root(total, p), x, dims, keep_dim), x.dtype());
}

Tensor renorm(const Tensor& x, double p, std::int64_t dim, double most) {
  constexpr const char* op = "renorm";
  check_floating(op, x);
  if (x.rank() < 2) throw ShapeError(str(op, ": needs two dimensions or more, got ", x));
  if (!(p > 0)) throw ValueError(str(op, ": p must be positive, got ", p));
  if (!(most >= 0)) throw ValueError(str(op, ": the largest norm must not be negative, got ", most));
  const int kept = wrap_dim(dim, x.rank(), op);
  Shape others;
  for (int i = 0; i < x.rank(); ++i)
    if (i != kept) others.push_back(i);
  const Tensor given = detail::autocast(Cast::to_float32, x);
  const detail::WithoutAutocast guard;
  const Tensor values = in_full(given), size = norm(values, p, others, true);
  return cast(values * where(size > most, most / (size + 1e-7), 1), given.dtype());
}

Tensor logsumexp(const Tensor& input, const Shape& wanted, bool keep_dim) {
  check_floating("logsumexp", input);
  const Tensor x = detail::autocast(Cast::to_float32, input);
  const detail::WithoutAutocast inside;
  const Shape dims = wrap_dims(wanted, x.rank(), "logsumexp");
  const Tensor values = in_full(x);
  if (reduced_count(x.shape(), dims) == 0) return sum(x, dims, keep_dim) - infinity;
  const Tensor largest = amax(values.detach(), dims, true);
  // If the largest element is infinite, it is the result; subtracting it would give NaN.
  const Tensor shift =
      where(isfinite(largest), largest, zeros({}, {.dtype = values.dtype(), .device = values.device()}));
  return cast(shaped(log(sum(exp(values - shift), dims, true)) + shift, x, dims, keep_dim), x.dtype());
}

Tensor all(const Tensor& x, const Shape& dims, bool keep_dim) {
  return sum(logical_not(truth("all", x, dims)), dims, keep_dim) == 0;
}

Tensor any(const Tensor& x, const Shape& dims, bool keep_dim) {
  return sum(truth("any", x, dims), dims, keep_dim) != 0;
}

Tensor count_nonzero(const Tensor& x, const Shape& dims) { return sum(truth("count_nonzero", x, dims), dims); }

void detail::check_floating(const char* op, const Tensor& x) {
  check_defined(op, x);
  if (!is_floating(x.dtype()))
    throw DTypeError(str(op, ": needs a floating tensor, got ", x, "; convert it with to()"));
}

}  // namespace minima
