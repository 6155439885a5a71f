#pragma once

#include <minima/tensor/tensor.h>

#include <optional>
#include <vector>

// Elements by their places, as in NumPy and PyTorch: numbers, ranges, tensors of indices, masks. What is at[0] speaks
// of dimension 0, and so on; dimensions that are not named stay whole.
//
//   index(x, {2})                              x[2]
//   index(x, {everything, Range{1, 5}})               x[:, 1:5]
//   index(x, {ellipsis, Range{.step = 2}})     x[..., ::2]
//   index(x, {rows, columns})                  x[rows, columns] for int64 tensors that broadcast
//   index(x, {x > 0})                          x[x > 0]
//   index_put_(x, {mask}, 0)                   x[mask] = 0

namespace minima {

/// Places start, start + step, … before stop; negative ones count from the end.
struct Range {
  std::optional<std::int64_t> start{}, stop{};
  std::int64_t step = 1;
};
inline constexpr Range everything{};
/// As many whole dimensions as are needed.
inline constexpr struct Ellipsis {
} ellipsis{};
/// A new dimension of size 1.
inline constexpr struct NewAxis {
} new_axis{};

/// What an index says of one dimension (a mask: of as many as it has).
struct Index {
  enum class Kind : std::uint8_t { number, range, ellipsis, new_axis, tensor };
  Kind kind;
  std::int64_t number = 0;
  Range range{};
  Tensor tensor{};

  Index(int number) : kind(Kind::number), number(number) {}
  Index(std::int64_t number) : kind(Kind::number), number(number) {}
  Index(Range range) : kind(Kind::range), range(range) {}
  Index(Ellipsis) : kind(Kind::ellipsis) {}
  Index(NewAxis) : kind(Kind::new_axis) {}
  /// int64 indices, of which negative ones count from the end, or a bool mask.
  Index(Tensor tensor) : kind(Kind::tensor), tensor(std::move(tensor)) {}
};

/// x[at…]. Without tensors a view; with them a copy whose indexed dimensions become those of the indices (broadcast
/// with each other), in the place of the first if they were neighbours, else in front. A mask stands for the places
/// where it is true, so it waits for the device. Differentiable to any order. Throws IndexError for what does not
/// exist.
MINIMA_API Tensor index(const Tensor& x, const std::vector<Index>& at);
/// A copy of x with x[at…] = value, which is broadcast and converted; `accumulate` adds instead. Of several values for
/// one place the last one stays. Differentiable by x and the value.
MINIMA_API Tensor index_put(const Tensor& x, const std::vector<Index>& at, const Tensor& value,
                            bool accumulate = false);
/// x[at…] = value in place.
MINIMA_API void index_put_(const Tensor& x, const std::vector<Index>& at, const Tensor& value, bool accumulate = false);
MINIMA_API void index_put_(const Tensor& x, const std::vector<Index>& at, Scalar value);
/// The elements where the mask (bool, broadcasts with x) is true, in row-major order: a vector.
MINIMA_API Tensor masked_select(const Tensor& x, const Tensor& mask);
/// A copy of x with source[…, i, …] added to x[…, index[i], …] along `dim` for an int64 vector.
MINIMA_API Tensor index_add(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source);
/// A copy of x with element [i][index[i][j][k]][k] = source[i][j][k] (for dim = 1); of several the last stays.
MINIMA_API Tensor scatter(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source);

}  // namespace minima
