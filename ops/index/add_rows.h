#pragma once

#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstdint>

// The gradients of embedding and embedding_bag on the CPU. Internal.

namespace minima::detail {

/// Asks for the memory of `count` numbers, to be there when they are used.
template <class T>
void fetch(const T* from, std::int64_t count) {
  for (std::int64_t c = 0; c < count; c += 64 / static_cast<std::int64_t>(sizeof(T))) __builtin_prefetch(from + c);
}

/// A row to add, times `scale`.
template <class T>
struct ScaledRow {
  const T* row;
  T scale;
};

/// Row rows[i] of `to` += source(i), a ScaledRow, for i = 0 … count - 1 in this order, but for rows[i] = padding. Every
/// thread visits all indices but owns some columns, so that writes never collide.
template <class T, class Source>
void add_rows(const std::int64_t* rows, std::int64_t count, std::int64_t padding, std::int64_t columns, T* to,
              const Source& source) {
  constexpr std::int64_t ahead = 4;
  const auto grain = std::max<std::int64_t>(16, grain_for(0.5 * static_cast<double>(count)));
  parallel_for(0, columns, grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = 0; i < count; ++i) {
      if (i + ahead < count) fetch(to + rows[i + ahead] * columns + first, last - first);
      if (rows[i] == padding) continue;
      const ScaledRow<T> from = source(i);
      T* const target = to + rows[i] * columns;
      for (std::int64_t c = first; c < last; ++c) target[c] += from.scale * from.row[c];
    }
  });
}

}  // namespace minima::detail
