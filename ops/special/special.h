#pragma once

#include <minima/tensor/tensor.h>

// Special functions and functions of a number's sign, elementwise; integers compute in float32. Differentiable to any
// order where nothing else is said.

namespace minima {

/// √(a² + b²) without overflow.
MINIMA_API Tensor hypot(const Tensor& a, const Tensor& b);
/// |a| with the sign of b, also that of -0. The derivative by b, and that by a at 0, is 0.
MINIMA_API Tensor copysign(const Tensor& a, const Tensor& b);
/// Whether x is negative or -0: bool, without gradient. All dtypes.
MINIMA_API Tensor signbit(const Tensor& x);
/// The next number after a in the direction of b, without gradient; float32 or float64.
MINIMA_API Tensor nextafter(const Tensor& a, const Tensor& b);
/// The inverse of erf: ±∞ at ±1, NaN beyond.
MINIMA_API Tensor erfinv(const Tensor& x);
/// log |Γ(x)|; ∞ at 0 and negative integers.
MINIMA_API Tensor lgamma(const Tensor& x);
/// ψ(x) = Γ'(x) / Γ(x); NaN at negative integers, ∓∞ at ±0.
MINIMA_API Tensor digamma(const Tensor& x);
/// The n-th derivative of digamma; n ≥ 0.
MINIMA_API Tensor polygamma(std::int64_t n, const Tensor& x);
/// The modified Bessel function of the first kind of order 0.
MINIMA_API Tensor i0(const Tensor& x);
/// The same of order 1.
MINIMA_API Tensor i1(const Tensor& x);

}  // namespace minima
