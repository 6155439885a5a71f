#include <minima/ops/pointwise/arithmetic.h>

#include <minima/ops/copy/casts.h>
#include <minima/ops/pointwise.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/composed.h>
#include <minima/ops/pointwise/functors/arithmetic.h>

#include <array>

namespace minima {

namespace {

/// All three in the widest dtype of an autocast region, after checks.
std::array<Tensor, 3> widest(const char* op, const Tensor& x, const Tensor& a, const Tensor& b) {
  detail::check_all_defined(op, x, a, b);
  broadcast(x.shape(), broadcast(a.shape(), b.shape(), op), op);
  std::array<Tensor, 3> all{x, a, b};
  if (detail::mode().autocast) detail::autocast_inputs(Cast::widest, all.data(), all.size());
  return all;
}

struct Addcmul : Ternary<Addcmul, pointwise::functor::Addcmul, full_floating> {
  static constexpr Traits traits{.name = "addcmul"};
  Gradients<3> gradient(Grad g, Input<1, 2> a, Input<2, 1> b, Needs needs) const {
    return {g, needs[1] ? g * b * f.value : Tensor(), needs[2] ? g * a * f.value : Tensor()};
  }
};

struct Addcdiv : Ternary<Addcdiv, pointwise::functor::Addcdiv, full_floating> {
  static constexpr Traits traits{.name = "addcdiv"};
  Gradients<3> gradient(Grad g, Input<1, 2> a, Input<2, 1, 2> b, Needs needs) const {
    return {g, needs[1] ? g / b * f.value : Tensor(), needs[2] ? g * (a / b) / -b * f.value : Tensor()};
  }
};

template <class Op>
Op with_value(double value) {
  Op op;
  op.f.value = value;
  return op;
}

/// Throws unless a and b broadcast to x's shape.
void check_three(const char* op, const Tensor& x, const Tensor& a, const Tensor& b) {
  detail::check_defined(op, x);
  detail::check_defined(op, a, 1);
  detail::check_defined(op, b, 2);
  const Shape shape = broadcast(x.shape(), broadcast(a.shape(), b.shape(), op), op);
  detail::check_in_place(op, x, spec_of(shape, x.dtype(), x.device()));
}

}  // namespace

Tensor lerp(const Tensor& start, const Tensor& end, const Tensor& weight) {
  detail::check_all_defined("lerp", start, end, weight);
  detail::check_all_floating("lerp", start, end, weight);
  broadcast(start.shape(), broadcast(end.shape(), weight.shape(), "lerp"), "lerp");
  const auto weighted = [](const Tensor& from, const Tensor& to, const Tensor& by) {
    const Tensor step = to - from;
    return where(abs(by) < 0.5, from + by * step, to - step * (1 - by));  // exact at 0 and at 1
  };
  return detail::in_common(weighted, start, end, weight);
}

Tensor addcmul(const Tensor& x, const Tensor& a, const Tensor& b, Scalar value) {
  const auto [sum, left, right] = widest("addcmul", x, a, b);
  for (const Tensor* in : {&sum, &left, &right})
    if (in->dtype() == DType::boolean)
      throw DTypeError(str("addcmul: needs tensors of numbers, got ", *in, "; convert it with to()"));
  const bool is_fused = is_floating(sum.dtype()) && is_floating(left.dtype()) && is_floating(right.dtype());
  if (is_fused) return apply(with_value<Addcmul>(value.to<double>()), sum, left, right);
  return detail::in_common([&](const Tensor& to, const Tensor& by, const Tensor& of) { return to + by * of * value; },
                           sum, left, right);
}

Tensor addcdiv(const Tensor& x, const Tensor& a, const Tensor& b, Scalar value) {
  const auto [sum, left, right] = widest("addcdiv", x, a, b);
  detail::check_all_floating("addcdiv", sum, left, right);
  return apply(with_value<Addcdiv>(value.to<double>()), sum, left, right);
}

const Tensor& addcmul_(const Tensor& x, const Tensor& a, const Tensor& b, Scalar value) {
  check_three("addcmul_", x, a, b);
  detail::assign("addcmul_", x, addcmul(x, a, b, value));
  return x;
}

const Tensor& lerp_(const Tensor& x, const Tensor& end, double weight) {
  check_three("lerp_", x, end, end);
  detail::assign("lerp_", x, lerp(x, end, weight));
  return x;
}

}  // namespace minima
