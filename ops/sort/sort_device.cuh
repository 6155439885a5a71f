#pragma once

#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/sort/kernels.h>
#include <minima/ops/sort/order_key.h>
#include <minima/ops/loops/loop_device.cuh>

// Sorts all lines at once: a key is the line's number, then 32 bits of the element. Elements are numbered line by line.
// A 64-bit element is sorted by its lower half first.

namespace minima::sorting {

/// Division of element numbers, which are below 2^31, by the sizes of lines.
struct LineDividers {
  pointwise::Divider by_length, by_inner;
  explicit LineDividers(const detail::Lines& lines)
      : by_length(static_cast<std::uint32_t>(lines.length)), by_inner(static_cast<std::uint32_t>(lines.inner)) {}
};

/// keys[n] = line · 2^32 + a half of element order[n] (n itself without an order).
template <class X>
__global__ void __launch_bounds__(256)
    sort_keys_kernel(const X* x, const LineDividers lines, std::uint32_t count, const std::int64_t* order,
                     bool descending, bool lower_half, std::int64_t* keys) {
  const std::uint32_t n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= count) return;
  const std::uint32_t element = order ? static_cast<std::uint32_t>(order[n]) : n, length = lines.by_length.divisor;
  const std::uint32_t line = pointwise::divide(element, lines.by_length), i = element - line * length;
  const std::uint32_t outer = pointwise::divide(line, lines.by_inner), inner = lines.by_inner.divisor;
  auto key = order_key(x[(outer * length + i) * inner + line - outer * inner]);
  if (descending) key = ~key;
  std::uint32_t half = static_cast<std::uint32_t>(key);
  if constexpr (sizeof(key) == 8)
    if (!lower_half) half = static_cast<std::uint32_t>(key >> 32);
  keys[n] = (lower_half ? 0 : static_cast<std::int64_t>(line) << 32) | static_cast<std::int64_t>(half);
}

/// y[…, i, …] = the position of the i-th element of each sorted line. `first` is the order of an earlier sort that
/// `second` refers to, or null.
static __global__ void __launch_bounds__(256)
    sort_places_kernel(const std::int64_t* first, const std::int64_t* second, const LineDividers lines,
                       const LineDividers results, std::uint32_t count, std::int64_t* y) {
  const std::uint32_t n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= count) return;
  const std::uint32_t row = pointwise::divide(n, results.by_inner), outer = pointwise::divide(row, results.by_length);
  const std::uint32_t i = row - outer * results.by_length.divisor, line = n - (row - outer) * results.by_inner.divisor;
  const std::int64_t at = second[line * lines.by_length.divisor + i];
  const auto place = static_cast<std::uint32_t>(first ? first[at] : at);
  y[n] = place - pointwise::divide(place, lines.by_length) * lines.by_length.divisor;
}

}  // namespace minima::sorting

namespace minima::detail {

/// y[n] = the insertion point of values[n] in its line.
template <class T>
__global__ void __launch_bounds__(256)
    searchsorted_kernel(const T* sorted, std::int64_t size, const T* values, std::int64_t per_line, std::int64_t count,
                        bool right, std::int64_t* y) {
  const std::int64_t n = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (n < count) y[n] = place_of(sorted + n / per_line * size, size, values[n], right);
}

}  // namespace minima::detail
