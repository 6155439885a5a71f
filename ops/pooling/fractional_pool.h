#pragma once

#include <minima/ops/core/pair.h>
#include <minima/ops/core/triple.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

// Max pooling with windows at random steps (Graham, arXiv:1412.6071), PyTorch's fractional_max_pool2d and 3d. The
// result has `size`; window i of a dimension with L elements, K of them in a window, begins at ⌊(i + s)·α⌋ - ⌊s·α⌋, α =
// (L - K) / (size - 1), and the last one at L - K. s is random for every channel and dimension. Floating dtypes.
// Differentiable to any order. minima.h does not include this header.

namespace minima {

struct FractionalMaxPool2dOptions {
  Pair kernel;
  Pair size;
  Tensor samples = {};  ///< s for width and height, in that order: [N, C, 2], in [0, 1); undefined: drawn
};
/// x [N, C, H, W] or [C, H, W] → [N, C, size] or [C, size].
///   Tensor y = fractional_max_pool2d(x, {.kernel = 2, .size = {20, 20}});
MINIMA_API Tensor fractional_max_pool2d(const Tensor& x, const FractionalMaxPool2dOptions& options,
                                        RandomGenerator* generator = nullptr);
/// The same with the position h · W + w of each maximum, int64.
MINIMA_API ValuesAndIndices fractional_max_pool2d_with_indices(const Tensor& x,
                                                               const FractionalMaxPool2dOptions& options,
                                                               RandomGenerator* generator = nullptr);

struct FractionalMaxPool3dOptions {
  Triple kernel;
  Triple size;
  Tensor samples = {};  ///< s for depth, height and width, in that order: [N, C, 3], in [0, 1); undefined: drawn
};
/// x [N, C, D, H, W] or [C, D, H, W] → [N, C, size] or [C, size].
MINIMA_API Tensor fractional_max_pool3d(const Tensor& x, const FractionalMaxPool3dOptions& options,
                                        RandomGenerator* generator = nullptr);
/// The same with the position (d · H + h) · W + w of each maximum, int64.
MINIMA_API ValuesAndIndices fractional_max_pool3d_with_indices(const Tensor& x,
                                                               const FractionalMaxPool3dOptions& options,
                                                               RandomGenerator* generator = nullptr);

}  // namespace minima
