#pragma once

#include <minima/tensor/tensor.h>

#include <initializer_list>
#include <span>

// Tensors joined along a dimension, or as the blocks of a matrix. All dtypes; differentiable to any order.

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
/// Joins along dimension 1, vectors along dimension 0.
MINIMA_API Tensor hstack(std::span<const Tensor> tensors);
inline Tensor hstack(std::initializer_list<Tensor> list) { return hstack(std::span(list.begin(), list.size())); }
/// Joins rows: `cat` along dimension 0 of tensors with at least two dimensions.
MINIMA_API Tensor vstack(std::span<const Tensor> tensors);
inline Tensor vstack(std::initializer_list<Tensor> list) { return vstack(std::span(list.begin(), list.size())); }
/// Joins along dimension 2 of tensors with at least three dimensions.
MINIMA_API Tensor dstack(std::span<const Tensor> tensors);
inline Tensor dstack(std::initializer_list<Tensor> list) { return dstack(std::span(list.begin(), list.size())); }
/// `hstack` with vectors as columns.
MINIMA_API Tensor column_stack(std::span<const Tensor> tensors);
inline Tensor column_stack(std::initializer_list<Tensor> list) {
  return column_stack(std::span(list.begin(), list.size()));
}
/// A matrix of zeros with these matrices along its diagonal; vectors are rows. All share one dtype.
MINIMA_API Tensor block_diag(std::span<const Tensor> matrices);

}  // namespace minima
