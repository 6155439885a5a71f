#include <minima/ops/reduce/statistics.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/reduced_shape.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/reduce/sum_kernel.h>
#include <minima/ops/view/view.h>

#include <cmath>
#include <limits>

namespace minima {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void check_floating(const char* op, const Tensor& x) {
  detail::check_defined(op, x);
  if (!is_floating(x.dtype())) throw DTypeError(str(op, ": needs a floating tensor, got ", x, "; convert it with to()"));
}

/// x in a dtype that sums may be kept in.
Tensor wide(const Tensor& x) { return is_half(x.dtype()) ? cast(x, DType::float32) : x; }

std::int64_t reduced_count(const Tensor& x, const Shape& dims) {
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) count *= x.shape()[static_cast<int>(dim)];
  return count;
}

/// A result that kept its dimensions, as it was asked for.
Tensor shaped(const Tensor& y, const Tensor& x, const Shape& dims, bool keep_dim) {
  return keep_dim ? y : reshape(y, reduced_shape(x.shape(), dims, false));
}

/// Σ x², in one pass on the CPU. The dimensions stay, with size 1.
struct SumOfSquares {
  static constexpr Traits traits{.name = "sum_of_squares"};
  Shape dims;
  TensorSpec result(const Tensor& x) const {
    return spec_of(reduced_shape(x.shape(), dims, true), x.dtype(), x.device());
  }
  Cost cost(const Tensor& x) const {
    const auto count = static_cast<double>(x.numel());
    return {.flops = 2 * count, .bytes = count * static_cast<double>(x.itemsize())};
  }
  void cpu(const Tensor& x, Tensor& y) const { detail::sum_of_squares_kernel_cpu(x, y); }
  Tensor gradient(Grad g, Input<0> x) const { return 2 * g * x; }
};

Tensor sum_of_squares(const Tensor& x, const Shape& dims) {
  return detail::on_cuda(x) ? sum(square(x), dims, true) : apply(SumOfSquares{dims}, x);
}

Moments moments(const char* op, const Tensor& x, const Shape& wanted, double correction, bool keep_dim) {
  check_floating(op, x);
  const Shape dims = wrap_dims(wanted, x.rank(), op);
  const Tensor values = wide(x);
  const Tensor average = mean(values, dims, true);
  const double count = static_cast<double>(reduced_count(x, dims)) - correction;
  const Tensor variance = sum_of_squares(values - average, dims) / std::fmax(count, 0.0);
  return {cast(shaped(variance, x, dims, keep_dim), x.dtype()), cast(shaped(average, x, dims, keep_dim), x.dtype())};
}

/// 1 where x is not 0, so that sums over `dims` count.
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
  return sqrt(moments("std", x, dims, correction, keep_dim).var);
}

Moments var_mean(const Tensor& x, const Shape& dims, double correction, bool keep_dim) {
  return moments("var_mean", x, dims, correction, keep_dim);
}

Tensor norm(const Tensor& input, double p, const Shape& wanted, bool keep_dim) {
  check_floating("norm", input);
  const Tensor x = detail::autocast(Cast::to_float32, input);
  const detail::WithoutAutocast inside;
  const Shape dims = wrap_dims(wanted, x.rank(), "norm");
  if (std::isinf(p) && reduced_count(x, dims) == 0 && numel(reduced_shape(x.shape(), dims, false)) > 0)
    throw ShapeError(str("norm: the largest or smallest of no elements does not exist; x ", x, " over dimensions ", dims));
  if (p == infinity) return amax(abs(x), dims, keep_dim);
  if (p == -infinity) return amin(abs(x), dims, keep_dim);
  if (p == 0) return cast(sum(truth("norm", x, dims), dims, keep_dim), x.dtype());
  const auto sizes = [&] { return abs(wide(x)); };
  if (p == 1) return cast(sum(sizes(), dims, keep_dim), x.dtype());
  const Tensor total = p == 2 ? shaped(sum_of_squares(wide(x), dims), x, dims, keep_dim) : sum(pow(sizes(), p), dims, keep_dim);
  // The root's derivative at 0 is infinite; 1 in its place makes the norm's 0.
  const Tensor is_zero = total == 0;
  const Tensor safe = where(is_zero, total + 1, total);
  const Tensor root = p == 2 ? sqrt(safe) : pow(safe, 1 / p);
  return cast(where(is_zero, total * 0, root), x.dtype());
}

Tensor logsumexp(const Tensor& input, const Shape& wanted, bool keep_dim) {
  check_floating("logsumexp", input);
  const Tensor x = detail::autocast(Cast::to_float32, input);
  const detail::WithoutAutocast inside;
  const Shape dims = wrap_dims(wanted, x.rank(), "logsumexp");
  const Tensor values = wide(x);
  if (reduced_count(x, dims) == 0)
    return full(reduced_shape(x.shape(), dims, keep_dim), -infinity, {.dtype = x.dtype(), .device = x.device()});
  const Tensor largest = amax(values.detach(), dims, true);
  // An infinite largest element is the result itself; subtracted it would be NaN.
  const Tensor shift = where(isfinite(largest), largest, zeros({}, {.dtype = values.dtype(), .device = values.device()}));
  return cast(shaped(log(sum(exp(values - shift), dims, true)) + shift, x, dims, keep_dim), x.dtype());
}

Tensor all(const Tensor& x, const Shape& dims, bool keep_dim) {
  return sum(logical_not(truth("all", x, dims)), dims, keep_dim) == 0;
}

Tensor any(const Tensor& x, const Shape& dims, bool keep_dim) { return sum(truth("any", x, dims), dims, keep_dim) != 0; }

Tensor count_nonzero(const Tensor& x, const Shape& dims) { return sum(truth("count_nonzero", x, dims), dims); }

}  // namespace minima
