#include <minima/ops/pointwise/comparison.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/core/complex_ops.h>
#include <minima/ops/pointwise.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/composed.h>
#include <minima/ops/pointwise/functors/comparison.h>

#include <cstdint>
#include <limits>

namespace minima {

namespace functor = pointwise::functor;

namespace {

template <class Self, class F>
using Comparison = Binary<Self, F, all_types, ResultType::boolean>;
template <class Self, class F>
using Test = Unary<Self, F, all_types, ResultType::boolean>;

struct Equal : Comparison<Equal, functor::Equal> {
  static constexpr Traits traits{.name = "eq"};
};
struct NotEqual : Comparison<NotEqual, functor::NotEqual> {
  static constexpr Traits traits{.name = "ne"};
};
struct Less : Comparison<Less, functor::Less> {
  static constexpr Traits traits{.name = "lt"};
};
struct LessEqual : Comparison<LessEqual, functor::LessEqual> {
  static constexpr Traits traits{.name = "le"};
};
struct Greater : Comparison<Greater, functor::Greater> {
  static constexpr Traits traits{.name = "gt"};
};
struct GreaterEqual : Comparison<GreaterEqual, functor::GreaterEqual> {
  static constexpr Traits traits{.name = "ge"};
};
struct And : Comparison<And, functor::And> {
  static constexpr Traits traits{.name = "logical_and"};
};
struct Or : Comparison<Or, functor::Or> {
  static constexpr Traits traits{.name = "logical_or"};
};
struct Not : Test<Not, functor::Not> {
  static constexpr Traits traits{.name = "logical_not"};
};
struct IsNan : Test<IsNan, functor::IsNan> {
  static constexpr Traits traits{.name = "isnan"};
};
struct IsFinite : Test<IsFinite, functor::IsFinite> {
  static constexpr Traits traits{.name = "isfinite"};
};

/// Whether the number is within the range of `dtype`.
bool holds(DType dtype, Scalar value) {
  if (is_integer(dtype)) return detail::integer_range(dtype).has(value.to<std::int64_t>());
  return detail::is_element(value, dtype);
}

/// Compares x with a number converted to x's dtype, as PyTorch does. A number beyond its range is compared in a wider
/// dtype, instead of wrapping or becoming infinite.
template <class Op>
Tensor compare(Op op, const Tensor& x, Scalar value) {
  if (!x.defined()) return apply(op, x, x);  // throws
  DType dtype = promote(x.dtype(), value);
  const bool fits = holds(dtype, value);
  if (!fits) dtype = is_integer(dtype) ? DType::int64 : DType::float64;
  return apply(op, fits ? x : cast(x, dtype), scalar_tensor(value, {.dtype = dtype, .device = x.device()}));
}

}  // namespace

Tensor eq(const Tensor& a, const Tensor& b) {
  return detail::any_complex(a, b) ? complex_ops::eq(a, b) : apply(Equal{}, a, b);
}
Tensor ne(const Tensor& a, const Tensor& b) {
  return detail::any_complex(a, b) ? complex_ops::ne(a, b) : apply(NotEqual{}, a, b);
}
Tensor lt(const Tensor& a, const Tensor& b) { return apply(Less{}, a, b); }
Tensor le(const Tensor& a, const Tensor& b) { return apply(LessEqual{}, a, b); }
Tensor gt(const Tensor& a, const Tensor& b) { return apply(Greater{}, a, b); }
Tensor ge(const Tensor& a, const Tensor& b) { return apply(GreaterEqual{}, a, b); }

Tensor eq(const Tensor& a, Scalar b) {
  if (detail::any_complex(a)) return complex_ops::eq(a, complex_ops::number(a, b));
  return compare(Equal{}, a, b);
}
Tensor ne(const Tensor& a, Scalar b) {
  if (detail::any_complex(a)) return complex_ops::ne(a, complex_ops::number(a, b));
  return compare(NotEqual{}, a, b);
}
Tensor lt(const Tensor& a, Scalar b) { return compare(Less{}, a, b); }
Tensor le(const Tensor& a, Scalar b) { return compare(LessEqual{}, a, b); }
Tensor gt(const Tensor& a, Scalar b) { return compare(Greater{}, a, b); }
Tensor ge(const Tensor& a, Scalar b) { return compare(GreaterEqual{}, a, b); }

Tensor logical_and(const Tensor& a, const Tensor& b) { return apply(And{}, a, b); }
Tensor logical_or(const Tensor& a, const Tensor& b) { return apply(Or{}, a, b); }
Tensor logical_not(const Tensor& x) { return apply(Not{}, x); }
Tensor isnan(const Tensor& x) { return apply(IsNan{}, x); }
Tensor isfinite(const Tensor& x) { return apply(IsFinite{}, x); }

Tensor isinf(const Tensor& x) {
  detail::check_defined("isinf", x);
  if (!is_floating(x.dtype())) return ne(x, x);
  return abs(x.detach()) == std::numeric_limits<double>::infinity();
}

Tensor isposinf(const Tensor& x) {
  detail::check_defined("isposinf", x);
  return is_floating(x.dtype()) ? x == std::numeric_limits<double>::infinity() : ne(x, x);
}

Tensor isneginf(const Tensor& x) {
  detail::check_defined("isneginf", x);
  return is_floating(x.dtype()) ? x == -std::numeric_limits<double>::infinity() : ne(x, x);
}

Tensor isclose(const Tensor& a, const Tensor& b, const IscloseOptions& options) {
  constexpr const char* op = "isclose";
  detail::check_one_dtype(op, a, b);
  if (!(options.rtol >= 0) || !(options.atol >= 0))
    throw ValueError(str(op, ": tolerances must not be negative, got rtol ", options.rtol, " and atol ", options.atol));
  const NoGrad constant;
  Tensor close = a == b;
  if (options.equal_nan) close = logical_or(close, logical_and(isnan(a), isnan(b)));
  if (options.rtol == 0 && options.atol == 0) return close;
  // Integers are compared in float64, so that no difference wraps around.
  const bool is_whole = !is_floating(a.dtype());
  const Tensor x = is_whole ? cast(a, DType::float64) : a, y = is_whole ? cast(b, DType::float64) : b;
  const Tensor distance = abs(x - y);
  return logical_or(close, logical_and(isfinite(distance), distance <= abs(y) * options.rtol + options.atol));
}

Tensor logical_xor(const Tensor& a, const Tensor& b) {
  detail::check_all_defined("logical_xor", a, b);
  broadcast(a.shape(), b.shape(), "logical_xor");
  return ne(logical_not(a), logical_not(b));
}

}  // namespace minima
