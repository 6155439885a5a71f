#pragma once

#include <minima/tensor/tensor.h>

#include <initializer_list>
#include <span>
#include <vector>

// More ways to rearrange dimensions, join and cut, with PyTorch's definitions. All dtypes; differentiable to any order.
// Negative dimensions count from the end. Results are views where the strides allow it.

namespace minima {

/// Moves dimension source[i] to position destination[i]; the others keep their order.
MINIMA_API Tensor movedim(const Tensor& x, const Shape& source, const Shape& destination);
/// Splits a dimension into `sizes`, of which one may be -1: unflatten(x [6, 4], 0, {2, 3}) is [2, 3, 4].
MINIMA_API Tensor unflatten(const Tensor& x, std::int64_t dim, const Shape& sizes);
/// All slices of `size` elements along a dimension, `step` apart, as a view: the dimension becomes their number, and a
/// new last one has the elements. For the patches of a convolution see PyTorch's F.unfold.
MINIMA_API Tensor unfold(const Tensor& x, std::int64_t dim, std::int64_t size, std::int64_t step);
/// `repeat`, but fewer counts than dimensions get leading ones.
MINIMA_API Tensor tile(const Tensor& x, const Shape& counts);
/// Rotates by `times` right angles in the plane of two dimensions, from the first towards the second.
MINIMA_API Tensor rot90(const Tensor& x, std::int64_t times = 1, const Shape& dims = {0, 1});
/// Reverses the columns (dimension 1).
MINIMA_API Tensor fliplr(const Tensor& x);
/// Reverses the rows (dimension 0).
MINIMA_API Tensor flipud(const Tensor& x);
/// x as it is, or with a new dimension of size 1 if it has none.
MINIMA_API Tensor atleast_1d(const Tensor& x);
/// At least two dimensions: [N] becomes [1, N].
MINIMA_API Tensor atleast_2d(const Tensor& x);
/// At least three dimensions: [N] becomes [1, N, 1] and [N, M] becomes [N, M, 1].
MINIMA_API Tensor atleast_3d(const Tensor& x);
/// Joins along dimension 1, vectors along dimension 0.
MINIMA_API Tensor hstack(std::span<const Tensor> tensors);
/// Joins rows: `cat` along dimension 0 of tensors with at least two dimensions.
MINIMA_API Tensor vstack(std::span<const Tensor> tensors);
/// Joins along dimension 2 of tensors with at least three dimensions.
MINIMA_API Tensor dstack(std::span<const Tensor> tensors);
/// `hstack` with vectors as columns.
MINIMA_API Tensor column_stack(std::span<const Tensor> tensors);
inline Tensor hstack(std::initializer_list<Tensor> list) { return hstack(std::span(list.begin(), list.size())); }
inline Tensor vstack(std::initializer_list<Tensor> list) { return vstack(std::span(list.begin(), list.size())); }
inline Tensor dstack(std::initializer_list<Tensor> list) { return dstack(std::span(list.begin(), list.size())); }
inline Tensor column_stack(std::initializer_list<Tensor> list) {
  return column_stack(std::span(list.begin(), list.size()));
}
/// Exactly `count` pieces along a dimension, as views; the first ones are one longer if need be.
MINIMA_API std::vector<Tensor> tensor_split(const Tensor& x, std::int64_t count, std::int64_t dim = 0);
/// Pieces that end before these positions, and the rest; as slices, positions are clamped.
MINIMA_API std::vector<Tensor> tensor_split_at(const Tensor& x, const std::vector<std::int64_t>& positions,
                                               std::int64_t dim = 0);
/// All tensors expanded to their common shape.
MINIMA_API std::vector<Tensor> broadcast_tensors(std::span<const Tensor> tensors);

}  // namespace minima
