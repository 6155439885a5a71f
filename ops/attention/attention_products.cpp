#include <minima/ops/attention/attention_tiles.h>

#include <minima/tensor/base/loop_pragmas.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

namespace minima::detail {

namespace {

// Sums of one block of c stay in registers: two vectors of columns by as many rows as there are registers for.
#if defined(__AVX512F__)
constexpr int vector_bytes = 64, most_rows = 8;
#elif defined(__AVX__)
constexpr int vector_bytes = 32, most_rows = 6;
#else
constexpr int vector_bytes = 16, most_rows = 4;
#endif

template <class T>
struct Lanes {
  static constexpr int count = vector_bytes / static_cast<int>(sizeof(T));
  typedef T Vector __attribute__((vector_size(vector_bytes)));
};

template <class T, class V = typename Lanes<T>::Vector>
__attribute__((always_inline)) inline V load_vector(const T* from) {
  V v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

template <class T, int rows, int vectors, bool accumulate>
void multiply_block(std::int64_t k, const LeftRows<T>& a, const T* b, std::int64_t ldb, T* c, std::int64_t ldc) {
  using V = typename Lanes<T>::Vector;
  constexpr int lanes = Lanes<T>::count;
  V sums[rows][vectors];
  for (int i = 0; i < rows; ++i) {
    for (int v = 0; v < vectors; ++v) {
      if constexpr (accumulate) sums[i][v] = load_vector(c + i * ldc + v * lanes);
      else sums[i][v] = V{};
    }
  }
  MINIMA_NO_UNROLL
  for (std::int64_t p = 0; p < k; ++p) {
    V right[vectors];
    for (int v = 0; v < vectors; ++v) right[v] = load_vector(b + p * ldb + v * lanes);
    const T* const left = a.data + p * a.step;
    for (int i = 0; i < rows; ++i)
      for (int v = 0; v < vectors; ++v) sums[i][v] += left[i * a.row_step] * right[v];
  }
  for (int i = 0; i < rows; ++i)
    for (int v = 0; v < vectors; ++v) std::memcpy(c + i * ldc + v * lanes, &sums[i][v], sizeof(V));
}

/// Full blocks of rows, and a smaller one for the rows that are left.
template <class T, int rows, int vectors, bool accumulate>
void multiply_rows(std::int64_t m, std::int64_t k, LeftRows<T> a, const T* b, std::int64_t ldb, T* c,
                   std::int64_t ldc) {
  for (; m >= rows; m -= rows, a.data += rows * a.row_step, c += rows * ldc)
    multiply_block<T, rows, vectors, accumulate>(k, a, b, ldb, c, ldc);
  if constexpr (rows > 1)
    if (m > 0) multiply_rows<T, rows - 1, vectors, accumulate>(m, k, a, b, ldb, c, ldc);
}

/// One of log₂ n steps of a transposition: rows i and i + n / 2 interleave into rows 2i and 2i + 1.
template <class V, std::size_t... I>
__attribute__((always_inline)) inline void interleave(const V* from, V* to, std::index_sequence<I...>) {
  constexpr std::size_t n = sizeof...(I);
  for (std::size_t i = 0; i < n / 2; ++i) {
    to[2 * i] = __builtin_shufflevector(from[i], from[i + n / 2], (I / 2 + I % 2 * n)...);
    to[2 * i + 1] = __builtin_shufflevector(from[i], from[i + n / 2], (I / 2 + n / 2 + I % 2 * n)...);
  }
}

template <class T>
void transpose_block(const T* x, std::int64_t ldx, T* y, std::int64_t ldy) {
  using V = typename Lanes<T>::Vector;
  constexpr int n = Lanes<T>::count;
  constexpr auto indices = std::make_index_sequence<n>();
  V rows[n], turned[n];
  for (int i = 0; i < n; ++i) rows[i] = load_vector(x + i * ldx);
  for (int step = 1; step < n; step *= 2) {
    interleave(rows, turned, indices);
    for (int i = 0; i < n; ++i) rows[i] = turned[i];
  }
  for (int i = 0; i < n; ++i) std::memcpy(y + i * ldy, &rows[i], sizeof(V));
}

}  // namespace

template <class T>
void multiply_tile(std::int64_t m, std::int64_t n, std::int64_t k, LeftRows<T> a, Rows<T> b, T* c, std::int64_t ldc,
                   bool accumulate) {
  constexpr int lanes = Lanes<T>::count;
  const auto four = accumulate ? multiply_rows<T, 2, 4, true> : multiply_rows<T, 2, 4, false>;
  const auto two = accumulate ? multiply_rows<T, most_rows, 2, true> : multiply_rows<T, most_rows, 2, false>;
  const auto one = accumulate ? multiply_rows<T, most_rows, 1, true> : multiply_rows<T, most_rows, 1, false>;
  std::int64_t j = 0;
  if (m <= 2)
    for (; n - j > 3 * lanes; j += 4 * lanes) four(m, k, a, b.data + j, b.ld, c + j, ldc);
  for (; j < n; j += 2 * lanes) (n - j > lanes ? two : one)(m, k, a, b.data + j, b.ld, c + j, ldc);
}

template <class T>
Rows<T> padded(Rows<T> rows, std::int64_t count, std::int64_t columns, Buffer<T>& buffer) {
  const std::int64_t ld = whole_vectors<T>(columns);
  if (ld == columns) return rows;
  buffer.resize(count * ld);
  for (std::int64_t i = 0; i < count; ++i) {
    T* const to = buffer.data() + i * ld;
    std::copy_n(rows.data + i * rows.ld, columns, to);
    std::fill_n(to + columns, ld - columns, T(0));
  }
  return {buffer.data(), ld};
}

template <class T>
Rows<T> transposed(Rows<T> x, std::int64_t count, std::int64_t columns, Buffer<T>& buffer) {
  constexpr int lanes = Lanes<T>::count;
  const std::int64_t ld = whole_vectors<T>(count);
  buffer.resize(columns * ld);
  T* const y = buffer.data();
  const std::int64_t rows_in_blocks = count / lanes * lanes, columns_in_blocks = columns / lanes * lanes;
  for (std::int64_t i = 0; i < rows_in_blocks; i += lanes)
    for (std::int64_t j = 0; j < columns_in_blocks; j += lanes)
      transpose_block(x.data + i * x.ld + j, x.ld, y + j * ld + i, ld);
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t i = j < columns_in_blocks ? rows_in_blocks : 0; i < count; ++i)
      y[j * ld + i] = x.data[i * x.ld + j];
    std::fill_n(y + j * ld + count, ld - count, T(0));
  }
  return {y, ld};
}

#define MINIMA_ATTENTION_PRODUCTS(T)                                                                                   \
  template void multiply_tile(std::int64_t, std::int64_t, std::int64_t, LeftRows<T>, Rows<T>, T*, std::int64_t, bool); \
  template Rows<T> padded(Rows<T>, std::int64_t, std::int64_t, Buffer<T>&);                                            \
  template Rows<T> transposed(Rows<T>, std::int64_t, std::int64_t, Buffer<T>&);
MINIMA_ATTENTION_PRODUCTS(float)
MINIMA_ATTENTION_PRODUCTS(double)

}  // namespace minima::detail
