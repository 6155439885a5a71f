#pragma once

#include <minima/tensor/tensor.h>

// Trigonometric and hyperbolic functions, powers and logarithms of other bases, element by element. Integers are computed
// in float32. Differentiable to any order. sin and cos: exponential.h; tanh: activation.h.

namespace minima {

MINIMA_API Tensor tan(const Tensor& x);
MINIMA_API Tensor asin(const Tensor& x);
MINIMA_API Tensor acos(const Tensor& x);
MINIMA_API Tensor atan(const Tensor& x);
/// The angle of the point (x, y) in (-π, π], by the signs of both.
MINIMA_API Tensor atan2(const Tensor& y, const Tensor& x);
MINIMA_API Tensor sinh(const Tensor& x);
MINIMA_API Tensor cosh(const Tensor& x);
MINIMA_API Tensor asinh(const Tensor& x);
MINIMA_API Tensor acosh(const Tensor& x);
MINIMA_API Tensor atanh(const Tensor& x);
/// 2ˣ
MINIMA_API Tensor exp2(const Tensor& x);
MINIMA_API Tensor log2(const Tensor& x);
MINIMA_API Tensor log10(const Tensor& x);
/// 1 / x
MINIMA_API Tensor reciprocal(const Tensor& x);
/// 1 - erf(x), exact where erf is near 1.
MINIMA_API Tensor erfc(const Tensor& x);
/// log(eᵃ + eᵇ) without overflow.
MINIMA_API Tensor logaddexp(const Tensor& a, const Tensor& b);

}  // namespace minima
