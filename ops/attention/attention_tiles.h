#pragma once

#include <minima/ops/attention/kernels.h>
#include <minima/ops/loops/elements.h>
#include <minima/ops/product/gemm/gemm.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

// Shared by attention's forward and backward: rows of an operand in the compute dtype, a tile of scores, and
// products of tiles.

namespace minima::detail {

inline constexpr std::int64_t query_tile = 64;
inline constexpr std::int64_t key_tile = 128;

/// The sizes of one call; all leading dimensions but the last count as one batch.
struct AttentionSizes {
  AttentionSizes(const Tensor& q, const Tensor& k, const Tensor& v);
  std::int64_t batch = 1, heads = 1, key_heads = 1;
  std::int64_t queries, keys, width, value_width;
  std::int64_t group() const { return key_heads == 0 ? 1 : heads / key_heads; }
};

/// Queries and keys that see each other only: all of a batch entry, or a document of it.
struct AttentionSpan {
  std::int64_t batch, first_query, end_query, first_key, end_key;
  std::int64_t queries() const { return end_query - first_query; }
  std::int64_t keys() const { return end_key - first_key; }
};

/// The tasks of one call: tiles of the rows of each span, for each of `heads`. With tile 0, a span is one task.
class AttentionTasks {
 public:
  struct Task {
    AttentionSpan span;
    std::int64_t head, tile;
  };
  /// `bounds` as segment_bounds has them, perhaps undefined. Tiles are of queries, or `of_keys`.
  AttentionTasks(const AttentionSizes& sizes, const Tensor& bounds, std::int64_t heads, std::int64_t tile,
                 bool of_keys);
  std::int64_t count() const { return count_; }
  Task at(std::int64_t index) const;

 private:
  std::int64_t tiles_of(const AttentionSpan& span) const;

  AttentionSpan whole_;  ///< of each batch entry without bounds
  std::int64_t heads_, tile_, count_;
  bool of_keys_;
  std::vector<AttentionSpan> spans_;  ///< the documents
  std::vector<std::int64_t> starts_;  ///< the first task of each, and the number of tasks
};

/// Scratch memory aligned to 64 bytes, since products may round differently where alignment differs.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::int64_t count) { resize(count); }
  /// Leaves the contents unspecified.
  void resize(std::int64_t count) {
    if (!memory_.defined() || memory_.numel() < count) {
      memory_ = empty({count}, {.dtype = dtype_of<T>});
      data_ = memory_.data<T>();
    }
    count_ = count;
  }
  void fill(T value) { std::fill_n(data(), count_, value); }
  T* data() const { return data_; }
  std::int64_t size() const { return count_; }

 private:
  Tensor memory_;
  T* data_ = nullptr;
  std::int64_t count_ = 0;
};

/// Consecutive rows with leading dimension `ld`.
template <class T>
struct Rows {
  const T* data;
  std::int64_t ld;
};

/// An operand [..., heads, rows, columns] with contiguous rows.
class HeadMatrix {
 public:
  /// Copies x to row-major memory if its rows are not contiguous.
  explicit HeadMatrix(const Tensor& x);

  /// Rows first … first + count - 1 of one head as T: in place if that is their dtype, else converted into `buffer`.
  template <class T>
  Rows<T> load(std::int64_t batch, std::int64_t head, std::int64_t first, std::int64_t count, Buffer<T>& buffer) const;
  /// The same, always copied into the buffer and scaled.
  template <class T>
  Rows<T> load_scaled(std::int64_t batch, std::int64_t head, std::int64_t first, std::int64_t count, double scale,
                      Buffer<T>& buffer) const;
  /// Converts T back to x's dtype.
  template <class T>
  void store(std::int64_t batch, std::int64_t head, std::int64_t first, std::int64_t count, Rows<T> rows) const;

 private:
  char* row(std::int64_t batch, std::int64_t head, std::int64_t index) const;

  Tensor x_;
  std::int64_t columns_;
};

/// The mask and the dropout of one call.
class AttentionMask {
 public:
  AttentionMask(const AttentionAttributes& attributes, const AttentionSizes& sizes, const Tensor& mask);

  // These functions are about the queries and keys of one span.

  /// The first query that sees any key from `first_key` on, and one past the last that sees any before `end`.
  std::int64_t first_query(const AttentionSpan& span, std::int64_t first_key) const {
    return std::max(span.first_query, causal_ ? first_key : first_in_window(first_key));
  }
  std::int64_t last_query(const AttentionSpan& span, std::int64_t end) const {
    return std::min(span.end_query, past_window(end));
  }
  /// The first key visible to queries from `first_query` on, and one past the last visible to those before `end`.
  std::int64_t first_key(const AttentionSpan& span, std::int64_t first_query) const {
    return std::max(span.first_key, first_in_window(first_query));
  }
  std::int64_t last_key(const AttentionSpan& span, std::int64_t end) const {
    return std::min(span.end_key, causal_ ? end : past_window(end));
  }

  /// Adds the mask to the scores of keys first … first + count - 1; masked keys become -inf.
  template <class T>
  void apply(std::int64_t batch, std::int64_t head, std::int64_t query, std::int64_t first, std::int64_t count,
             T* scores) const;

  bool drops() const { return dropout_ > 0; }
  /// The factors that dropout applies to these weights: 0 or 1 / (1 - p).
  template <class T>
  void factors(std::int64_t batch, std::int64_t head, std::int64_t query, std::int64_t first, std::int64_t count,
               T* out, std::vector<std::uint32_t>& words) const;

 private:
  std::int64_t first_in_window(std::int64_t first) const {
    return window_ > 0 && first >= window_ ? first - window_ + 1 : 0;
  }
  std::int64_t past_window(std::int64_t end) const {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    return window_ > 0 && window_ <= most - end ? end + window_ - 1 : most;
  }

  AttentionSizes sizes_;
  bool causal_;
  std::int64_t window_;
  double dropout_;
  PhiloxState start_;
  Tensor mask_;
};

/// c [m, n] (+)= a [m, k] · b, b being [k, n], or [n, k] if transposed.
template <class T>
void multiply(std::int64_t m, std::int64_t n, std::int64_t k, Rows<T> a, Rows<T> b, bool b_transposed, T* c,
              std::int64_t ldc, bool accumulate, bool a_transposed = false) {
  const Gemm gemm{.m = m,
                  .n = n,
                  .k = k,
                  .a = {.ld = a.ld, .transposed = a_transposed},
                  .b = {.ld = b.ld, .transposed = b_transposed},
                  .ldc = ldc,
                  .dtype = dtype_of<T>,
                  .c_dtype = dtype_of<T>,
                  .accumulate = accumulate};
  run_gemm(gemm, a.data, b.data, c);
}

// Multiplies tiles that fit in the caches: they are too small for a library, whose calls and packing would take longer.

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
