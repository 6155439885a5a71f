#pragma once

#include <minima/ops/core/pair.h>
#include <minima/ops/core/triple.h>
#include <minima/tensor/tensor.h>

// The partial inverse of max pooling: every element goes to the position of the maximum that it was, all others are 0.
// `indices` is what max_pool1d_with_indices, max_pool2d_with_indices or max_pool3d_with_indices returned; if windows
// overlap, so that indices repeat, the last element wins, and the others, which the result does not depend on, have
// gradient 0; PyTorch passes them the winner's. Any dtype. Differentiable to any order. Throws IndexError for an index
// outside the result.

namespace minima {

struct MaxUnpool1dOptions {
  std::int64_t kernel;
  std::int64_t stride = kernel;
  std::int64_t padding = 0;
  /// The spatial sizes of the result, where pooling may have dropped elements; default:
  /// (L - 1)·stride - 2·padding + kernel.
  Shape size{};
};
/// x and indices [N, C, L'] or [C, L'] → [N, C, L] or [C, L].
MINIMA_API Tensor max_unpool1d(const Tensor& x, const Tensor& indices, const MaxUnpool1dOptions& options);

struct MaxUnpool2dOptions {
  Pair kernel;
  Pair stride = kernel;
  Pair padding = 0;
  Shape size{};  ///< {H, W}, as in max_unpool1d
};
/// x and indices [N, C, H', W'] or [C, H', W'] → [N, C, H, W] or [C, H, W].
///   auto [values, indices] = max_pool2d_with_indices(x, {.kernel = 2});
///   Tensor y = max_unpool2d(values, indices, {.kernel = 2});   // x's maxima in their places
MINIMA_API Tensor max_unpool2d(const Tensor& x, const Tensor& indices, const MaxUnpool2dOptions& options);

struct MaxUnpool3dOptions {
  Triple kernel;
  Triple stride = kernel;
  Triple padding = 0;
  Shape size{};  ///< {D, H, W}, as in max_unpool1d
};
/// x and indices [N, C, D', H', W'] or [C, D', H', W'] → [N, C, D, H, W] or [C, D, H, W].
MINIMA_API Tensor max_unpool3d(const Tensor& x, const Tensor& indices, const MaxUnpool3dOptions& options);

}  // namespace minima
