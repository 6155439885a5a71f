#pragma once

#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

namespace minima {

/// While training, sets each element to 0 with probability p and scales the others by 1 / (1 - p), so that the
/// expectation stays (Srivastava et al. 2014); otherwise x itself. What is dropped is 0 even if it was NaN.
///
/// Element i in row-major order is kept where word i%4 of the Philox stream at offset + i/4, without its lowest 8 bits,
/// is below (1 - p) · 2²⁴: one mask for every dtype, layout, device and number of threads. A call uses up ceil(n/4)
/// counters of the generator (none given: the default one), none where p is 0 or 1. The mask is not saved; its gradient
/// draws it again. Differentiable to any order. Throws ValueError unless 0 ≤ p ≤ 1.
MINIMA_API Tensor dropout(const Tensor& x, double p, bool training = true, RandomGenerator* generator = nullptr);
/// The same for whole channels of x [N, C, …]: one decision for each of the N·C.
MINIMA_API Tensor feature_dropout(const Tensor& x, double p, bool training = true,
                                  RandomGenerator* generator = nullptr);
/// Keeps mean 0 and variance 1, for selu (Klambauer et al., arXiv:1706.02515): what is dropped becomes selu's limit at
/// -∞, -1.7581, and all is scaled and shifted by what makes good for it.
MINIMA_API Tensor alpha_dropout(const Tensor& x, double p, bool training = true, RandomGenerator* generator = nullptr);
/// The same for whole channels of x [N, C, …].
MINIMA_API Tensor feature_alpha_dropout(const Tensor& x, double p, bool training = true,
                                        RandomGenerator* generator = nullptr);

}  // namespace minima
