#pragma once

#include <minima/tensor/tensor.h>

#include <initializer_list>
#include <span>

namespace minima {

/// Concatenates tensors along a dimension; all other sizes must be equal. The dtype is promoted over all tensors. Empty
/// vectors (shape [0]) are skipped, as in PyTorch. The result is channels_last if all tensors are, else row-major.
/// Differentiable.
MINIMA_API Tensor cat(std::span<const Tensor> tensors, std::int64_t dim = 0);
inline Tensor cat(std::initializer_list<Tensor> tensors, std::int64_t dim = 0) {
  return cat(std::span<const Tensor>(tensors.begin(), tensors.size()), dim);
}
/// Joins tensors of one shape along a new dimension, which may be the last: stack({a, b}, -1).
MINIMA_API Tensor stack(std::span<const Tensor> tensors, std::int64_t dim = 0);
inline Tensor stack(std::initializer_list<Tensor> tensors, std::int64_t dim = 0) {
  return stack(std::span<const Tensor>(tensors.begin(), tensors.size()), dim);
}

}  // namespace minima
