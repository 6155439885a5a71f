#pragma once

#include <minima/tensor/tensor.h>

// Activation functions, element by element on floating tensors. Differentiable to any order.

namespace minima {

/// max(x, 0); NaN stays NaN. The gradient at 0 is 0, and passes at NaN.
MINIMA_API Tensor relu(const Tensor& x);
/// x · Φ(x) with the normal distribution's Φ(x) = erfc(-x/√2) / 2 (Hendrycks & Gimpel, arXiv:1606.08415). Value and
/// gradient keep their digits far below 0.
MINIMA_API Tensor gelu(const Tensor& x);
/// The approximation of gelu x/2 · (1 + tanh(√(2/π) (x + 0.044715 x³))).
MINIMA_API Tensor gelu_tanh(const Tensor& x);
/// 1 / (1 + e⁻ˣ)
MINIMA_API Tensor sigmoid(const Tensor& x);
/// The hyperbolic tangent.
MINIMA_API Tensor tanh(const Tensor& x);
/// x · sigmoid(x)
MINIMA_API Tensor silu(const Tensor& x);

/// In place: x = max(x, 0).
MINIMA_API void relu_(const Tensor& x);

}  // namespace minima
