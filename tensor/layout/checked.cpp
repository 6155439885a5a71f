#include <minima/tensor/layout/checked.h>

#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/memory/blocks/system_memory.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace minima::detail {

namespace {

[[noreturn]] void throw_no_layout(const Layout& layout, const char* op) {
  for (const std::int64_t size : layout.shape)
    if (size < 0) throw ValueError(str(op, ": size ", size, " in shape ", layout.shape));
  if (layout.strides.rank() != layout.rank())
    throw ShapeError(str(op, ": needs a stride for each dimension of shape ", layout.shape, ", got ", layout.strides));
  throw ValueError(str(op, ": strides ", layout.strides, " and offset ", layout.offset, " of shape ", layout.shape,
                       " must not be negative"));
}

}  // namespace

void throw_does_not_fit(const char* op, double value) {
  throw ShapeError(str(op, ": a size of ", value, " overflows an int64"));
}

std::int64_t checked_numel(const Shape& shape, const char* op) {
  std::int64_t count = 1;
  bool overflow = false;
  for (const std::int64_t size : shape) {
    if (size < 0) throw ValueError(str(op, ": size ", size, " in shape ", shape));
    overflow |= __builtin_mul_overflow(count, std::max<std::int64_t>(size, 1), &count);
  }
  if (overflow) throw ShapeError(str(op, ": shape ", shape, " has more elements than an int64 can count"));
  return numel(shape);
}

std::int64_t window_count(std::int64_t size, std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                          std::int64_t dilation, const char* op) {
  const Wide room = Wide{size} + 2 * Wide{padding} - Wide{dilation} * (kernel - 1) - 1;
  return room < 0 ? 0 : fit(room / stride + 1, op);
}

std::int64_t checked_end(const Layout& layout, const char* op) {
  if (layout.strides.rank() != layout.rank() || layout.offset < 0) throw_no_layout(layout, op);
  for (const std::int64_t stride : layout.strides)
    if (stride < 0) throw_no_layout(layout, op);
  if (checked_numel(layout.shape, op) == 0) return 0;
  std::int64_t end = fit(Wide{layout.offset} + 1, op);
  for (int i = 0; i < layout.rank(); ++i) end = fit(end + Wide{layout.shape[i] - 1} * layout.strides[i], op);
  return end;
}

std::size_t bytes_for(const Layout& layout, DType dtype, const char* op) {
  if (layout.strides.rank() != layout.rank() || layout.offset < 0) throw_no_layout(layout, op);
  // A single pass, since every operator that allocates calls this.
  std::int64_t count = 1, extent = layout.offset;
  bool sound = true, is_empty = false, uncountable = false, unreachable = false;
  for (int i = 0; i < layout.rank(); ++i) {
    const std::int64_t size = layout.shape[i], stride = layout.strides[i];
    sound &= size >= 0 && stride >= 0;
    is_empty |= size == 0;
    uncountable |= __builtin_mul_overflow(count, std::max<std::int64_t>(size, 1), &count);
    std::int64_t reach;
    unreachable |= __builtin_mul_overflow(size - (size > 0), stride, &reach);
    unreachable |= __builtin_add_overflow(extent, reach, &extent);
  }
  if (!sound) throw_no_layout(layout, op);
  std::int64_t bytes = 0;
  unreachable |= __builtin_add_overflow(extent, 1, &extent);
  unreachable |= __builtin_mul_overflow(extent, static_cast<std::int64_t>(size_of(dtype)), &bytes);
  if (uncountable || (unreachable && !is_empty))
    throw OutOfMemoryError(str(op, ": shape ", layout.shape, " of ", dtype, " is larger than any memory"));
  return is_empty ? 0 : static_cast<std::size_t>(bytes);
}

void expect_room(std::int64_t count, std::size_t bytes, const char* op) {
  if (count > memory_limit() / static_cast<std::int64_t>(bytes))
    throw OutOfMemoryError(
        str(op, ": needs a table of ", count, " entries, which exceeds the memory of ", bytes_text(memory_limit())));
}

}  // namespace minima::detail
