#pragma once

#include <minima/tensor/layout/layout.h>

namespace minima::pointwise {

/// One output and its inputs: as many as any operator needs.
inline constexpr int max_operands = 8;

/// The order in which a loop visits the elements of several layouts of one shape: dimensions of size 1 are dropped, the
/// others sorted by the first layout's memory order, and neighbours that every layout can walk as one are merged.
/// Row-major: the last dimension is the innermost. There is at least one dimension.
struct Plan {
  int operands = 0;
  std::int64_t count = 0;
  Shape sizes;
  /// In elements, of the merged dimensions.
  Strides strides[max_operands];

  int rank() const { return sizes.rank(); }
  std::int64_t inner_size() const { return sizes.back(); }
  std::int64_t inner_stride(int operand) const { return strides[operand].back(); }
  /// Walking in the plan's order is walking through memory one element after the other.
  bool is_contiguous(int operand) const;
  /// The coordinates of the element that is visited as number `position`.
  Shape index_of(std::int64_t position) const;
  /// Where the element at these coordinates lies, in elements from the first.
  std::int64_t offset_of(int operand, const Shape& index) const;
};

enum class Order { memory, row_major };

/// All layouts have the shape of the first; offsets are not looked at. With Order::row_major dimensions are not sorted.
MINIMA_API Plan make_plan(const Layout* const* layouts, int operands, Order order = Order::memory);

}  // namespace minima::pointwise
