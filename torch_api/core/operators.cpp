#include <minima/ops/copy/copy.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/bitwise.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/rounding.h>

#include <core/operands.h>
#include <torch/core/memory_order.h>
#include <torch/core/tensor.h>

namespace at {

minima::Tensor scalar_like(const Scalar& value, const Tensor& like) {
  const minima::TensorOptions options{.dtype = like.native().dtype(), .device = like.native().device()};
  if (!value.isComplex()) return minima::scalar_tensor(value.native(), options);
  const auto number = value.to<c10::complex<double>>();
  const minima::Complex<double> native{number.real(), number.imag()};
  return minima::cast(minima::from_values(&native, 1, {}, options.device), minima::complex_dtype(options.dtype));
}

minima::Tensor floating_operand(const Tensor& x) {
  const ScalarType wanted = get_default_dtype_as_scalartype();
  if (wanted == kFloat || minima::is_differentiable(x.native().dtype())) return x;
  return minima::cast(x, c10::native(wanted));
}

namespace {

bool raises_to_default(const Tensor& x, const Scalar& number) {
  return number.isFloatingPoint() && !minima::is_differentiable(x.native().dtype());
}

/// The number's category may raise the tensor's dtype.
minima::Tensor operand(const Tensor& x, const Scalar& number) {
  return raises_to_default(x, number) ? floating_operand(x) : x.native();
}

template <class F>
Tensor with_scalar(const Tensor& x, const Scalar& number, F f) {
  if (number.isComplex()) return follow_order(f(x.native(), scalar_like(number, x)), x);
  return follow_order(f(operand(x, number), number.native()), x);
}

}  // namespace

// minima's function, and the one with the number on the left.
#define MINIMA_TORCH_BINARY(op, function, reversed)                                                        \
  Tensor operator op(const Tensor& a, const Tensor& b) { return follow_order(minima::function(a, b), a); } \
  Tensor operator op(const Tensor& a, const Scalar& b) {                                                   \
    return with_scalar(a, b, [](const auto& x, const auto& y) { return minima::function(x, y); });         \
  }                                                                                                        \
  Tensor operator op(const Scalar& a, const Tensor& b) {                                                   \
    return with_scalar(b, a, [](const auto& x, const auto& y) { return reversed; });                       \
  }
MINIMA_TORCH_BINARY(+, add, minima::add(x, y))
MINIMA_TORCH_BINARY(-, sub, minima::sub(y, x))
MINIMA_TORCH_BINARY(*, mul, minima::mul(x, y))
MINIMA_TORCH_BINARY(%, remainder, minima::remainder(y, x))
MINIMA_TORCH_BINARY(==, eq, minima::eq(x, y))
MINIMA_TORCH_BINARY(!=, ne, minima::ne(x, y))
MINIMA_TORCH_BINARY(<, lt, minima::gt(x, y))
MINIMA_TORCH_BINARY(<=, le, minima::ge(x, y))
MINIMA_TORCH_BINARY(>, gt, minima::lt(x, y))
MINIMA_TORCH_BINARY(>=, ge, minima::le(x, y))
#undef MINIMA_TORCH_BINARY

Tensor operator/(const Tensor& a, const Tensor& b) {
  return follow_order(minima::div(minima::is_differentiable(b.native().dtype()) ? a.native() : floating_operand(a), b),
                      a);
}
Tensor operator/(const Tensor& a, const Scalar& b) {
  if (b.isComplex()) return minima::div(a, scalar_like(b, a));
  return follow_order(minima::div(floating_operand(a), b.native()), a);
}
Tensor operator/(const Scalar& a, const Tensor& b) {
  if (a.isComplex()) return minima::div(scalar_like(a, b), b);
  return follow_order(minima::div(a.native(), floating_operand(b)), b);
}

#define MINIMA_TORCH_BITWISE(op, function)                                                         \
  Tensor operator op(const Tensor& a, const Tensor& b) { return minima::function(a, b); }          \
  Tensor operator op(const Tensor& a, const Scalar& b) { return minima::function(a, b.native()); } \
  Tensor operator op(const Scalar& a, const Tensor& b) { return minima::function(b, a.native()); } \
  Tensor& Tensor::operator op##=(const Tensor & other) {                                           \
    minima::function##_(tensor_, other);                                                           \
    return *this;                                                                                  \
  }
MINIMA_TORCH_BITWISE(&, bitwise_and)
MINIMA_TORCH_BITWISE(|, bitwise_or)
MINIMA_TORCH_BITWISE(^, bitwise_xor)
#undef MINIMA_TORCH_BITWISE

Tensor Tensor::operator~() const { return minima::bitwise_not(tensor_); }
Tensor Tensor::operator-() const { return follow_order(minima::neg(tensor_), *this); }

#define MINIMA_TORCH_IN_PLACE(op, function, with_number)                         \
  Tensor& Tensor::operator op(const Tensor & other) {                            \
    minima::function(tensor_, other);                                            \
    return *this;                                                                \
  }                                                                              \
  Tensor& Tensor::operator op(const Scalar & other) {                            \
    if (other.isComplex()) minima::function(tensor_, scalar_like(other, *this)); \
    else with_number;                                                            \
    return *this;                                                                \
  }
MINIMA_TORCH_IN_PLACE(+=, add_, minima::add_(tensor_, other.native()))
MINIMA_TORCH_IN_PLACE(-=, sub_, tensor_ -= other.native())
MINIMA_TORCH_IN_PLACE(*=, mul_, minima::mul_(tensor_, other.native()))
MINIMA_TORCH_IN_PLACE(/=, div_, minima::div_(tensor_, other.native()))
#undef MINIMA_TORCH_IN_PLACE

}  // namespace at
