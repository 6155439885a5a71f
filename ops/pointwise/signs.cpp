#include <minima/ops/pointwise/arithmetic.h>

#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise.h>
#include <minima/ops/pointwise/functors/signs.h>

namespace minima {

namespace functor = pointwise::functor;

namespace {

template <class Self, class F>
using RealBinary = Binary<Self, F, full_floating, ResultType::floating>;

struct Hypot : RealBinary<Hypot, functor::Hypot> {
  static constexpr Traits traits{.name = "hypot"};
  Gradients<2> gradient(Grad g, Input<0> a, Input<1> b, Output y, Needs needs) const {
    return {needs[0] ? g * (a / y) : Tensor(), needs[1] ? g * (b / y) : Tensor()};
  }
};

struct CopySign : RealBinary<CopySign, functor::CopySign> {
  static constexpr Traits traits{.name = "copysign"};
  Gradients<2> gradient(Grad g, Input<0> a, Output y, Needs needs) const {
    return {needs[0] ? g * (sign(a) * sign(y)) : Tensor(), needs[1] ? zeros_like(g) : Tensor()};
  }
};

struct SignBit : Unary<SignBit, functor::SignBit, all_types, ResultType::boolean> {
  static constexpr Traits traits{.name = "signbit"};
};

struct NextAfter : Binary<NextAfter, functor::NextAfter, full_floating> {
  static constexpr Traits traits{.name = "nextafter"};
  // The loop would compute half types in float32, whose neighbours are others.
  TensorSpec result(const Tensor& a, const Tensor& b) const {
    for (const Tensor* x : {&a, &b})
      if (x->dtype() != DType::float32 && x->dtype() != DType::float64)
        throw DTypeError(str("nextafter: needs float32 or float64, got ", *x, "; convert it with to()"));
    return Binary::result(a, b);
  }
};

}  // namespace

Tensor hypot(const Tensor& a, const Tensor& b) { return apply(Hypot{}, a, b); }
Tensor copysign(const Tensor& a, const Tensor& b) { return apply(CopySign{}, a, b); }
Tensor signbit(const Tensor& x) { return apply(SignBit{}, x); }
Tensor nextafter(const Tensor& a, const Tensor& b) { return apply(NextAfter{}, a, b); }

}  // namespace minima
