#pragma once

// IWYU pragma: begin_exports
#include <minima/tensor/base/shape.h>
// IWYU pragma: end_exports

namespace minima {

/// Maps indices to storage: element (i0, i1, …) is at offset + Σ i_d · strides[d], counted in elements. A layout is a
/// value, and views are functions from layout to layout. `op` names the caller in error messages.
struct MINIMA_API Layout {
  Shape shape;
  Strides strides;
  std::int64_t offset = 0;

  int rank() const { return shape.rank(); }
  std::int64_t numel() const { return minima::numel(shape); }

  /// Row-major without gaps; the offset and dimensions of size 1 are ignored. True for empty layouts.
  bool is_contiguous() const;
  /// Without gaps or overlaps: contiguous for some order of the dimensions.
  bool is_dense() const;
  /// Two indices may refer to the same element, as after `expand`. Operators refuse to write through such a layout.
  bool may_overlap() const;
  /// A shape of rank 4 (NCHW) or 5 (NCDHW) stored in NHWC or NDHWC order.
  bool is_channels_last() const;
  /// One past the largest element offset; 0 if empty.
  std::int64_t end() const;

  static Layout contiguous(const Shape& shape);
  static Layout channels_last(const Shape& shape);
  /// A dense layout of the same shape, with the dimensions in `like`'s memory order.
  static Layout dense_like(const Layout& like);

  Layout permuted(const Shape& order, const char* op = "permute") const;
  Layout transposed(int a, int b, const char* op = "transpose") const;
  /// As in Python, negative start and stop count from the end, and both are clamped; step ≥ 1.
  Layout sliced(int dim, std::int64_t start, std::int64_t stop, std::int64_t step, const char* op = "slice") const;
  Layout selected(int dim, std::int64_t index, const char* op = "select") const;
  /// -1 keeps a size; new leading dimensions and size-1 dimensions get stride 0.
  Layout expanded(const Shape& shape, const char* op = "expand") const;
  Layout unsqueezed(int dim, const char* op = "unsqueeze") const;
  Layout squeezed(int dim, const char* op = "squeeze") const;
  /// Reshapes without moving elements. Returns false and leaves `result` unchanged if the strides don't allow that.
  bool try_reshape(const Shape& shape, Layout& result) const;

  friend bool operator==(const Layout&, const Layout&) = default;
};

/// Resolves a dimension; negative ones count from the end. Throws IndexError naming `op`. Rank 0 accepts 0 and -1.
inline int wrap_dim(std::int64_t dim, int rank, const char* op);
/// The same for a list of distinct dimensions; an empty list means all. The result is sorted.
MINIMA_API Shape wrap_dims(const Shape& dims, int rank, const char* op);
/// Replaces a -1 in `shape` so that it has `numel` elements. Throws ShapeError if that is impossible.
MINIMA_API Shape infer_shape(const Shape& shape, std::int64_t numel, const char* op);
/// Broadcasts two shapes by NumPy's rules. Throws ShapeError naming `op` and both shapes.
MINIMA_API Shape broadcast(const Shape& a, const Shape& b, const char* op);

namespace detail {
[[noreturn]] MINIMA_API void throw_dim_out_of_range(std::int64_t dim, int rank, const char* op);
}

inline int wrap_dim(std::int64_t dim, int rank, const char* op) {
  const std::int64_t count = rank > 0 ? rank : 1;
  if (dim < -count || dim >= count) [[unlikely]]
    detail::throw_dim_out_of_range(dim, rank, op);
  return static_cast<int>(dim < 0 ? dim + count : dim);
}

}  // namespace minima
