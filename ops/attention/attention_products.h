#pragma once

#include <minima/ops/attention/attention_tiles.h>

#include <cstdint>

// Multiplies tiles that fit in the caches: they are too small for a library, whose calls and packing would take longer.

namespace minima::detail {

/// Columns of padded tiles: whole vectors of 64 bytes.
template <class T>
constexpr std::int64_t whole_vectors(std::int64_t columns) {
  constexpr auto vector = static_cast<std::int64_t>(64 / sizeof(T));
  return (columns + vector - 1) / vector * vector;
}

/// The left operand of a product: element (i, p) is data[i · row_step + p · step].
template <class T>
struct LeftRows {
  const T* data;
  std::int64_t row_step, step;
};

/// c [m, n] (+)= a [m, k] · b [k, n], summed over k from first to last. Writes whole vectors: rows of b and c have room
/// for whole_vectors(n) columns.
template <class T>
void multiply_tile(std::int64_t m, std::int64_t n, std::int64_t k, LeftRows<T> a, Rows<T> b, T* c, std::int64_t ldc,
                   bool accumulate);

/// The rows with whole vectors of columns: in place if they have them, else copied and filled up with zeros.
template <class T>
Rows<T> padded(Rows<T> rows, std::int64_t count, std::int64_t columns, Buffer<T>& buffer);

/// x [count, columns] as [columns, whole_vectors(count)], filled up with zeros.
template <class T>
Rows<T> transposed(Rows<T> x, std::int64_t count, std::int64_t columns, Buffer<T>& buffer);

/// A tile of keys (or values) that rows of width `width` are multiplied with.
template <class T>
class KeyTile {
 public:
  KeyTile() = default;
  /// Turns the keys, unless too few rows use the result: a library reads them as they are.
  KeyTile(Rows<T> keys, std::int64_t count, std::int64_t width, std::int64_t users, Buffer<T>& buffer)
      : width_(width), turned_(users >= 4), keys_(turned_ ? transposed(keys, count, width, buffer) : keys) {}

  /// c [rows, key_tile] = x [rows, width] · keysᵀ, for the first n keys.
  void scores(std::int64_t rows, std::int64_t n, Rows<T> x, T* c) const {
    if (turned_) multiply_tile(rows, n, width_, {x.data, x.ld, 1}, keys_, c, key_tile, false);
    else multiply(rows, n, width_, x, keys_, true, c, key_tile, false);
  }

 private:
  std::int64_t width_ = 0;
  bool turned_ = false;
  Rows<T> keys_{};
};

}  // namespace minima::detail
