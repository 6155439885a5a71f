#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/complex/complex.h>
#include <minima/ops/complex/functors.h>
#include <minima/ops/complex/host.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/core/complex_ops.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/complex/parts.h>

#include <cstdint>

namespace minima {

namespace functor = pointwise::functor;
using detail::copy_values;
using detail::part_of;
using detail::parts_of;

namespace {

/// The dtype of an operation on both, at least one of which is complex.
DType complex_result(const Tensor& a, const Tensor& b) {
  const Tensor* both[] = {&a, &b};
  return detail::promoted(both, 2);
}

template <class Op>
Tensor binary(const Op& op, const Tensor& a, const Tensor& b) {
  detail::check_defined(Op::traits.name, a);
  detail::check_defined(Op::traits.name, b, 1);
  const DType dtype = complex_result(a, b);
  return apply(op, cast(a, dtype), cast(b, dtype));
}

template <class Op>
void in_place(const Op& op, const Tensor& x, const Tensor& y) {
  detail::check_defined(Op::traits.name, x);
  detail::check_defined(Op::traits.name, y, 1);
  apply_in_place(op, x, is_complex(x.dtype()) ? cast(y, x.dtype()) : y);
}

struct ComplexAdd : detail::ComplexBinary<ComplexAdd, functor::ComplexAdd> {
  static constexpr Traits traits{.name = "add"};
  void cuda(const Tensor& a, const Tensor& b, Tensor& y) const { copy_values(parts_of(a) + parts_of(b), parts_of(y)); }
  Gradients<2> gradient(Grad g) const { return {g, g}; }
};

struct ComplexSub : detail::ComplexBinary<ComplexSub, functor::ComplexSub> {
  static constexpr Traits traits{.name = "sub"};
  void cuda(const Tensor& a, const Tensor& b, Tensor& y) const { copy_values(parts_of(a) - parts_of(b), parts_of(y)); }
  Gradients<2> gradient(Grad g, Needs needs) const { return {g, needs[1] ? -g : Tensor()}; }
};

struct ComplexMul : detail::ComplexBinary<ComplexMul, functor::ComplexMul> {
  static constexpr Traits traits{.name = "mul"};
  void cuda(const Tensor& a, const Tensor& b, Tensor& y) const {
    const Tensor ar = part_of(a, 0), ai = part_of(a, 1), br = part_of(b, 0), bi = part_of(b, 1);
    const Tensor re = ar * br - ai * bi, im = ar * bi + ai * br;
    copy_values(re, part_of(y, 0));
    copy_values(im, part_of(y, 1));
  }
  Gradients<2> gradient(Grad g, Input<0, 1> a, Input<1, 0> b, Needs needs) const {
    return {needs[0] ? g * conj(b) : Tensor(), needs[1] ? g * conj(a) : Tensor()};
  }
};

struct ComplexDiv : detail::ComplexBinary<ComplexDiv, functor::ComplexDiv> {
  static constexpr Traits traits{.name = "div"};
  Gradients<2> gradient(Grad g, Input<0, 1> a, Input<1> b, Needs needs) const {
    const Tensor by_a = g / conj(b);
    return {needs[0] ? by_a : Tensor(), needs[1] ? -(by_a * conj(a / b)) : Tensor()};
  }
};

struct ComplexNeg : detail::ComplexUnary<ComplexNeg, functor::ComplexNeg> {
  static constexpr Traits traits{.name = "neg"};
  void cuda(const Tensor& x, Tensor& y) const { copy_values(-parts_of(x), parts_of(y)); }
  Tensor gradient(Grad g) const { return -g; }
};

struct ComplexConj : detail::ComplexUnary<ComplexConj, functor::ComplexConj> {
  static constexpr Traits traits{.name = "conj"};
  void cuda(const Tensor& x, Tensor& y) const {
    copy_values(part_of(x, 0), part_of(y, 0));
    copy_values(-part_of(x, 1), part_of(y, 1));
  }
  Tensor gradient(Grad g) const { return conj(g); }
};

struct ComplexEqual : detail::ComplexBinary<ComplexEqual, functor::ComplexEqual, ResultType::boolean> {
  static constexpr Traits traits{.name = "eq"};
};
struct ComplexNotEqual : detail::ComplexBinary<ComplexNotEqual, functor::ComplexNotEqual, ResultType::boolean> {
  static constexpr Traits traits{.name = "ne"};
};

struct ComplexAbs {
  static constexpr Traits traits{.name = "abs"};
  TensorSpec result(const Tensor& x) const {
    return {Layout::dense_like(x.layout()), real_dtype(x.dtype()), x.device()};
  }
  Cost cost(const Tensor& x) const {
    const auto count = static_cast<double>(x.numel());
    return {.flops = 4 * count, .bytes = 1.5 * count * static_cast<double>(x.itemsize())};
  }
  void cpu(const Tensor& x, Tensor& y) const {
    dispatch<complex_types>(x.dtype(), traits.name, [&]<class T> {
      pointwise::loop<typename T::Value, T>(functor::ComplexAbs{}, {y.raw_data(), y.layout(), y.dtype()},
                                            pointwise::Operand{x.raw_data(), x.layout(), x.dtype()});
    });
  }
  void cuda(const Tensor& x, Tensor& y) const { detail::run_on_host(*this, y, x); }
  Tensor gradient(Grad g, Input<0> x, Output y) const {
    const Tensor zero = y == 0;
    return where(zero, 0, g / where(zero, 1, y)) * x;
  }
};

/// a where the condition is true, else b, part by part.
struct ComplexWhere {
  static constexpr Traits traits{.name = "where"};
  TensorSpec result(const Tensor& condition, const Tensor& a, const Tensor& b) const {
    const Tensor* all[] = {&condition, &a, &b};
    TensorSpec spec = detail::pointwise_spec(traits.name, all, 3, ResultType::same);
    spec.dtype = a.dtype();
    return spec;
  }
  Cost cost(const Tensor& condition, const Tensor& a, const Tensor& b) const {
    const TensorSpec y = result(condition, a, b);
    return {.bytes = static_cast<double>(y.numel()) * (1 + 3 * static_cast<double>(size_of(y.dtype)))};
  }
  void cpu(const Tensor& condition, const Tensor& a, const Tensor& b, Tensor& y) const { run(condition, a, b, y); }
  void cuda(const Tensor& condition, const Tensor& a, const Tensor& b, Tensor& y) const { run(condition, a, b, y); }
  Gradients<3> gradient(Grad g, Input<0> condition, Needs needs) const {
    const Tensor zero = complex_ops::number(g, 0);
    return {Tensor(), needs[1] ? where(condition, g, zero) : Tensor(), needs[2] ? where(condition, zero, g) : Tensor()};
  }

 private:
  static void run(const Tensor& condition, const Tensor& a, const Tensor& b, Tensor& y) {
    copy_values(where(unsqueeze(condition, -1), parts_of(a), parts_of(b)), parts_of(y));
  }
};

struct ComplexFill {
  static constexpr Traits traits{.name = "fill_"};
  Scalar value;
  void list_attributes(detail::AttributeVisitor& visitor) const { visitor.number("value", value.to<double>()); }
  TensorSpec result(const Tensor& x) const { return describe(x); }
  Cost cost(const Tensor& x) const {
    return {.bytes = static_cast<double>(x.numel()) * static_cast<double>(x.itemsize())};
  }
  void cpu(const Tensor&, Tensor& y) const { run(y); }
  void cuda(const Tensor&, Tensor& y) const { run(y); }
  Tensor gradient(Grad) const { return {}; }

 private:
  void run(Tensor& y) const {
    fill_(part_of(y, 0), value);
    fill_(part_of(y, 1), 0);
  }
};

}  // namespace

Tensor conj(const Tensor& x) {
  detail::check_defined("conj", x);
  return is_complex(x) ? apply(ComplexConj{}, x) : x;
}

Tensor sgn(const Tensor& x) {
  detail::check_defined("sgn", x);
  if (!is_complex(x)) return sign(x);
  const Tensor size = abs(x), zero = size == 0;
  return where(zero, 0, 1 / where(zero, 1, size)) * x;
}

namespace complex_ops {

Tensor number(const Tensor& x, Scalar value) {
  return scalar_tensor(value, {.dtype = complex_dtype(x.dtype()), .device = x.device()});
}

Tensor add(const Tensor& a, const Tensor& b) { return binary(ComplexAdd{}, a, b); }
Tensor sub(const Tensor& a, const Tensor& b) { return binary(ComplexSub{}, a, b); }
Tensor mul(const Tensor& a, const Tensor& b) { return binary(ComplexMul{}, a, b); }
Tensor div(const Tensor& a, const Tensor& b) { return binary(ComplexDiv{}, a, b); }
Tensor add(const Tensor& a, Scalar b) { return binary(ComplexAdd{}, a, number(a, b)); }
Tensor mul(const Tensor& a, Scalar b) { return binary(ComplexMul{}, a, number(a, b)); }
Tensor neg(const Tensor& x) { return apply(ComplexNeg{}, x); }
Tensor abs(const Tensor& x) { return apply(ComplexAbs{}, x); }
Tensor reciprocal(const Tensor& x) { return binary(ComplexDiv{}, number(x, 1), x); }
Tensor square(const Tensor& x) { return binary(ComplexMul{}, x, x); }
Tensor eq(const Tensor& a, const Tensor& b) { return binary(ComplexEqual{}, a, b); }
Tensor ne(const Tensor& a, const Tensor& b) { return binary(ComplexNotEqual{}, a, b); }

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  for (int i = 0; const Tensor* x : {&condition, &a, &b}) detail::check_defined("where", *x, i++);
  if (condition.dtype() != boolean)
    throw DTypeError(str("where: the condition must be bool, got ", condition, "; compare it with something"));
  const DType dtype = complex_result(a, b);
  return apply(ComplexWhere{}, condition, cast(a, dtype), cast(b, dtype));
}

void add_(const Tensor& x, const Tensor& y) { in_place(ComplexAdd{}, x, y); }
void sub_(const Tensor& x, const Tensor& y) { in_place(ComplexSub{}, x, y); }
void mul_(const Tensor& x, const Tensor& y) { in_place(ComplexMul{}, x, y); }
void div_(const Tensor& x, const Tensor& y) { in_place(ComplexDiv{}, x, y); }
void fill_(const Tensor& x, Scalar value) { apply_in_place(ComplexFill{value}, x); }

}  // namespace complex_ops

}  // namespace minima
