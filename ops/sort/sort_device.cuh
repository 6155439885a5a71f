#pragma once

#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/sort/order_key.h>
#include <minima/ops/loops/kernel.cuh>

// Sorts all lines at once: a key is the line's number, then 32 bits of the element. Elements are numbered line by line.
// A 64-bit element is sorted by its lower half first.

namespace minima::sorting {

/// keys[n] = line · 2^32 + a half of element order[n] (n itself without an order).
template <class X>
__global__ void __launch_bounds__(256)
    sort_keys_kernel(const X* x, const detail::Lines lines, std::int64_t count, const std::int64_t* order,
                     bool descending, bool lower_half, std::int64_t* keys) {
  const std::int64_t n = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (n >= count) return;
  const std::int64_t element = order ? order[n] : n;
  const std::int64_t line = element / lines.length, i = element % lines.length;
  const std::int64_t start = line / lines.inner * lines.length * lines.inner + line % lines.inner;
  auto key = order_key(x[start + i * lines.inner]);
  if (descending) key = ~key;
  std::uint32_t half = static_cast<std::uint32_t>(key);
  if constexpr (sizeof(key) == 8)
    if (!lower_half) half = static_cast<std::uint32_t>(key >> 32);
  keys[n] = (lower_half ? 0 : line << 32) | static_cast<std::int64_t>(half);
}

/// y[…, i, …] = the position of the i-th element of each sorted line. `first` is the order of an earlier sort that
/// `second` refers to, or null.
static __global__ void __launch_bounds__(256)
    sort_places_kernel(const std::int64_t* first, const std::int64_t* second, const detail::Lines lines,
                       const detail::Lines results, std::int64_t count, std::int64_t* y) {
  const std::int64_t n = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (n >= count) return;
  const std::int64_t inner = n % results.inner, i = n / results.inner % results.length;
  const std::int64_t line = n / results.inner / results.length * results.inner + inner;
  const std::int64_t at = second[line * lines.length + i];
  y[n] = (first ? first[at] : at) % lines.length;
}

}  // namespace minima::sorting
