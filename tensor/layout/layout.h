#pragma once

#include <minima/tensor/base/shape.h>

namespace minima {

/// Where the elements of a tensor lie in its storage: element (i0, i1, …) is at offset + Σ i_d · strides[d], counted in
/// elements. A layout is a value; views are functions from layout to layout. `op` names the caller in error messages.
struct MINIMA_API Layout {
  Shape shape;
  Strides strides;
  std::int64_t offset = 0;

  int rank() const { return shape.rank(); }
  std::int64_t numel() const { return minima::numel(shape); }

  /// Row-major without gaps, whatever the offset. Dimensions of size 1 do not matter, nor does anything if empty.
  bool is_contiguous() const;
  /// Every element between the first and the last is used exactly once, in some order of dimensions.
  bool is_dense() const;
  /// Two indices may reach one element (as after `expand`); writing through such a layout is refused.
  bool may_overlap() const;
  /// NHWC order in memory for a rank-4 (or NDHWC for a rank-5) NCHW shape.
  bool is_channels_last() const;
  /// One past the largest element offset that is reached, 0 if empty.
  std::int64_t end() const;

  static Layout contiguous(const Shape& shape);
  static Layout channels_last(const Shape& shape);
  /// Dense with the order of dimensions that `like` has in memory, for an output of the same shape.
  static Layout dense_like(const Layout& like);

  Layout permuted(const Shape& order, const char* op = "permute") const;
  Layout transposed(int a, int b, const char* op = "transpose") const;
  /// start and stop count from the end when negative and are clamped, as in Python; step ≥ 1.
  Layout sliced(int dim, std::int64_t start, std::int64_t stop, std::int64_t step, const char* op = "slice") const;
  Layout selected(int dim, std::int64_t index, const char* op = "select") const;
  /// -1 keeps a size; new leading dimensions and size-1 dimensions get stride 0.
  Layout expanded(const Shape& shape, const char* op = "expand") const;
  Layout unsqueezed(int dim, const char* op = "unsqueeze") const;
  Layout squeezed(int dim, const char* op = "squeeze") const;
  /// Tries to give the elements, in row-major order, another shape without moving them.
  /// Returns false and leaves `result` alone where strides do not allow it.
  bool try_reshape(const Shape& shape, Layout& result) const;

  friend bool operator==(const Layout&, const Layout&) = default;
};

/// Resolves a dimension that may count from the end; throws IndexError naming `op`. Rank 0 accepts 0 and -1.
inline int wrap_dim(std::int64_t dim, int rank, const char* op);
/// The same for a list, which must not repeat; empty means all dimensions. The result is sorted.
MINIMA_API Shape wrap_dims(const Shape& dims, int rank, const char* op);
/// Replaces one -1 by what makes the count of elements right; throws ShapeError if it cannot.
MINIMA_API Shape infer_shape(const Shape& shape, std::int64_t numel, const char* op);
/// The common shape of two by NumPy's rule; throws ShapeError naming `op` and both shapes.
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
