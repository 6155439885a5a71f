#include <minima/ops/product/gemm/packed_block.h>

#include <minima/ops/product/gemm/engine.h>
#include <minima/ops/product/gemm/gemm_block.h>
#include <minima/tensor/base/loop_pragmas.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

// The loops of Goto and van de Geijn 2008, "Anatomy of High-Performance Matrix Multiplication". Lines of A and B are
// repacked, a part of k at a time, so that the innermost loop reads both without gaps: B once for all rows, A in strips
// that stay in the L2 cache.

namespace minima::detail {

bool packs(const GemmBlock<float>& x) {
  // Repacking pays where more is computed with each element, and the more so the worse they compete.
  const std::int64_t least = std::min(x.m, x.n);
  const bool both = x.lda % 128 == 0 && !x.b_transposed && x.ldb % 128 == 0;
  const bool a_pays =
      x.a_transposed && ((both && least >= 96 && x.k >= 32) || (x.lda % 512 == 0 && least >= 64 && x.k >= 256));
  const bool b_pays = !x.b_transposed && x.ldb % 256 == 0 && least >= 64 && x.k >= 128;
  return (a_pays || b_pays) && !has_avx512();
}

#if defined(__AVX2__) && defined(__FMA__)

namespace {

constexpr int lanes = 8;
using Lanes = float __attribute__((vector_size(lanes * sizeof(float))));

/// Sums that stay in registers: 12 of the 16 vectors.
constexpr std::int64_t panel_rows = 6, panel_columns = 2 * lanes;
/// The part of k, of rows and of columns that is packed at once: 24 KiB of B for each panel, 144 KiB of A, 1.5 MiB of
/// B.
constexpr std::int64_t most_depth = 384, strip_rows = 16 * panel_rows, most_columns = 1024;

inline Lanes load_lanes(const float* from) {
  Lanes v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
inline void store_lanes(float* to, Lanes v) { std::memcpy(to, &v, sizeof v); }

/// c [rows, vectors · lanes] = a · b, added to c or subtracted from it, for a panel of A [k, panel_rows] and one of B
/// [k, panel_columns].
template <int rows, int vectors>
__attribute__((noinline)) void multiply_panels(std::int64_t k, const float* a, const float* b, float* c,
                                               std::int64_t ldc, Into into) {
  Lanes sums[rows][vectors]{};
  MINIMA_NO_UNROLL
  for (std::int64_t p = 0; p < k; ++p, a += panel_rows, b += panel_columns) {
    Lanes right[vectors];
    MINIMA_UNROLL_FULLY
    for (int v = 0; v < vectors; ++v) right[v] = load_lanes(b + v * lanes);
    MINIMA_UNROLL_FULLY
    for (int i = 0; i < rows; ++i) MINIMA_UNROLL_FULLY
    for (int v = 0; v < vectors; ++v) sums[i][v] += a[i] * right[v];
  }
  MINIMA_UNROLL_FULLY
  for (int i = 0; i < rows; ++i) MINIMA_UNROLL_FULLY
  for (int v = 0; v < vectors; ++v) {
    float* const to = c + i * ldc + v * lanes;
    if (into == Into::assign) store_lanes(to, sums[i][v]);
    else if (into == Into::add) store_lanes(to, load_lanes(to) + sums[i][v]);
    else store_lanes(to, load_lanes(to) - sums[i][v]);
  }
}

using MultiplyPanels = void (*)(std::int64_t, const float*, const float*, float*, std::int64_t, Into);

/// For 1 … panel_rows rows.
template <int vectors>
constexpr MultiplyPanels kernels[panel_rows] = {multiply_panels<1, vectors>, multiply_panels<2, vectors>,
                                                multiply_panels<3, vectors>, multiply_panels<4, vectors>,
                                                multiply_panels<5, vectors>, multiply_panels<6, vectors>};

/// A tile of C. At the right edge of the matrix, where a tile has no whole vectors, by way of a copy.
void multiply_tile_of(std::int64_t rows, std::int64_t columns, std::int64_t k, const float* a, const float* b, float* c,
                      std::int64_t ldc, Into into) {
  const MultiplyPanels multiply = (columns > lanes ? kernels<2> : kernels<1>)[rows - 1];
  if (columns % lanes == 0) return multiply(k, a, b, c, ldc, into);
  float tile[panel_rows * panel_columns];
  const auto copy = [&](float* to, std::int64_t to_ld, const float* from, std::int64_t from_ld) {
    for (std::int64_t i = 0; i < rows; ++i)
      std::memcpy(to + i * to_ld, from + i * from_ld, static_cast<std::size_t>(columns) * sizeof(float));
  };
  std::fill_n(tile, panel_rows * panel_columns, 0.0f);
  if (into != Into::assign) copy(tile, panel_columns, c, ldc);
  multiply(k, a, b, tile, panel_columns, into);
  copy(c, ldc, tile, panel_columns);
}

/// One of log₂ n steps of a transposition: rows i and i + n / 2 interleave into rows 2i and 2i + 1.
template <std::size_t... I>
__attribute__((always_inline)) inline void interleave(const Lanes* from, Lanes* to, std::index_sequence<I...>) {
  MINIMA_UNROLL_FULLY
  for (int i = 0; i < lanes / 2; ++i) {
    to[2 * i] = __builtin_shufflevector(from[i], from[i + lanes / 2], (I / 2 + I % 2 * lanes)...);
    to[2 * i + 1] = __builtin_shufflevector(from[i], from[i + lanes / 2], (I / 2 + lanes / 2 + I % 2 * lanes)...);
  }
}

/// y [lanes, lanes] = the transposed x, of which `rows` are read; the columns of others are 0.
void transpose_lanes(const float* x, std::int64_t ldx, std::int64_t rows, float* y, std::int64_t ldy) {
  constexpr std::make_index_sequence<lanes> indices;
  Lanes from[lanes], to[lanes];
  MINIMA_UNROLL_FULLY
  for (int i = 0; i < lanes; ++i) from[i] = i < rows ? load_lanes(x + i * ldx) : Lanes{};
  MINIMA_UNROLL_FULLY
  for (int step = 1; step < lanes; step *= 2) {
    interleave(from, to, indices);
    MINIMA_UNROLL_FULLY
    for (int i = 0; i < lanes; ++i) from[i] = to[i];
  }
  MINIMA_UNROLL_FULLY
  for (int i = 0; i < lanes; ++i) store_lanes(y + i * ldy, from[i]);
}

/// Lines of an operand along k: element p of line i is data[p · ld + i], or data[i · ld + p] if `apart`.
struct OperandLines {
  const float* data;
  std::int64_t ld;
  bool apart;

  OperandLines at(std::int64_t line, std::int64_t p) const {
    return {data + (apart ? line * ld + p : p * ld + line), ld, apart};
  }
};

/// y [k, width] = `count` lines, and zeros up to width. May write up to a vector more behind y, and does so before
/// it writes what comes there.
template <std::int64_t width>
void pack(const OperandLines& lines, std::int64_t count, std::int64_t k, float* y) {
  std::int64_t p = 0;
  if (lines.apart) {
    for (; p + lanes <= k; p += lanes)
      for (std::int64_t i = 0; i < width; i += lanes)
        transpose_lanes(lines.data + i * lines.ld + p, lines.ld, count - i, y + p * width + i, width);
  } else if (count == width) {
    for (; p < k; ++p) std::memcpy(y + p * width, lines.data + p * lines.ld, width * sizeof(float));
  }
  for (; p < k; ++p)
    for (std::int64_t i = 0; i < width; ++i) y[p * width + i] = i < count ? *lines.at(i, p).data : 0.0f;
}

/// All `count` lines, in panels.
template <std::int64_t width>
void pack_panels(const OperandLines& lines, std::int64_t count, std::int64_t k, float* y) {
  for (std::int64_t i = 0; i < count; i += width) pack<width>(lines.at(i, 0), std::min(width, count - i), k, y + i * k);
}

/// The size of parts of k, of nearly the same size each.
std::int64_t depth_of(std::int64_t k) {
  const std::int64_t parts = (k + most_depth - 1) / most_depth;
  return (k + parts - 1) / parts;
}

}  // namespace

bool gemm_packed(const GemmBlock<float>& x) {
  static thread_local std::vector<float> strip, panels;
  const std::int64_t depth = depth_of(x.k),
                     columns = std::min((x.n + panel_columns - 1) / panel_columns * panel_columns, most_columns);
  strip.resize(std::max(strip.size(), static_cast<std::size_t>(strip_rows * depth + lanes)));
  panels.resize(std::max(panels.size(), static_cast<std::size_t>(columns * depth)));
  const OperandLines a{x.a, x.lda, !x.a_transposed}, b{x.b, x.ldb, x.b_transposed};
  for (std::int64_t j = 0; j < x.n; j += columns) {
    const std::int64_t n = std::min(columns, x.n - j);
    for (std::int64_t p = 0; p < x.k; p += depth) {
      const std::int64_t k = std::min(depth, x.k - p);
      const Into into = x.into == Into::assign && p > 0 ? Into::add : x.into;
      pack_panels<panel_columns>(b.at(j, p), n, k, panels.data());
      for (std::int64_t i = 0; i < x.m; i += strip_rows) {
        const std::int64_t m = std::min(strip_rows, x.m - i);
        pack_panels<panel_rows>(a.at(i, p), m, k, strip.data());
        for (std::int64_t column = 0; column < n; column += panel_columns)
          for (std::int64_t row = 0; row < m; row += panel_rows)
            multiply_tile_of(std::min(panel_rows, m - row), std::min(panel_columns, n - column), k,
                             strip.data() + row * k, panels.data() + column * k, x.c + (i + row) * x.ldc + j + column,
                             x.ldc, into);
      }
    }
  }
  return true;
}

#else

bool gemm_packed(const GemmBlock<float>&) { return false; }

#endif

}  // namespace minima::detail
