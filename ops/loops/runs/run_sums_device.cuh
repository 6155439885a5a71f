#pragma once

#include <minima/ops/loops/lines/wrapping.h>
#include <minima/ops/loops/kernel.cuh>

// Sums the rows of each run of equal keys. The sorted positions are cut into chunks, however long the runs are. A run
// inside a chunk is written at once. The first and the last run of a chunk may continue in its neighbours: their sums
// are rows of a shorter list with sorted keys, which the next launch sums in the same way.

namespace minima::sorting {

inline constexpr std::int64_t chunk_rows = 64;

/// A list of rows with sorted keys. Without positions, row p is the p-th.
template <class X>
struct KeyedRows {
  const X* rows;
  const std::int64_t *keys, *positions;
  std::int64_t count;
};

/// Two sums per chunk, [2 · chunks, columns], and their keys; null in the last launch.
template <class T>
struct PartialRuns {
  T* sums;
  std::int64_t* keys;
};

/// One thread per chunk and pack of columns.
template <int width, class X, class Y>
__global__ void __launch_bounds__(256)
    run_sums_kernel(const KeyedRows<X> from, std::int64_t columns, std::int64_t limit, std::int64_t skipped, bool adds,
                    Y* y, const PartialRuns<cuda::Compute<Y>> partial) {
  using T = cuda::Compute<Y>;
  using Sums = cuda::Pack<T, width>;
  constexpr int in_flight = 4;
  const std::int64_t packs = columns / width, i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t chunk = i / packs, column = i % packs * width, first = chunk * chunk_rows;
  if (first >= from.count) return;
  const std::int64_t last = first + chunk_rows < from.count ? first + chunk_rows : from.count;

  const auto put = [&](std::int64_t key, const Sums& sum) {
    if (key < 0 || key >= limit || key == skipped) return;
    Y* const to = y + key * columns + column;
    cuda::Pack<Y, width> result{};
    if (adds) result = cuda::load_pack<Y, width>(to);
    for (int c = 0; c < width; ++c)
      result.items[c] =
          static_cast<Y>(adds ? wrapping::add(static_cast<T>(result.items[c]), sum.items[c]) : sum.items[c]);
    cuda::store_pack(to, result);
  };
  const auto keep = [&](int which, std::int64_t key, const Sums& sum) {
    const std::int64_t at = 2 * chunk + which;
    cuda::store_pack(partial.sums + at * columns + column, sum);
    if (column == 0) partial.keys[at] = key;
  };

  Sums sum{};
  std::int64_t key = from.keys[first];
  bool is_first = true;  // run of the chunk
  for (std::int64_t p = first; p < last; p += in_flight) {
    std::int64_t keys[in_flight];
    cuda::Pack<X, width> rows[in_flight];
    MINIMA_UNROLL
    for (int n = 0; n < in_flight; ++n) {
      const std::int64_t at = p + n < last ? p + n : last - 1;
      const std::int64_t row = from.positions ? from.positions[at] : at;
      keys[n] = from.keys[at];
      rows[n] = cuda::load_pack<X, width>(from.rows + row * columns + column);
    }
    MINIMA_UNROLL
    for (int n = 0; n < in_flight; ++n) {
      if (p + n >= last) break;
      if (keys[n] != key) {
        if (is_first && partial.sums) keep(0, key, sum);
        else put(key, sum);
        is_first = false;
        key = keys[n];
        sum = Sums{};
      }
      for (int c = 0; c < width; ++c) sum.items[c] = wrapping::add(sum.items[c], static_cast<T>(rows[n].items[c]));
    }
  }
  if (!partial.sums) return put(key, sum);
  keep(is_first ? 0 : 1, key, sum);
  if (is_first) keep(1, key, Sums{});
}

}  // namespace minima::sorting
