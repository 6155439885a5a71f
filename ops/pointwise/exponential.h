#pragma once

#include <minima/tensor/tensor.h>

// Element by element; integers compute in float32. Differentiable to any order.

namespace minima {

/// eˣ
MINIMA_API Tensor exp(const Tensor& x);
/// eˣ - 1, exact for small x too.
MINIMA_API Tensor expm1(const Tensor& x);
/// Natural logarithm: -inf at 0, NaN below.
MINIMA_API Tensor log(const Tensor& x);
/// log(1 + x), exact for small x too.
MINIMA_API Tensor log1p(const Tensor& x);
/// √x; NaN below 0.
MINIMA_API Tensor sqrt(const Tensor& x);
/// 1 / √x; inf at 0, NaN below.
MINIMA_API Tensor rsqrt(const Tensor& x);
/// The error function 2/√π ∫₀ˣ exp(-t²) dt.
MINIMA_API Tensor erf(const Tensor& x);
/// Of an angle in radians.
MINIMA_API Tensor sin(const Tensor& x);
/// Of an angle in radians.
MINIMA_API Tensor cos(const Tensor& x);
/// |x|; the gradient at 0 is 0.
MINIMA_API Tensor abs(const Tensor& x);
/// -1, 0 or 1. Its gradient is 0.
MINIMA_API Tensor sign(const Tensor& x);
/// x²
MINIMA_API Tensor square(const Tensor& x);
/// xʸ. The gradient by x at y = 0 is 0; by y at x = 0 it is 0 where y ≥ 0.
MINIMA_API Tensor pow(const Tensor& x, const Tensor& y);
MINIMA_API Tensor pow(const Tensor& x, Scalar y);
MINIMA_API Tensor pow(Scalar x, const Tensor& y);

}  // namespace minima
