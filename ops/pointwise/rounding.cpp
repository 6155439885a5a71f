#include <minima/ops/pointwise/rounding.h>

#include <minima/ops/creation/creation.h>
#include <minima/ops/loops/scalars.h>
#include <minima/ops/pointwise.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/functors/rounding.h>
#include <minima/ops/reduce/statistics.h>

#include <cstdint>

namespace minima {

namespace functor = pointwise::functor;

namespace {

template <class Self, class F>
struct Rounding : Unary<Self, F> {
  Tensor gradient(Grad g) const { return zeros_like(g); }
};
struct Floor : Rounding<Floor, functor::Floor> {
  static constexpr Traits traits{.name = "floor"};
};
struct Ceil : Rounding<Ceil, functor::Ceil> {
  static constexpr Traits traits{.name = "ceil"};
};
struct Round : Rounding<Round, functor::Round> {
  static constexpr Traits traits{.name = "round"};
};
struct Trunc : Rounding<Trunc, functor::Trunc> {
  static constexpr Traits traits{.name = "trunc"};
};
struct Frac : Unary<Frac, functor::Frac> {
  static constexpr Traits traits{.name = "frac"};
  Tensor gradient(Grad g) const { return g; }
};

struct Fmod : Binary<Fmod, functor::Fmod> {
  static constexpr Traits traits{.name = "fmod"};
  Gradients<2> gradient(Grad g, Input<0, 1> a, Input<1, 1> b, Needs needs) const {
    return {g, needs[1] ? -(g * trunc(a / b)) : Tensor()};
  }
};
struct Remainder : Binary<Remainder, functor::Remainder> {
  static constexpr Traits traits{.name = "remainder"};
  Gradients<2> gradient(Grad g, Input<0, 1> a, Input<1, 1> b, Needs needs) const {
    return {g, needs[1] ? -(g * floor_divide(a, b)) : Tensor()};
  }
};
struct FloorDivide : Binary<FloorDivide, functor::FloorDivide> {
  static constexpr Traits traits{.name = "floor_divide"};
  Gradients<2> gradient(Grad g) const {
    const Tensor zero = zeros_like(g);
    return {zero, zero};
  }
};

void refuse_zero(const char* op, const Tensor& a, const Tensor& b, bool has_zero) {
  if (has_zero)
    throw ValueError(str(op, ": division by zero of integers ", a, " by ", b, "; convert one to a floating dtype"));
}

/// On the CPU, integer division by zero would kill the program; on CUDA its result is unspecified.
void check_divisor(const char* op, const Tensor& a, const Tensor& b) {
  if (!a.defined() || !b.defined() || !is_integer(promote(a.dtype(), b.dtype())) || detail::on_cuda(b)) return;
  refuse_zero(op, a, b, any(b == 0).item<bool>());
}

/// A number is checked for tensors on CUDA too, since that needs no synchronisation.
Tensor divisor(const char* op, Scalar number, const Tensor& a) {
  const Tensor b = detail::scalar_operand(op, number, a);
  refuse_zero(op, a, b, a.defined() && is_integer(promote(a.dtype(), b.dtype())) && number.to<std::int64_t>() == 0);
  return b;
}

}  // namespace

Tensor floor(const Tensor& x) { return apply(Floor{}, x); }
Tensor ceil(const Tensor& x) { return apply(Ceil{}, x); }
Tensor round(const Tensor& x) { return apply(Round{}, x); }
Tensor trunc(const Tensor& x) { return apply(Trunc{}, x); }
Tensor frac(const Tensor& x) { return apply(Frac{}, x); }
Tensor fmod(const Tensor& a, const Tensor& b) {
  check_divisor("fmod", a, b);
  return apply(Fmod{}, a, b);
}
Tensor remainder(const Tensor& a, const Tensor& b) {
  check_divisor("remainder", a, b);
  return apply(Remainder{}, a, b);
}
Tensor floor_divide(const Tensor& a, const Tensor& b) {
  check_divisor("floor_divide", a, b);
  return apply(FloorDivide{}, a, b);
}
Tensor fmod(const Tensor& a, Scalar b) { return fmod(a, divisor("fmod", b, a)); }
Tensor fmod(Scalar a, const Tensor& b) { return fmod(detail::scalar_operand("fmod", a, b), b); }
Tensor remainder(const Tensor& a, Scalar b) { return remainder(a, divisor("remainder", b, a)); }
Tensor remainder(Scalar a, const Tensor& b) { return remainder(detail::scalar_operand("remainder", a, b), b); }
Tensor floor_divide(const Tensor& a, Scalar b) { return floor_divide(a, divisor("floor_divide", b, a)); }
Tensor floor_divide(Scalar a, const Tensor& b) { return floor_divide(detail::scalar_operand("floor_divide", a, b), b); }

const Tensor& remainder_(const Tensor& x, const Tensor& y) {
  check_divisor("remainder", x, y);
  apply_in_place(Remainder{}, x, y);
  return x;
}
const Tensor& remainder_(const Tensor& x, Scalar y) { return remainder_(x, divisor("remainder", y, x)); }

}  // namespace minima
