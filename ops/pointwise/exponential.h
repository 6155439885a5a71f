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

}  // namespace minima
