#pragma once

#include <minima/tensor/base/dtype.h>
#include <minima/tensor/layout/layout.h>

#include <cstddef>

// Overflow-checked arithmetic on sizes, offsets and counts. The functions that create tensors (bytes_for,
// Layout::expanded, infer_shape, as_strided, from_blob) ensure that the product of a tensor's sizes, with 0 counted as
// 1, is at most 2^63 - 1. Products of a tensor's own sizes therefore need no check; arithmetic on arguments uses this
// header:
//
//   const std::int64_t length = detail::fit(Wide{size} + left + right, "pad");

namespace minima::detail {

/// Wide enough for any sum of products of two int64.
__extension__ typedef __int128 Wide;

[[noreturn]] MINIMA_API void throw_does_not_fit(const char* op, double value);

/// Converts a size computed by `op` to int64. Throws ShapeError if it does not fit.
inline std::int64_t fit(Wide value, const char* op) {
  if (value != static_cast<std::int64_t>(value)) [[unlikely]]
    throw_does_not_fit(op, static_cast<double>(value));
  return static_cast<std::int64_t>(value);
}

/// numel(shape) for unchecked sizes. Throws ValueError for a negative size, and ShapeError if the product, with sizes
/// of 0 counted as 1, overflows an int64.
MINIMA_API std::int64_t checked_numel(const Shape& shape, const char* op);

/// ⌊(size + 2·padding - dilation·(kernel - 1) - 1) / stride⌋ + 1, or 0 if the kernel does not fit.
MINIMA_API std::int64_t window_count(std::int64_t size, std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                                     std::int64_t dilation, const char* op);

/// One past the largest element offset; 0 if empty. Throws ShapeError if it overflows an int64 or the number of strides
/// is not the rank, ValueError for a negative size, stride or offset.
MINIMA_API std::int64_t checked_end(const Layout& layout, const char* op);

/// The bytes that a new tensor needs. Throws OutOfMemoryError if no memory can hold them, otherwise as `checked_end`.
MINIMA_API std::size_t bytes_for(const Layout& layout, DType dtype, const char* op);

/// Throws OutOfMemoryError if a table of `count` entries of `bytes` each exceeds the memory limit. Call it before
/// filling the table.
MINIMA_API void expect_room(std::int64_t count, std::size_t bytes, const char* op);

}  // namespace minima::detail
