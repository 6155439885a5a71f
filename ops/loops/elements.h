#pragma once

#include <minima/ops/loops/plan.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>

#include <cstddef>
#include <cstdint>

// Elements whose type is known at run time: conversion between dtypes, and moving them as words of their size, also
// between strided memory and contiguous buffers.

namespace minima::pointwise {

/// Converts `count` contiguous elements.
using Convert = void (*)(void* to, const void* from, std::int64_t count);

/// The converter between two dtypes: as static_cast, except that half types round to nearest even from float and that
/// floating → integer saturates (8-bit types wrap); nonzero is true. Null if the types are equal. Throws
/// DTypeError between complex and other dtypes.
MINIMA_API Convert converter(DType to, DType from);

}  // namespace minima::pointwise

namespace minima::detail {

/// Calls f with an unsigned integer as wide as an element, for code that moves elements of any type.
template <class F>
void with_word(std::size_t element_size, F&& f) {
  switch (element_size) {
    case 1: return f(std::uint8_t{});
    case 2: return f(std::uint16_t{});
    case 4: return f(std::uint32_t{});
    case 8: return f(std::uint64_t{});
    default: throw DTypeError("complex128 elements cannot be moved by this operator on this device");
  }
}

struct WideWord {
  std::uint64_t low = 0, high = 0;
  WideWord() = default;
  constexpr explicit WideWord(std::uint64_t low) : low(low) {}
};

/// The same for code that moves complex128, too.
template <class F>
void with_any_word(std::size_t element_size, F&& f) {
  if (element_size == sizeof(WideWord)) f(WideWord());
  else with_word(element_size, f);
}

}  // namespace minima::detail

// Moves elements between strided memory and contiguous buffers; an element has 1, 2, 4, 8 or 16 bytes.

namespace minima::pointwise {

/// buffer[i] = from[i · stride]
void gather(void* buffer, const void* from, std::int64_t stride, std::int64_t count, std::size_t element_size);
/// to[i · stride] = buffer[i]
void scatter(void* to, const void* buffer, std::int64_t stride, std::int64_t count, std::size_t element_size);
/// buffer[i] = *value
void fill(void* buffer, const void* value, std::int64_t count, std::size_t element_size);

/// buffer[r · columns + c] = from[r · row_stride + c · column_stride], and back; the smaller stride is the inner loop.
void gather_block(void* buffer, const void* from, std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
                  std::int64_t column_stride, std::size_t element_size);
void scatter_block(void* to, const void* buffer, std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
                   std::int64_t column_stride, std::size_t element_size);

/// `count` elements of an operand in the plan's order, starting at `index`; they may span many rows.
void gather_rows(void* buffer, const void* data, const Plan& plan, int operand, const Shape& index, std::int64_t count,
                 std::size_t element_size);
void scatter_rows(void* data, const void* buffer, const Plan& plan, int operand, const Shape& index, std::int64_t count,
                  std::size_t element_size);

}  // namespace minima::pointwise
