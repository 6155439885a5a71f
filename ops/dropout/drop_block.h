#pragma once

#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

// Dropout of connected regions (Ghiasi et al., arXiv:1810.12890), torchvision.ops.drop_block2d and 3d. minima.h does
// not include this header.

namespace minima {

/// In training, sets random squares of `block` × `block` elements of x [N, C, H, W] to 0, about a share p of all
/// elements, and scales the others to keep the mean of a constant; otherwise returns x. A block larger than x is cut to
/// it. Differentiable to any order. Throws ValueError unless 0 ≤ p ≤ 1 and block ≥ 1.
MINIMA_API Tensor drop_block2d(const Tensor& x, double p, std::int64_t block, bool training = true,
                               RandomGenerator* generator = nullptr);
/// The same with cubes in volumes x [N, C, D, H, W].
MINIMA_API Tensor drop_block3d(const Tensor& x, double p, std::int64_t block, bool training = true,
                               RandomGenerator* generator = nullptr);

}  // namespace minima
