#pragma once

#include <minima/tensor/tensor.h>

// Special functions of statistics, elementwise; inputs broadcast, integers compute in float32. Differentiable to any
// order where nothing else is said. Included on its own, not by minima.h.

namespace minima {

/// -x·log(x); 0 at 0, -∞ below.
MINIMA_API Tensor entr(const Tensor& x);
/// e^(x²)·erfc(x), which does not underflow.
MINIMA_API Tensor erfcx(const Tensor& x);
/// The logarithm of the standard normal distribution function.
MINIMA_API Tensor log_ndtr(const Tensor& x);
/// x·log(1 + y), 0 where x is 0 and y is not NaN.
MINIMA_API Tensor xlog1py(const Tensor& x, const Tensor& y);
/// Hurwitz's ζ(s, q) = Σ (q + k)⁻ˢ over k ≥ 0; ∞ for s = 1 and NaN below. A gradient by s is an AutogradError.
MINIMA_API Tensor zeta(const Tensor& s, const Tensor& q);
/// The regularised lower incomplete gamma function P(a, x) = ∫₀ˣ tᵃ⁻¹·e⁻ᵗ dt / Γ(a). A gradient by a is an
/// AutogradError.
MINIMA_API Tensor igamma(const Tensor& a, const Tensor& x);
/// The upper one, Q(a, x) = 1 - P(a, x).
MINIMA_API Tensor igammac(const Tensor& a, const Tensor& x);
/// The logarithm of the gamma function of p x p matrices: p·(p - 1)/4·log π + Σ lgamma(x - i/2) over i < p.
MINIMA_API Tensor mvlgamma(const Tensor& x, std::int64_t p);

}  // namespace minima
