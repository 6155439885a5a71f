#pragma once

#include <minima/tensor/tensor.h>

#include <vector>

// The pieces that a dimension is cut into, as views. Negative dimensions count from the end.

namespace minima {

/// Pieces of `size` along a dimension, as views; the last one may be shorter. The gradient of x is written once, piece
/// by piece.
MINIMA_API std::vector<Tensor> split(const Tensor& x, std::int64_t size, std::int64_t dim = 0);
/// Pieces of the given sizes, which must add up to the dimension's: split_with_sizes(packed, {d, d, d}, -1).
MINIMA_API std::vector<Tensor> split_with_sizes(const Tensor& x, const std::vector<std::int64_t>& sizes,
                                                std::int64_t dim = 0);
/// At most `count` pieces of equal size; the last one may be shorter.
MINIMA_API std::vector<Tensor> chunk(const Tensor& x, std::int64_t count, std::int64_t dim = 0);
/// Exactly `count` pieces along a dimension, as views; the first ones are one longer if need be.
MINIMA_API std::vector<Tensor> tensor_split(const Tensor& x, std::int64_t count, std::int64_t dim = 0);
/// Pieces that end before these positions, and the rest; as slices, positions are clamped.
MINIMA_API std::vector<Tensor> tensor_split_at(const Tensor& x, const std::vector<std::int64_t>& positions,
                                               std::int64_t dim = 0);
/// The slices along a dimension, which is removed.
MINIMA_API std::vector<Tensor> unbind(const Tensor& x, std::int64_t dim = 0);

}  // namespace minima
