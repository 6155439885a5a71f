#pragma once

#include <minima/tensor/tensor.h>

// Bessel and Airy functions, elementwise; integers compute in float32, half types round what double gives.
// Differentiable to any order, also where PyTorch has no gradient. Included on its own, not by minima.h.

namespace minima {

/// The Bessel function of the first kind of order 0.
MINIMA_API Tensor bessel_j0(const Tensor& x);
/// The same of order 1.
MINIMA_API Tensor bessel_j1(const Tensor& x);
/// The Bessel function of the second kind of order 0: -∞ at 0, NaN below.
MINIMA_API Tensor bessel_y0(const Tensor& x);
/// The same of order 1.
MINIMA_API Tensor bessel_y1(const Tensor& x);
/// The modified Bessel function of the first kind of order 0.
MINIMA_API Tensor i0(const Tensor& x);
/// The same of order 1.
MINIMA_API Tensor i1(const Tensor& x);
/// e^(-|x|)·I₀(x), which does not overflow.
MINIMA_API Tensor i0e(const Tensor& x);
/// e^(-|x|)·I₁(x).
MINIMA_API Tensor i1e(const Tensor& x);
/// The modified Bessel function of the second kind of order 0: ∞ at 0, NaN below.
MINIMA_API Tensor modified_bessel_k0(const Tensor& x);
/// The same of order 1.
MINIMA_API Tensor modified_bessel_k1(const Tensor& x);
/// eˣ·K₀(x), which does not underflow.
MINIMA_API Tensor scaled_modified_bessel_k0(const Tensor& x);
/// eˣ·K₁(x).
MINIMA_API Tensor scaled_modified_bessel_k1(const Tensor& x);
/// sin(x) / x, 1 at 0.
MINIMA_API Tensor spherical_bessel_j0(const Tensor& x);
/// The Airy function Ai, which solves y″ = x·y and vanishes at ∞.
MINIMA_API Tensor airy_ai(const Tensor& x);

}  // namespace minima
