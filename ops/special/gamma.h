#pragma once

#include <minima/tensor/tensor.h>

// The gamma function's logarithm, its derivatives, and functions that it is part of, elementwise; inputs broadcast,
// integers compute in float32. Differentiable to any order where nothing else is said.

namespace minima {

/// log |Γ(x)|; ∞ at 0 and negative integers.
MINIMA_API Tensor lgamma(const Tensor& x);
/// ψ(x) = Γ'(x) / Γ(x); NaN at negative integers, ∓∞ at ±0.
MINIMA_API Tensor digamma(const Tensor& x);
/// The n-th derivative of digamma; n ≥ 0.
MINIMA_API Tensor polygamma(std::int64_t n, const Tensor& x);
/// The logarithm of the gamma function of p x p matrices: p·(p - 1)/4·log π + Σ lgamma(x - i/2) over i < p.
MINIMA_API Tensor mvlgamma(const Tensor& x, std::int64_t p);
/// The regularised lower incomplete gamma function P(a, x) = ∫₀ˣ tᵃ⁻¹·e⁻ᵗ dt / Γ(a). A gradient by a is an
/// AutogradError.
MINIMA_API Tensor igamma(const Tensor& a, const Tensor& x);
/// The upper one, Q(a, x) = 1 - P(a, x).
MINIMA_API Tensor igammac(const Tensor& a, const Tensor& x);
/// Hurwitz's ζ(s, q) = Σ (q + k)⁻ˢ over k ≥ 0; ∞ for s = 1 and NaN below. A gradient by s is an AutogradError.
MINIMA_API Tensor zeta(const Tensor& s, const Tensor& q);

}  // namespace minima
