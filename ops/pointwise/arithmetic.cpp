#include <minima/ops/pointwise/arithmetic.h>

#include <minima/autograd/primitives.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/core/complex_ops.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/loops/plan.h>
#include <minima/ops/loops/scalars.h>
#include <minima/ops/pointwise.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/composed.h>
#include <minima/ops/pointwise/functors/arithmetic.h>
#include <minima/tensor/complex/parts.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace minima {

namespace functor = pointwise::functor;
using detail::any_complex;

namespace {

struct Add : Binary<Add, functor::Add, all_types> {
  static constexpr Traits traits{.name = "add"};
  Gradients<2> gradient(Grad g) const { return {g, g}; }
};

struct Sub : Binary<Sub, functor::Sub> {
  static constexpr Traits traits{.name = "sub"};
  Gradients<2> gradient(Grad g, Needs needs) const { return {g, needs[1] ? -g : Tensor()}; }
};

struct Mul : Binary<Mul, functor::Mul, all_types> {
  static constexpr Traits traits{.name = "mul"};
  Gradients<2> gradient(Grad g, Input<0, 1> a, Input<1, 0> b, Needs needs) const {
    return {needs[0] ? g * b : Tensor(), needs[1] ? g * a : Tensor()};
  }
};

struct Div : Binary<Div, functor::Div, full_floating, ResultType::floating> {
  static constexpr Traits traits{.name = "div"};
  Gradients<2> gradient(Grad g, Input<0, 1> a, Input<1> b, Needs needs) const {
    // (g / b) · (a / b) would be ∞ · 0 where b is subnormal and a is 0.
    return {needs[0] ? g / b : Tensor(), needs[1] ? g * (a / b) / -b : Tensor()};
  }
};

struct Neg : Unary<Neg, functor::Neg> {
  static constexpr Traits traits{.name = "neg"};
  Tensor gradient(Grad g) const { return -g; }
};

struct Abs : Unary<Abs, functor::Abs> {
  static constexpr Traits traits{.name = "abs"};
  Tensor gradient(Grad g, Input<0> x) const { return g * sign(x); }
};

struct Sign : Unary<Sign, functor::Sign> {
  static constexpr Traits traits{.name = "sign"};
  Tensor gradient(Grad g) const { return zeros_like(g); }
};

struct Square : Unary<Square, functor::Square> {
  static constexpr Traits traits{.name = "square", .autocast = Cast::to_float32};
  Tensor gradient(Grad g, Input<0> x) const { return g * (x * 2); }
};

struct Reciprocal : Unary<Reciprocal, functor::Reciprocal, full_floating, ResultType::floating> {
  static constexpr Traits traits{.name = "reciprocal", .autocast = Cast::to_float32};
  Tensor gradient(Grad g, Output y) const { return -(g * (y * y)); }
};

/// g where the element wins, g / 2 where both are equal, else 0. Neither loses to NaN, as in PyTorch.
Tensor share(const Tensor& g, const Tensor& loses, const Tensor& equal) {
  return where(loses, detail::zero_of(g), where(equal, g * 0.5, g));
}

struct Maximum : Binary<Maximum, functor::Maximum, all_types> {
  static constexpr Traits traits{.name = "maximum"};
  Gradients<2> gradient(Grad g, Input<0> a, Input<1> b) const {
    return {share(g, a < b, a == b), share(g, b < a, a == b)};
  }
};

struct Minimum : Binary<Minimum, functor::Minimum, all_types> {
  static constexpr Traits traits{.name = "minimum"};
  Gradients<2> gradient(Grad g, Input<0> a, Input<1> b) const {
    return {share(g, a > b, a == b), share(g, b > a, a == b)};
  }
};

struct Lerp : Binary<Lerp, functor::Lerp, full_floating> {
  static constexpr Traits traits{.name = "lerp"};
  Gradients<2> gradient(Grad g, Needs needs) const {
    return {needs[0] ? g * (1 - f.weight) : Tensor(), needs[1] ? g * f.weight : Tensor()};
  }
};

struct AddScalar : Unary<AddScalar, functor::AddScalar> {
  static constexpr Traits traits{.name = "add"};
  Tensor gradient(Grad g) const { return g; }
};

struct MulScalar : Unary<MulScalar, functor::MulScalar> {
  static constexpr Traits traits{.name = "mul"};
  Tensor gradient(Grad g) const { return g * f.value; }
};

struct DivScalar : Unary<DivScalar, functor::DivScalar, full_floating, ResultType::floating> {
  static constexpr Traits traits{.name = "div"};
  Tensor gradient(Grad g) const { return g / f.value; }
};

struct ScalarSub : Unary<ScalarSub, functor::ScalarSub> {
  static constexpr Traits traits{.name = "sub"};
  void list_attributes(detail::AttributeVisitor& v) const { Unary::list_attributes(v), v.integer("reversed", 1); }
  Tensor gradient(Grad g) const { return -g; }
};

struct ScalarDiv : Unary<ScalarDiv, functor::ScalarDiv, full_floating, ResultType::floating> {
  static constexpr Traits traits{.name = "div", .autocast = Cast::to_float32};
  void list_attributes(detail::AttributeVisitor& v) const { Unary::list_attributes(v), v.integer("reversed", 1); }
  Tensor gradient(Grad g, Input<0> x) const { return -(g * (f.value / (x * x))); }
};

struct Clamp : Unary<Clamp, functor::Clamp> {
  static constexpr Traits traits{.name = "clamp"};
  Tensor gradient(Grad g, Input<0> x) const {
    return where(logical_and(x >= f.low, x <= f.high), g, detail::zero_of(g));
  }
};

struct Fill : Unary<Fill, functor::Fill, all_types> {
  static constexpr Traits traits{.name = "fill_"};
  // The memory may be uninitialised, and a bool must not be read from an arbitrary byte, so bools are filled as bytes.
  bool is_small(const Tensor& x) const { return x.dtype() != DType::boolean && Unary::is_small(x); }
  void cpu(const Tensor& x, Tensor& y) const {
    if (y.dtype() != DType::boolean) return run_cpu(y, x);
    const pointwise::Operand bytes{y.raw_data(), y.layout(), DType::uint8};
    pointwise::loop<std::uint8_t, std::uint8_t>(functor::Fill{f.value.to<bool>() ? 1 : 0}, bytes, bytes);
  }
  Tensor gradient(Grad) const { return {}; }
};

/// condition ? a : b. Not a Ternary, since the condition takes no part in promotion.
struct Where {
  static constexpr Traits traits{.name = "where"};

  TensorSpec result(const Tensor& condition, const Tensor& a, const Tensor& b) const {
    if (condition.dtype() != DType::boolean)
      throw DTypeError(str("where: the condition must be bool, got ", condition, "; compare it with something"));
    const Tensor* values[] = {&a, &b};
    const Tensor* all[] = {&condition, &a, &b};
    TensorSpec spec = detail::pointwise_spec(traits.name, all, 3, ResultType::same);
    spec.dtype = detail::promoted(values, 2);
    return spec;
  }
  Cost cost(const Tensor& condition, const Tensor& a, const Tensor& b) const {
    const TensorSpec y = result(condition, a, b);
    return {.bytes = static_cast<double>(y.numel()) *
                     static_cast<double>(1 + a.itemsize() + b.itemsize() + size_of(y.dtype))};
  }
  void cpu(const Tensor& condition, const Tensor& a, const Tensor& b, Tensor& y) const {
    detail::dispatch_compute<all_types>(y.dtype(), traits.name, [&]<class T> {
      pointwise::loop<T, bool, T, T>(functor::Where{}, {y.raw_data(), y.layout(), y.dtype()},
                                     static_cast<pointwise::Operand>(detail::Broadcast(condition, y)),
                                     static_cast<pointwise::Operand>(detail::Broadcast(a, y)),
                                     static_cast<pointwise::Operand>(detail::Broadcast(b, y)));
    });
  }
  void cuda(const Tensor& condition, const Tensor& a, const Tensor& b, Tensor& y) const {
    const detail::Broadcast inputs[] = {{condition, y}, {a, y}, {b, y}};
    const pointwise::Operand operands[] = {{y.raw_data(), y.layout(), y.dtype()}, inputs[0], inputs[1], inputs[2]};
    pointwise::CudaLoop<functor::Where, 3, AllTypes, ResultType::same>::run(
        traits.name, {}, is_half(y.dtype()) ? DType::float32 : y.dtype(), operands);
  }
  Gradients<3> gradient(Grad g, Input<0> condition, Needs needs) const {
    const Tensor zero = detail::zero_of(g);
    return {Tensor(), needs[1] ? where(condition, g, zero) : Tensor(), needs[2] ? where(condition, zero, g) : Tensor()};
  }
};

template <class Op>
Op with(Scalar value) {
  Op op;
  op.f.value = value;
  return op;
}

/// x in the dtype of `x op value`.
Tensor widened(const Tensor& x, Scalar value) {
  if (!x.defined()) return x;  // apply throws and names the operator
  const DType dtype = promote(x.dtype(), value);
  return dtype == x.dtype() ? x : cast(x, dtype);
}

/// Whether a bool tensor meets a bool number. The scalar operators do not take bool, so the number becomes a tensor.
bool both_boolean(const Tensor& x, Scalar value) {
  return x.defined() && x.dtype() == DType::boolean && value.is_boolean();
}
Tensor boolean_like(const Tensor& x, Scalar value) {
  return scalar_tensor(value, {.dtype = DType::boolean, .device = x.device()});
}

/// -value as an operand of x. The smallest integer can only be negated as a floating number.
Scalar opposite(const Tensor& x, Scalar value) {
  return x.defined() && is_differentiable(x.dtype()) ? Scalar(-value.to<double>()) : value.negated();
}

/// A bound of clamp in x's dtype. Throws ValueError for one that no value of that dtype satisfies.
Scalar bound(const Tensor& x, Scalar value, bool is_low) {
  if (!is_integer(x.dtype()) || value.is_floating()) return value;
  const auto [least, most] = detail::integer_range(x.dtype());
  const auto number = value.to<std::int64_t>();
  if (is_low ? number > most : number < least)
    throw ValueError(
        str("clamp: no ", x.dtype(), " is ", is_low ? "at least " : "at most ", number, "; convert x with to()"));
  return std::clamp(number, least, most);
}

/// A bound without effect in the dtype of `x op value`.
Scalar no_bound(const Tensor& x, Scalar value, bool is_low) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (!x.defined() || is_floating(promote(x.dtype(), value))) return is_low ? -infinity : infinity;
  return is_low ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

/// Throws DTypeError if `x op value` is floating and x is not.
void check_in_place(const char* op, const Tensor& x, Scalar value) {
  if (x.defined() && value.is_floating() && !is_floating(x.dtype()))
    detail::check_in_place(op, x, spec_of(x.shape(), DType::float32, x.device()));
}

}  // namespace

Tensor add(const Tensor& a, const Tensor& b) { return any_complex(a, b) ? complex_ops::add(a, b) : apply(Add{}, a, b); }
Tensor sub(const Tensor& a, const Tensor& b) { return any_complex(a, b) ? complex_ops::sub(a, b) : apply(Sub{}, a, b); }
Tensor mul(const Tensor& a, const Tensor& b) { return any_complex(a, b) ? complex_ops::mul(a, b) : apply(Mul{}, a, b); }
Tensor div(const Tensor& a, const Tensor& b) { return any_complex(a, b) ? complex_ops::div(a, b) : apply(Div{}, a, b); }
Tensor neg(const Tensor& x) { return any_complex(x) ? complex_ops::neg(x) : apply(Neg{}, x); }
Tensor abs(const Tensor& x) { return any_complex(x) ? complex_ops::abs(x) : apply(Abs{}, x); }
Tensor sign(const Tensor& x) { return apply(Sign{}, x); }
Tensor square(const Tensor& x) { return any_complex(x) ? complex_ops::square(x) : apply(Square{}, x); }
Tensor reciprocal(const Tensor& x) { return any_complex(x) ? complex_ops::reciprocal(x) : apply(Reciprocal{}, x); }
Tensor maximum(const Tensor& a, const Tensor& b) { return apply(Maximum{}, a, b); }
Tensor minimum(const Tensor& a, const Tensor& b) { return apply(Minimum{}, a, b); }
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  return any_complex(a, b) ? complex_ops::where(condition, a, b) : apply(Where{}, condition, a, b);
}

Tensor lerp(const Tensor& start, const Tensor& end, double weight) {
  Lerp op;
  op.f.weight = weight;
  return apply(op, start, end);
}

Tensor add(const Tensor& a, Scalar b) {
  if (any_complex(a)) return complex_ops::add(a, b);
  return both_boolean(a, b) ? add(a, boolean_like(a, b)) : apply(with<AddScalar>(b), widened(a, b));
}
Tensor mul(const Tensor& a, Scalar b) {
  if (any_complex(a)) return complex_ops::mul(a, b);
  return both_boolean(a, b) ? mul(a, boolean_like(a, b)) : apply(with<MulScalar>(b), widened(a, b));
}
Tensor div(const Tensor& a, Scalar b) {
  return any_complex(a) ? complex_ops::div(a, complex_ops::number(a, b)) : apply(with<DivScalar>(b), a);
}
Tensor sub(const Tensor& a, Scalar b) {
  return both_boolean(a, b) ? sub(a, boolean_like(a, b)) : add(a, opposite(a, b));
}
Tensor sub(Scalar a, const Tensor& b) {
  return any_complex(b) ? add(neg(b), a) : apply(with<ScalarSub>(a), widened(b, a));
}
Tensor div(Scalar a, const Tensor& b) { return any_complex(b) ? mul(reciprocal(b), a) : apply(with<ScalarDiv>(a), b); }

Tensor clamp(const Tensor& x, Scalar low, Scalar high) {
  const Tensor wide = widened(widened(x, low), high);
  if (!x.defined()) return apply(Clamp{}, x);
  // Comparisons with NaN are false, so the loop would not clamp.
  if (std::isnan(low.to<double>()) || std::isnan(high.to<double>())) return wide * 0 + NAN;
  Clamp op;
  op.f = {bound(wide, low, true), bound(wide, high, false)};
  return apply(op, wide);
}

Tensor clamp_min(const Tensor& x, Scalar low) { return clamp(x, low, no_bound(x, low, false)); }
Tensor clamp_max(const Tensor& x, Scalar high) { return clamp(x, no_bound(x, high, true), high); }

Tensor maximum(const Tensor& a, Scalar b) { return maximum(a, detail::scalar_operand("maximum", b, a)); }
Tensor minimum(const Tensor& a, Scalar b) { return minimum(a, detail::scalar_operand("minimum", b, a)); }
Tensor where(const Tensor& condition, const Tensor& a, Scalar b) {
  return where(condition, a, detail::scalar_operand("where", b, a));
}
Tensor where(const Tensor& condition, Scalar a, const Tensor& b) {
  return where(condition, detail::scalar_operand("where", a, b), b);
}
Tensor where(const Tensor& condition, Scalar a, Scalar b) {
  if (!condition.defined()) return where(condition, condition, condition);  // throws
  const bool fraction = a.is_floating() || b.is_floating(), truth = a.is_boolean() && b.is_boolean();
  const TensorOptions options{.dtype = fraction ? DType::float32
                                       : truth  ? DType::boolean
                                                : DType::int64,
                              .device = condition.device()};
  return where(condition, scalar_tensor(a, options), scalar_tensor(b, options));
}

const Tensor& add_(const Tensor& x, const Tensor& y) {
  return any_complex(x, y) ? complex_ops::add_(x, y) : apply_in_place(Add{}, x, y), x;
}
const Tensor& sub_(const Tensor& x, const Tensor& y) {
  return any_complex(x, y) ? complex_ops::sub_(x, y) : apply_in_place(Sub{}, x, y), x;
}
const Tensor& mul_(const Tensor& x, const Tensor& y) {
  return any_complex(x, y) ? complex_ops::mul_(x, y) : apply_in_place(Mul{}, x, y), x;
}
const Tensor& div_(const Tensor& x, const Tensor& y) {
  return any_complex(x, y) ? complex_ops::div_(x, y) : apply_in_place(Div{}, x, y), x;
}
const Tensor& add_(const Tensor& x, Scalar y) {
  if (any_complex(x)) return complex_ops::add_(x, complex_ops::number(x, y)), x;
  if (both_boolean(x, y)) return add_(x, boolean_like(x, y));
  check_in_place("add", x, y);
  apply_in_place(with<AddScalar>(y), x);
  return x;
}
const Tensor& mul_(const Tensor& x, Scalar y) {
  if (any_complex(x)) return complex_ops::mul_(x, complex_ops::number(x, y)), x;
  if (both_boolean(x, y)) return mul_(x, boolean_like(x, y));
  check_in_place("mul", x, y);
  apply_in_place(with<MulScalar>(y), x);
  return x;
}
const Tensor& div_(const Tensor& x, Scalar y) {
  return any_complex(x) ? complex_ops::div_(x, complex_ops::number(x, y)) : apply_in_place(with<DivScalar>(y), x), x;
}
const Tensor& neg_(const Tensor& x) { return detail::change("neg_", x, neg), x; }
const Tensor& fill_(const Tensor& x, Scalar value) {
  if (x.defined()) detail::check_number("fill_", value, x.dtype());
  return any_complex(x) ? complex_ops::fill_(x, value) : apply_in_place(with<Fill>(value), x), x;
}
const Tensor& zero_(const Tensor& x) { return fill_(x, 0); }

Tensor& Tensor::operator+=(const Tensor& other) { return add_(*this, other), *this; }
Tensor& Tensor::operator-=(const Tensor& other) { return sub_(*this, other), *this; }
Tensor& Tensor::operator*=(const Tensor& other) { return mul_(*this, other), *this; }
Tensor& Tensor::operator/=(const Tensor& other) { return div_(*this, other), *this; }
Tensor& Tensor::operator+=(Scalar other) { return add_(*this, other), *this; }
Tensor& Tensor::operator-=(Scalar other) {
  if (both_boolean(*this, other)) sub_(*this, boolean_like(*this, other));
  else add_(*this, opposite(*this, other));
  return *this;
}
Tensor& Tensor::operator*=(Scalar other) { return mul_(*this, other), *this; }
Tensor& Tensor::operator/=(Scalar other) { return div_(*this, other), *this; }

namespace detail {

Tensor zero_of(const Tensor& g) { return scalar_tensor(0, {.dtype = g.dtype(), .device = g.device()}); }

Tensor sum_gradients(Tensor a, const Tensor& b) {
  const TensorImpl& impl = *a.impl();
  const bool ours = impl.references.is_one() && impl.storage->unique();
  const bool fits = a.shape() == b.shape() && a.dtype() == b.dtype() && !a.layout().may_overlap();
  if (!ours || !fits || mode().grad) return a + b;
  if (is_complex(a.dtype())) return add_into(a, b), a;
  std::array<Tensor, 1> results{a};
  run_kernel(Add{}, results, a, b);
  return a;
}

void add_into(const Tensor& target, const Tensor& source) {
  std::array<Tensor, 1> results{parts_of(target)};  // sums of complex numbers are sums of their parts
  run_kernel(Add{}, results, results[0], parts_of(source));
  target.impl()->storage->bump_version();
}

Tensor ones_like_output(const Node::Output& output) {
  const Tensor ones = empty(output.shape, {.dtype = output.dtype, .device = output.device});
  std::array<Tensor, 1> results{ones};
  run_kernel(with<Fill>(1), results, ones);
  return ones;
}

bool has_nan(const Tensor& tensor) {
  NoGrad guard;
  if (!is_differentiable(tensor.dtype())) return false;
  for (const std::uint8_t bad : (tensor != tensor).to_vector<std::uint8_t>())
    if (bad) return true;
  return false;
}

}  // namespace detail

}  // namespace minima
