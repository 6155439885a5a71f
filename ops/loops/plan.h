#pragma once

#include <minima/tensor/base/dtype.h>
#include <minima/tensor/layout/layout.h>

// Describes a loop over elements: its operands, and the order in which it visits them.

namespace minima::pointwise {

/// Elements in memory: `data` points at the first one (the layout's offset is already applied).
struct Operand {
  void* data;
  const Layout& layout;
  DType dtype;

  Operand(void* data, const Layout& layout, DType dtype) : data(data), layout(layout), dtype(dtype) {}
  Operand(const void* data, const Layout& layout, DType dtype)
      : data(const_cast<void*>(data)), layout(layout), dtype(dtype) {}
};

/// One output and its inputs: the most that any operator needs.
inline constexpr int max_operands = 8;

/// The order in which a loop visits the elements of several layouts of one shape: dimensions of size 1 are dropped, the
/// others sorted by the first layout's memory order, and neighbours with uniform strides in every layout merged.
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
  /// Whether the plan's order visits the operand's memory contiguously.
  bool is_contiguous(int operand) const;
  /// The coordinates of the element visited at `position`.
  Shape index_of(std::int64_t position) const;
  /// The offset of the element at these coordinates, in elements from the first.
  std::int64_t offset_of(int operand, const Shape& index) const;
};

enum class Order { memory, row_major };

/// All layouts must have the first one's shape; offsets are ignored. Order::row_major keeps the order of dimensions.
MINIMA_API Plan make_plan(const Layout* const* layouts, int operands, Order order = Order::memory);

}  // namespace minima::pointwise
