#pragma once

#include <minima/tensor/tensor.h>

#include <initializer_list>
#include <span>

namespace minima {

/// The tensors one after the other along a dimension; all other sizes are equal. The dtype is promoted over all. Empty
/// vectors (shape [0]) are passed over, as in PyTorch. The result is channels_last if all tensors are, else row-major.
/// Differentiable.
MINIMA_API Tensor cat(std::span<const Tensor> tensors, std::int64_t dim = 0);
inline Tensor cat(std::initializer_list<Tensor> tensors, std::int64_t dim = 0) {
  return cat(std::span<const Tensor>(tensors.begin(), tensors.size()), dim);
}
/// Tensors of one shape along a new dimension, which may be the last: stack({a, b}, -1).
MINIMA_API Tensor stack(std::span<const Tensor> tensors, std::int64_t dim = 0);
inline Tensor stack(std::initializer_list<Tensor> tensors, std::int64_t dim = 0) {
  return stack(std::span<const Tensor>(tensors.begin(), tensors.size()), dim);
}

}  // namespace minima
