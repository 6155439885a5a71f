#pragma once

#include <minima/tensor/tensor.h>

#include <optional>
#include <vector>

// Indexing as in NumPy and PyTorch: by numbers, ranges, int64 tensors and masks. at[0] indexes dimension 0, and so on;
// dimensions without an index are kept whole.
//
//   index(x, {2})                              x[2]
//   index(x, {everything, Range{1, 5}})               x[:, 1:5]
//   index(x, {ellipsis, Range{.step = 2}})     x[..., ::2]
//   index(x, {rows, columns})                  x[rows, columns] for int64 tensors that broadcast
//   index(x, {x > 0})                          x[x > 0]
//   index_put_(x, {mask}, 0)                   x[mask] = 0

namespace minima {

/// Elements start, start + step, … before stop; negative bounds count from the end.
struct Range {
  std::optional<std::int64_t> start{}, stop{};
  std::int64_t step = 1;
};
inline constexpr Range everything{};
/// Stands for as many whole dimensions as needed.
inline constexpr struct Ellipsis {
} ellipsis{};
/// Inserts a dimension of size 1.
inline constexpr struct NewAxis {
} new_axis{};

/// The index of one dimension, or for a mask of as many dimensions as it has.
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
  /// int64 indices (negative ones count from the end) or a bool mask.
  Index(Tensor tensor) : kind(Kind::tensor), tensor(std::move(tensor)) {}
};

/// x[at…]. Without tensors a view; with tensors a copy, whose indexed dimensions are replaced by those of the indices
/// (broadcast with each other): in place if they are adjacent, else in front. A mask selects the elements where it is
/// true, which synchronises with the device. Differentiable to any order. Throws IndexError for an index out of range.
MINIMA_API Tensor index(const Tensor& x, const std::vector<Index>& at);
/// A copy of x with x[at…] = value, which is broadcast and converted; `accumulate` adds instead. If an element is
/// indexed more than once, the last value wins. Differentiable with respect to x and value.
MINIMA_API Tensor index_put(const Tensor& x, const std::vector<Index>& at, const Tensor& value,
                            bool accumulate = false);
/// x[at…] = value in place.
MINIMA_API const Tensor& index_put_(const Tensor& x, const std::vector<Index>& at, const Tensor& value,
                                    bool accumulate = false);
MINIMA_API const Tensor& index_put_(const Tensor& x, const std::vector<Index>& at, Scalar value);

}  // namespace minima
