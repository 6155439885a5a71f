#pragma once

#include <minima/tensor/tensor.h>

// Exponentials, logarithms, powers and error functions, elementwise; integers compute in float32. Differentiable to any
// order.

namespace minima {

/// eˣ
MINIMA_API Tensor exp(const Tensor& x);
/// 2ˣ
MINIMA_API Tensor exp2(const Tensor& x);
/// eˣ - 1, accurate for small x.
MINIMA_API Tensor expm1(const Tensor& x);
/// Natural logarithm: -inf at 0, NaN below.
MINIMA_API Tensor log(const Tensor& x);
/// The logarithm to base 2.
MINIMA_API Tensor log2(const Tensor& x);
/// The logarithm to base 10.
MINIMA_API Tensor log10(const Tensor& x);
/// log(1 + x), accurate for small x.
MINIMA_API Tensor log1p(const Tensor& x);
/// log(eᵃ + eᵇ) without overflow.
MINIMA_API Tensor logaddexp(const Tensor& a, const Tensor& b);
/// log₂(2ᵃ + 2ᵇ) without overflow, floating.
MINIMA_API Tensor logaddexp2(const Tensor& a, const Tensor& b);
/// x·log(y), 0 where x is 0 and y is not NaN. Integers give float32. Where x is 0 and y ≤ 0, the gradients are 0.
MINIMA_API Tensor xlogy(const Tensor& x, const Tensor& y);
/// x·log(1 + y), 0 where x is 0 and y is not NaN.
MINIMA_API Tensor xlog1py(const Tensor& x, const Tensor& y);
/// -x·log(x); 0 at 0, -∞ below.
MINIMA_API Tensor entr(const Tensor& x);
/// log(x / (1 - x)), the inverse of sigmoid; if eps ≥ 0, x below eps counts as eps, else above 1 - eps as 1 - eps (for
/// eps > 0.5, every x is one of the two). Integers give float32.
MINIMA_API Tensor logit(const Tensor& x, double eps = -1);
/// √x; NaN below 0.
MINIMA_API Tensor sqrt(const Tensor& x);
/// 1 / √x; inf at 0, NaN below.
MINIMA_API Tensor rsqrt(const Tensor& x);
/// xʸ. The gradient by x at y = 0 is 0; by y at x = 0 it is 0 where y ≥ 0.
MINIMA_API Tensor pow(const Tensor& x, const Tensor& y);
MINIMA_API Tensor pow(const Tensor& x, Scalar y);
MINIMA_API Tensor pow(Scalar x, const Tensor& y);
/// The error function 2/√π ∫₀ˣ exp(-t²) dt.
MINIMA_API Tensor erf(const Tensor& x);
/// 1 - erf(x), accurate where erf is near 1.
MINIMA_API Tensor erfc(const Tensor& x);
/// The inverse of erf: ±∞ at ±1, NaN beyond.
MINIMA_API Tensor erfinv(const Tensor& x);
/// e^(x²)·erfc(x), which does not underflow.
MINIMA_API Tensor erfcx(const Tensor& x);
/// The logarithm of the standard normal distribution function.
MINIMA_API Tensor log_ndtr(const Tensor& x);
/// x·2ⁿ for whole or fractional n, also where 2ⁿ alone over- or underflows. Integers give float32.
MINIMA_API Tensor ldexp(const Tensor& x, const Tensor& n);
struct MantissaExponent {
  Tensor mantissa;  ///< ½ ≤ |m| < 1, or 0
  Tensor exponent;  ///< int32
};
/// x = m·2ᵉ for floating x. Zeros, infinities and NaN have exponent 0. The exponent has no gradient.
MINIMA_API MantissaExponent frexp(const Tensor& x);

// In place.
/// x = exp(x).
MINIMA_API const Tensor& exp_(const Tensor& x);
/// x = sqrt(x).
MINIMA_API const Tensor& sqrt_(const Tensor& x);

}  // namespace minima
