#pragma once

#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

namespace minima {

/// In training, sets each element to 0 with probability p and scales the others by 1 / (1 - p), which preserves the
/// expectation (Srivastava et al. 2014); otherwise returns x. A dropped NaN becomes 0 too.
///
/// Element i in row-major order is kept if the upper 24 bits of word i%4 of the Philox stream at offset + i/4 are below
/// (1 - p) · 2²⁴: the same mask for every dtype, layout, device and number of threads. A call advances the generator
/// (the default one if null) by ceil(n/4) counters, or none if p is 0 or 1. The mask is not saved; the gradient draws
/// it again. Differentiable to any order. Throws ValueError unless 0 ≤ p ≤ 1.
MINIMA_API Tensor dropout(const Tensor& x, double p, bool training = true, RandomGenerator* generator = nullptr);
/// Drops whole channels of x [N, C, …]: one decision for each of the N·C. In training, ShapeError for fewer dimensions.
MINIMA_API Tensor feature_dropout(const Tensor& x, double p, bool training = true,
                                  RandomGenerator* generator = nullptr);
/// Alpha dropout for selu (Klambauer et al., arXiv:1706.02515): dropped elements become -1.7581, selu's limit at -∞,
/// and an affine map restores mean 0 and variance 1.
MINIMA_API Tensor alpha_dropout(const Tensor& x, double p, bool training = true, RandomGenerator* generator = nullptr);
/// Alpha dropout of whole channels of x [N, C, …].
MINIMA_API Tensor feature_alpha_dropout(const Tensor& x, double p, bool training = true,
                                        RandomGenerator* generator = nullptr);

// Dropout of connected regions (Ghiasi et al., arXiv:1810.12890), torchvision.ops.drop_block2d and 3d.

/// In training, sets random squares of `block` × `block` elements of x [N, C, H, W] to 0, about a share p of all
/// elements, and scales the others to keep the mean of a constant; otherwise returns x. A block larger than x is cut to
/// it. Differentiable to any order. Throws ValueError unless 0 ≤ p ≤ 1 and block ≥ 1.
MINIMA_API Tensor drop_block2d(const Tensor& x, double p, std::int64_t block, bool training = true,
                               RandomGenerator* generator = nullptr);
/// The same with cubes in volumes x [N, C, D, H, W].
MINIMA_API Tensor drop_block3d(const Tensor& x, double p, std::int64_t block, bool training = true,
                               RandomGenerator* generator = nullptr);

}  // namespace minima
