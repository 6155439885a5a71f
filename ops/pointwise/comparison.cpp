#include <minima/ops/pointwise/comparison.h>

#include <minima/ops/pointwise.h>
#include <minima/ops/pointwise/comparison_functors.h>

namespace minima {

namespace {

template <class Self, class F>
using Comparison = Binary<Self, F, all_types, ResultType::boolean>;
template <class Self, class F>
using Test = Unary<Self, F, all_types, ResultType::boolean>;

struct Equal : Comparison<Equal, functor::Equal> { static constexpr Traits traits{.name = "eq"}; };
struct NotEqual : Comparison<NotEqual, functor::NotEqual> { static constexpr Traits traits{.name = "ne"}; };
struct Less : Comparison<Less, functor::Less> { static constexpr Traits traits{.name = "lt"}; };
struct LessEqual : Comparison<LessEqual, functor::LessEqual> { static constexpr Traits traits{.name = "le"}; };
struct And : Comparison<And, functor::And> { static constexpr Traits traits{.name = "logical_and"}; };
struct Or : Comparison<Or, functor::Or> { static constexpr Traits traits{.name = "logical_or"}; };
struct Not : Test<Not, functor::Not> { static constexpr Traits traits{.name = "logical_not"}; };
struct IsNan : Test<IsNan, functor::IsNan> { static constexpr Traits traits{.name = "isnan"}; };
struct IsFinite : Test<IsFinite, functor::IsFinite> { static constexpr Traits traits{.name = "isfinite"}; };

/// The number as a tensor of rank 0, in a type that holds it exactly and does not widen `like`.
Tensor number(const Tensor& like, Scalar value) {
  if (!like.defined()) return {};
  DType dtype = promote(like.dtype(), value);
  if (value.is_floating()) dtype = like.dtype() == DType::float64 ? DType::float64 : DType::float32;
  return scalar_tensor(value, {.dtype = dtype, .device = like.device()});
}

}  // namespace

Tensor eq(const Tensor& a, const Tensor& b) { return apply(Equal{}, a, b); }
Tensor ne(const Tensor& a, const Tensor& b) { return apply(NotEqual{}, a, b); }
Tensor lt(const Tensor& a, const Tensor& b) { return apply(Less{}, a, b); }
Tensor le(const Tensor& a, const Tensor& b) { return apply(LessEqual{}, a, b); }
Tensor gt(const Tensor& a, const Tensor& b) { return apply(Less{}, b, a); }
Tensor ge(const Tensor& a, const Tensor& b) { return apply(LessEqual{}, b, a); }

Tensor eq(const Tensor& a, Scalar b) { return eq(a, number(a, b)); }
Tensor ne(const Tensor& a, Scalar b) { return ne(a, number(a, b)); }
Tensor lt(const Tensor& a, Scalar b) { return lt(a, number(a, b)); }
Tensor le(const Tensor& a, Scalar b) { return le(a, number(a, b)); }
Tensor gt(const Tensor& a, Scalar b) { return gt(a, number(a, b)); }
Tensor ge(const Tensor& a, Scalar b) { return ge(a, number(a, b)); }

Tensor logical_and(const Tensor& a, const Tensor& b) { return apply(And{}, a, b); }
Tensor logical_or(const Tensor& a, const Tensor& b) { return apply(Or{}, a, b); }
Tensor logical_not(const Tensor& x) { return apply(Not{}, x); }
Tensor isnan(const Tensor& x) { return apply(IsNan{}, x); }
Tensor isfinite(const Tensor& x) { return apply(IsFinite{}, x); }

}  // namespace minima
