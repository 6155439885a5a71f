#pragma once

#include <minima/tensor/base/dtype.h>
#include <minima/tensor/layout/layout.h>

#include <cstddef>

// Arithmetic on sizes, offsets and counts that never wraps. What makes a tensor (bytes_for, Layout::expanded,
// infer_shape, as_strided, from_blob) holds that its sizes, a size of 0 counted as 1, multiply to at most 2^63 - 1:
// products of some or all of a tensor's own sizes need no check. What comes from an argument goes through this header:
//
//   const std::int64_t length = detail::fit(Wide{size} + left + right, "pad");

namespace minima::detail {

/// Holds any sum of products of two int64.
__extension__ typedef __int128 Wide;

[[noreturn]] MINIMA_API void throw_does_not_fit(const char* op, double value);

/// `value`, a size that `op` computed, as an int64; throws ShapeError where that cannot hold it.
inline std::int64_t fit(Wide value, const char* op) {
  if (value != static_cast<std::int64_t>(value)) [[unlikely]]
    throw_does_not_fit(op, static_cast<double>(value));
  return static_cast<std::int64_t>(value);
}

/// numel(shape) of unchecked sizes. Throws ValueError for a negative one, and ShapeError where an int64
/// cannot count the elements, sizes of 0 taken as 1.
MINIMA_API std::int64_t checked_numel(const Shape& shape, const char* op);

/// ⌊(size + 2·padding - dilation·(kernel - 1) - 1) / stride⌋ + 1, 0 where the kernel does not fit.
MINIMA_API std::int64_t window_count(std::int64_t size, std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                                     std::int64_t dilation, const char* op);

/// One past the largest element offset that is reached, 0 if empty. Throws ShapeError where an int64 cannot hold it,
/// and for what has too few strides or too many; ValueError for a negative size, stride or offset.
MINIMA_API std::int64_t checked_end(const Layout& layout, const char* op);

/// The bytes that a new tensor needs. Throws OutOfMemoryError for what no memory holds, else as `checked_end`.
MINIMA_API std::size_t bytes_for(const Layout& layout, DType dtype, const char* op);

/// Throws OutOfMemoryError unless memory may hold `count` entries of `bytes`, before a table of them is filled.
MINIMA_API void expect_room(std::int64_t count, std::size_t bytes, const char* op);

}  // namespace minima::detail
