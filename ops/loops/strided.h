#pragma once

#include <minima/ops/loops/plan.h>

#include <cstddef>

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
