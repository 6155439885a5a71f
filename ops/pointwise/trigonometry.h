#pragma once

#include <minima/tensor/tensor.h>

// Trigonometric and hyperbolic functions, powers and logarithms of other bases, element by element. Integers are
// computed in float32. Differentiable to any order. sin and cos: exponential.h; tanh: activation.h.

namespace minima {

/// The tangent.
MINIMA_API Tensor tan(const Tensor& x);
/// The angle in [-π/2, π/2] whose sine is x; NaN outside [-1, 1].
MINIMA_API Tensor asin(const Tensor& x);
/// The angle in [0, π] whose cosine is x; NaN outside [-1, 1].
MINIMA_API Tensor acos(const Tensor& x);
/// The angle in (-π/2, π/2) whose tangent is x.
MINIMA_API Tensor atan(const Tensor& x);
/// The angle of the point (x, y) in (-π, π], by the signs of both. The gradient at the origin is 0.
MINIMA_API Tensor atan2(const Tensor& y, const Tensor& x);
/// (eˣ - e⁻ˣ) / 2
MINIMA_API Tensor sinh(const Tensor& x);
/// (eˣ + e⁻ˣ) / 2
MINIMA_API Tensor cosh(const Tensor& x);
/// The inverse of sinh.
MINIMA_API Tensor asinh(const Tensor& x);
/// The inverse of cosh on [0, ∞); NaN below 1.
MINIMA_API Tensor acosh(const Tensor& x);
/// The inverse of tanh; ±∞ at ±1, NaN beyond.
MINIMA_API Tensor atanh(const Tensor& x);
/// 2ˣ
MINIMA_API Tensor exp2(const Tensor& x);
/// The logarithm to base 2.
MINIMA_API Tensor log2(const Tensor& x);
/// The logarithm to base 10.
MINIMA_API Tensor log10(const Tensor& x);
/// 1 / x
MINIMA_API Tensor reciprocal(const Tensor& x);
/// 1 - erf(x), exact where erf is near 1.
MINIMA_API Tensor erfc(const Tensor& x);
/// log(eᵃ + eᵇ) without overflow.
MINIMA_API Tensor logaddexp(const Tensor& a, const Tensor& b);

}  // namespace minima
