#pragma once

#include <minima/tensor/tensor.h>

// Orthogonal polynomials of degree n, elementwise; x and n broadcast, integers compute in float32, half types round
// what double gives. n is rounded towards 0; those below 0 give 0, those above 100,000 NaN. Differentiable by x eight
// times, where PyTorch has no gradient. Included on its own, not by minima.h.
//   Tensor basis = chebyshev_polynomial_t(unsqueeze(x, -1), arange(8));   // [..., 8]

namespace minima {

/// Chebyshev's of the first kind: cos(n·θ) for x = cos θ.
MINIMA_API Tensor chebyshev_polynomial_t(const Tensor& x, const Tensor& n);
/// Chebyshev's of the second kind: sin((n + 1)·θ) / sin θ.
MINIMA_API Tensor chebyshev_polynomial_u(const Tensor& x, const Tensor& n);
/// Chebyshev's of the third kind: cos((n + ½)·θ) / cos(θ/2).
MINIMA_API Tensor chebyshev_polynomial_v(const Tensor& x, const Tensor& n);
/// Chebyshev's of the fourth kind: sin((n + ½)·θ) / sin(θ/2).
MINIMA_API Tensor chebyshev_polynomial_w(const Tensor& x, const Tensor& n);
/// Chebyshev's of the first kind of 2x - 1, for x in [0, 1].
MINIMA_API Tensor shifted_chebyshev_polynomial_t(const Tensor& x, const Tensor& n);
/// Chebyshev's of the second kind of 2x - 1.
MINIMA_API Tensor shifted_chebyshev_polynomial_u(const Tensor& x, const Tensor& n);
/// Chebyshev's of the third kind of 2x - 1.
MINIMA_API Tensor shifted_chebyshev_polynomial_v(const Tensor& x, const Tensor& n);
/// Chebyshev's of the fourth kind of 2x - 1.
MINIMA_API Tensor shifted_chebyshev_polynomial_w(const Tensor& x, const Tensor& n);
/// Hermite's, orthogonal by e^(-x²).
MINIMA_API Tensor hermite_polynomial_h(const Tensor& x, const Tensor& n);
/// Hermite's, orthogonal by e^(-x²/2).
MINIMA_API Tensor hermite_polynomial_he(const Tensor& x, const Tensor& n);
/// Laguerre's, orthogonal by e⁻ˣ for x ≥ 0.
MINIMA_API Tensor laguerre_polynomial_l(const Tensor& x, const Tensor& n);
/// Legendre's, orthogonal on [-1, 1].
MINIMA_API Tensor legendre_polynomial_p(const Tensor& x, const Tensor& n);

}  // namespace minima
