#pragma once

#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

// Activation functions, elementwise on floating tensors. Differentiable to any order; where a formula has a corner, the
// derivative there is PyTorch's. At NaN the derivative of hardtanh, relu6, hardsigmoid and the shrink functions is 0,
// that of the others follows the formula. tanh is in trigonometry.h.

namespace minima {

/// max(x, 0); NaN stays NaN. The gradient is 0 at 0 and passes through at NaN.
MINIMA_API Tensor relu(const Tensor& x);
/// x · Φ(x) with the normal distribution's Φ(x) = erfc(-x/√2) / 2 (Hendrycks & Gimpel, arXiv:1606.08415). Value and
/// gradient stay accurate far below 0.
MINIMA_API Tensor gelu(const Tensor& x);
/// Approximates gelu by x/2 · (1 + tanh(√(2/π) (x + 0.044715 x³))).
MINIMA_API Tensor gelu_tanh(const Tensor& x);
/// 1 / (1 + e⁻ˣ)
MINIMA_API Tensor sigmoid(const Tensor& x);
/// x · sigmoid(x)
MINIMA_API Tensor silu(const Tensor& x);
/// x where x > 0, slope · x elsewhere (Maas et al. 2013).
MINIMA_API Tensor leaky_relu(const Tensor& x, double slope = 0.01);
/// leaky_relu with a slope per element, uniform on [lower, upper), in training; with their mean otherwise.
MINIMA_API Tensor rrelu(const Tensor& x, double lower = 1. / 8, double upper = 1. / 3, bool training = false,
                        RandomGenerator* generator = nullptr);
/// x where x > 0, α (eˣ - 1) elsewhere (Clevert et al., arXiv:1511.07289).
MINIMA_API Tensor elu(const Tensor& x, double alpha = 1);
/// 1.0507… · elu(x, 1.6732…), whose fixed point is mean 0 and variance 1 (Klambauer et al., arXiv:1706.02515).
MINIMA_API Tensor selu(const Tensor& x);
/// x where x > 0, α (e^(x/α) - 1) elsewhere (Barron, arXiv:1704.07483).
MINIMA_API Tensor celu(const Tensor& x, double alpha = 1);
/// log(1 + e^(βx)) / β; x itself where βx > threshold.
MINIMA_API Tensor softplus(const Tensor& x, double beta = 1, double threshold = 20);
/// x · tanh(softplus(x)) (Misra, arXiv:1908.08681).
MINIMA_API Tensor mish(const Tensor& x);
/// x · clamp(x + 3, 0, 6) / 6 (Howard et al., arXiv:1905.02244).
MINIMA_API Tensor hardswish(const Tensor& x);
/// clamp(x + 3, 0, 6) / 6
MINIMA_API Tensor hardsigmoid(const Tensor& x);
/// clamp(x, low, high), with derivative 0 at both bounds. Throws ValueError unless low ≤ high.
MINIMA_API Tensor hardtanh(const Tensor& x, double low = -1, double high = 1);
/// hardtanh(x, 0, 6)
MINIMA_API Tensor relu6(const Tensor& x);
/// relu(x)², the activation of Primer (So et al. 2021) and of many language models since.
MINIMA_API Tensor relu_squared(const Tensor& x);
/// x / (1 + |x|)
MINIMA_API Tensor softsign(const Tensor& x);
/// log(sigmoid(x)) without underflow: min(x, 0) - log(1 + e^(-|x|)).
MINIMA_API Tensor log_sigmoid(const Tensor& x);
/// x where |x| > λ, 0 elsewhere.
MINIMA_API Tensor hardshrink(const Tensor& x, double lambda = 0.5);
/// x moved towards 0 by λ, 0 where |x| ≤ λ. Throws ValueError for λ < 0.
MINIMA_API Tensor softshrink(const Tensor& x, double lambda = 0.5);
/// x - tanh(x), floating.
MINIMA_API Tensor tanhshrink(const Tensor& x);
/// x where x > limit, `value` elsewhere.
MINIMA_API Tensor threshold(const Tensor& x, Scalar limit, Scalar value);
/// x where x > 0, weight · x elsewhere, with one weight, or one per channel (dimension 1 of x; of a vector, dimension
/// 0) (He et al., arXiv:1502.01852). Throws ShapeError for a weight of another size.
MINIMA_API Tensor prelu(const Tensor& x, const Tensor& weight);
/// a · sigmoid(b) where a and b are the halves of x along `dim` (Dauphin et al., arXiv:1612.08083). Throws ShapeError
/// for an odd size.
MINIMA_API Tensor glu(const Tensor& x, std::int64_t dim = -1);
/// silu(gate) · x, the gated unit of Llama's feed-forward layers (Shazeer, arXiv:2002.05202); shapes broadcast.
MINIMA_API Tensor swiglu(const Tensor& gate, const Tensor& x);

// In place.
MINIMA_API const Tensor& relu_(const Tensor& x);
MINIMA_API const Tensor& leaky_relu_(const Tensor& x, double slope = 0.01);
MINIMA_API const Tensor& elu_(const Tensor& x, double alpha = 1);
/// x = sigmoid(x)
MINIMA_API const Tensor& sigmoid_(const Tensor& x);

}  // namespace minima
