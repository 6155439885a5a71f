#pragma once

#include <minima/tensor/tensor.h>

// Trigonometric and hyperbolic functions and their inverses, elementwise. Angles are in radians. Integers compute in
// float32; tanh takes floating tensors only. Differentiable to any order.

namespace minima {

/// The sine.
MINIMA_API Tensor sin(const Tensor& x);
/// The cosine.
MINIMA_API Tensor cos(const Tensor& x);
/// The tangent.
MINIMA_API Tensor tan(const Tensor& x);
/// The angle in [-π/2, π/2] whose sine is x; NaN outside [-1, 1].
MINIMA_API Tensor asin(const Tensor& x);
/// The angle in [0, π] whose cosine is x; NaN outside [-1, 1].
MINIMA_API Tensor acos(const Tensor& x);
/// The angle in (-π/2, π/2) whose tangent is x.
MINIMA_API Tensor atan(const Tensor& x);
/// The angle of the point (x, y) in (-π, π], from the signs of both. The gradient at the origin is 0.
MINIMA_API Tensor atan2(const Tensor& y, const Tensor& x);
/// (eˣ - e⁻ˣ) / 2
MINIMA_API Tensor sinh(const Tensor& x);
/// (eˣ + e⁻ˣ) / 2
MINIMA_API Tensor cosh(const Tensor& x);
/// sinh(x) / cosh(x)
MINIMA_API Tensor tanh(const Tensor& x);
/// The inverse of sinh.
MINIMA_API Tensor asinh(const Tensor& x);
/// The inverse of cosh on [0, ∞); NaN below 1.
MINIMA_API Tensor acosh(const Tensor& x);
/// The inverse of tanh; ±∞ at ±1, NaN beyond.
MINIMA_API Tensor atanh(const Tensor& x);
/// sin(πx) / (πx), 1 at 0. Integers give float32.
MINIMA_API Tensor sinc(const Tensor& x);
/// Degrees to radians. Integers give float32.
MINIMA_API Tensor deg2rad(const Tensor& x);
/// Radians to degrees. Integers give float32.
MINIMA_API Tensor rad2deg(const Tensor& x);

/// x = tanh(x).
MINIMA_API const Tensor& tanh_(const Tensor& x);

}  // namespace minima
