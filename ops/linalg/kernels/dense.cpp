#include <minima/ops/linalg/kernels/dense.h>

#include <minima/ops/loops/math/math_cpu.h>
#include <minima/ops/product/gemm/engine.h>
#include <minima/ops/product/gemm/gemm_block.h>
#include <minima/ops/product/gemm/one_thread.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

namespace minima::detail {

namespace {

/// Blocks up to this side are solved and factored element by element.
constexpr std::int64_t small = 24;

std::int64_t half_of(std::int64_t n) { return std::max((n / 2 + 15) / 16 * 16, std::int64_t{1}); }

/// y -= f·x
template <class T>
void subtract_row(T* y, const T* x, T f, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) y[i] -= f * x[i];
}

/// The element of op(a) at i, j.
template <class T>
T at(Dense<T> a, bool transposed, std::int64_t i, std::int64_t j) {
  return transposed ? a(j, i) : a(i, j);
}

/// Neighbours in a row that stay in registers, which an array would not.
template <class T, std::int64_t vectors>
struct Strip {
  typedef T Vector __attribute__((vector_size(64)));
  static constexpr std::int64_t lanes = sizeof(Vector) / sizeof(T), width = vectors * lanes;
  Vector v[vectors];

  explicit Strip(const T* from) {
    for (int k = 0; k < vectors; ++k) std::memcpy(&v[k], from + k * lanes, sizeof(Vector));
  }
  void store(T* to) const {
    for (int k = 0; k < vectors; ++k) std::memcpy(to + k * lanes, &v[k], sizeof(Vector));
  }
  void subtract(const T* x, T f) {
    for (int k = 0; k < vectors; ++k) {
      Vector piece;
      std::memcpy(&piece, x + k * lanes, sizeof piece);
      v[k] -= f * piece;
    }
  }
  void divide(T f) {
    const T inverse = 1 / f;
    if (std::isinf(inverse))  // also if f is so small that numbers divided by it are finite
      for (int k = 0; k < vectors; ++k) v[k] /= f;
    else
      for (int k = 0; k < vectors; ++k) v[k] *= inverse;
  }
};

/// As many columns of b from `column` on as strips of this width hold; returns the first one after them.
template <class Strip, class T>
std::int64_t solve_strips(Dense<T> a, Triangle triangle, bool forward, Dense<T> b, std::int64_t column) {
  const std::int64_t n = a.rows;
  for (; column + Strip::width <= b.columns; column += Strip::width)
    for (std::int64_t step = 0; step < n; ++step) {
      const std::int64_t i = forward ? step : n - 1 - step;
      const std::int64_t first = forward ? 0 : i + 1, last = forward ? i : n;
      Strip row(&b(i, column));
      for (std::int64_t j = first; j < last; ++j) row.subtract(&b(j, column), at(a, triangle.transposed, i, j));
      if (!triangle.unitriangular) row.divide(a(i, i));
      row.store(&b(i, column));
    }
  return column;
}

template <class T>
void solve_small(Dense<T> a, Triangle triangle, bool forward, Dense<T> b) {
  using Wide = Strip<T, 4>;
  using Narrow = Strip<T, 1>;
  std::int64_t column = solve_strips<Wide>(a, triangle, forward, b, 0);
  column = solve_strips<Narrow>(a, triangle, forward, b, column);
  if (column == b.columns) return;
  T memory[small * Narrow::width] = {};
  const Dense<T> rest = b.block(0, column, b.rows, b.columns - column),
                 copy{memory, b.rows, Narrow::width, Narrow::width};
  copy_matrix(rest, copy);
  solve_strips<Narrow>(a, triangle, forward, copy, 0);
  copy_matrix(copy.block(0, 0, rest.rows, rest.columns), rest);
}

template <class T>
void solve_columns(Dense<T> a, Triangle triangle, Dense<T> b) {
  const std::int64_t n = a.rows;
  const bool forward = triangle.upper == triangle.transposed;
  if (n <= small) return solve_small(a, triangle, forward, b);
  const std::int64_t top = half_of(n), rest = n - top;
  const Dense<T> b1 = b.block(0, 0, top, b.columns), b2 = b.block(top, 0, rest, b.columns);
  const Dense<T> a1 = a.block(0, 0, top, top), a2 = a.block(top, top, rest, rest);
  // The block that couples them, as it is stored.
  const Dense<T> coupling = triangle.upper ? a.block(0, top, top, rest) : a.block(top, 0, rest, top);
  if (forward) {
    solve_columns(a1, triangle, b1);
    subtract_product(b2, coupling, triangle.transposed, b1);
    solve_columns(a2, triangle, b2);
  } else {
    solve_columns(a2, triangle, b2);
    subtract_product(b1, coupling, triangle.transposed, b2);
    solve_columns(a1, triangle, b1);
  }
}

template <class T>
std::int64_t cholesky_small(Dense<T> a) {
  const std::int64_t n = a.rows;
  for (std::int64_t k = 0; k < n; ++k) {
    T* row = a.row(k);
    if (!(row[k] > 0)) return k + 1;  // NaN, too
    const T root = std::sqrt(row[k]), scale = 1 / root;
    row[k] = root;
    for (std::int64_t j = k + 1; j < n; ++j) row[j] *= scale;
    for (std::int64_t i = k + 1; i < n; ++i) subtract_row(a.row(i) + i, row + i, row[i], n - i);
  }
  return 0;
}

/// The upper triangle of c -= aᵀ·a, by halves; blocks on the diagonal are computed whole.
template <class T>
void subtract_square(Dense<T> c, Dense<T> a) {
  if (c.rows <= 128) return subtract_product(c, a, true, a);
  const std::int64_t top = half_of(c.rows), rest = c.rows - top;
  const Dense<T> left = a.block(0, 0, a.rows, top), right = a.block(0, top, a.rows, rest);
  subtract_square(c.block(0, 0, top, top), left);
  subtract_product(c.block(0, top, top, rest), left, true, right);
  subtract_square(c.block(top, top, rest, rest), right);
}

/// Swaps rows as the pivots first, …, last - 1 say.
template <class T>
void swap_rows(Dense<T> a, const std::int64_t* pivots, std::int64_t first, std::int64_t last) {
  for (std::int64_t i = first; i < last; ++i)
    if (pivots[i] != i) std::swap_ranges(a.row(i), a.row(i) + a.columns, a.row(pivots[i]));
}

/// Where the largest of the elements first, …, last - 1 is; NaN counts as larger than any number.
template <class T>
std::int64_t largest(const T* x, std::int64_t first, std::int64_t last) {
  const auto size = [&](std::int64_t i) { return math::cpu::bits(std::abs(x[i])); };  // as integers: maxima vectorise
  constexpr std::int64_t stretch = 64;
  math::cpu::Bits<T> best = 0;
  std::int64_t at = first;
  for (std::int64_t begin = first; begin < last; begin += stretch) {
    math::cpu::Bits<T> here = 0;
    for (std::int64_t i = begin; i < std::min(begin + stretch, last); ++i) here = std::max(here, size(i));
    if (here > best) best = here, at = begin;
  }
  while (size(at) != best) ++at;
  return at;
}

/// The columns that are factored one after another.
constexpr std::int64_t panel_width = 16;

/// factor_lu for at most panel_width columns, in rows of `columns`: the loops run down columns of a.
template <class T>
void factor_panel(Dense<T> a, std::int64_t* pivots, Dense<T> columns) {
  const std::int64_t m = a.rows, n = a.columns;
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) columns(j, i) = a(i, j);
  for (std::int64_t k = 0; k < std::min(m, n); ++k) {
    T* column = columns.row(k);
    const std::int64_t best = pivots[k] = largest(column, k, m);
    if (best != k)
      for (std::int64_t j = 0; j < n; ++j) std::swap(columns(j, k), columns(j, best));
    const T pivot = column[k];
    if (pivot == 0) continue;
    for (std::int64_t i = k + 1; i < m; ++i) column[i] /= pivot;
    for (std::int64_t j = k + 1; j < n; ++j)
      subtract_row(columns.row(j) + k + 1, column + k + 1, columns(j, k), m - k - 1);
  }
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) a(i, j) = columns(j, i);
}

template <class T>
void factor_columns(Dense<T> a, std::int64_t* pivots, Dense<T> memory) {
  const std::int64_t m = a.rows, n = a.columns, steps = std::min(m, n);
  if (steps == 0) return;
  if (n <= panel_width) return factor_panel(a, pivots, memory);
  const std::int64_t half = std::max(steps / 2 / panel_width * panel_width, panel_width);
  const std::int64_t left = std::min(half, steps), right = n - left;
  const Dense<T> right_columns = a.block(0, left, m, right);
  factor_columns(a.block(0, 0, m, left), pivots, memory);
  swap_rows(right_columns, pivots, 0, left);
  const Dense<T> corner = a.block(0, left, left, right), rest = a.block(left, left, m - left, right);
  solve_in_place(a.block(0, 0, left, left), {.unitriangular = true}, corner);
  subtract_product(rest, a.block(left, 0, m - left, left), false, corner);
  factor_columns(rest, pivots + left, memory);
  for (std::int64_t i = left; i < steps; ++i) pivots[i] += left;
  swap_rows(a.block(0, 0, m, left), pivots, left, steps);
}

/// c = op(a)·b, or added to c or subtracted from it.
template <class T>
void run_product(Dense<T> c, Dense<T> a, bool transposed, Dense<T> b, Into into) {
  // By sizes alone, so that results do not depend on the number of threads.
  constexpr std::int64_t height = 128, width = 256;
  const std::int64_t m = std::min(height, c.rows), n = std::min(width, c.columns), k = b.rows;
  constexpr std::int64_t least = std::int64_t{32} * 32 * 128;  // smaller ones take Eigen less time
  const Engine engine = m * n * k < least || is_library_closed() ? Engine::eigen : engine_for(dtype_of<T>);
  const std::int64_t down = (c.rows + height - 1) / height, across = (c.columns + width - 1) / width;
  const double nanoseconds = 0.03 * static_cast<double>(m * n * k);
  parallel_for(0, down * across, grain_for(nanoseconds), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t row = i / across * height, column = i % across * width;
      gemm_block<T>(engine, {std::min(height, c.rows - row), std::min(width, c.columns - column), k,
                             transposed ? &a(0, row) : a.row(row), a.ld, transposed, &b(0, column), b.ld, false,
                             &c(row, column), c.ld, into});
    }
  });
}

}  // namespace

template <class T>
void multiply(Dense<T> c, Dense<T> a, Dense<T> b) {
  run_product(c, a, false, b, Into::assign);
}

template <class T>
void subtract_product(Dense<T> c, Dense<T> a, bool transposed, Dense<T> b) {
  run_product(c, a, transposed, b, Into::subtract);
}

template <class T>
void solve_in_place(Dense<T> a, Triangle triangle, Dense<T> b) {
  // Strips of columns are independent.
  constexpr std::int64_t strip = 128;
  const std::int64_t strips = (b.columns + strip - 1) / strip;
  const double nanoseconds = 0.1 * static_cast<double>(a.rows * a.rows * strip);
  parallel_for(0, strips, grain_for(nanoseconds), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i)
      solve_columns(a, triangle, b.block(0, i * strip, b.rows, std::min(strip, b.columns - i * strip)));
  });
}

template <class T>
std::int64_t factor_cholesky(Dense<T> a) {
  const std::int64_t n = a.rows;
  if (n <= small) return cholesky_small(a);
  const std::int64_t top = half_of(n), rest = n - top;
  const Dense<T> first = a.block(0, 0, top, top), coupling = a.block(0, top, top, rest);
  if (const std::int64_t order = factor_cholesky(first)) return order;
  solve_in_place(first, {.upper = true, .transposed = true}, coupling);
  const Dense<T> last = a.block(top, top, rest, rest);
  subtract_square(last, coupling);
  const std::int64_t order = factor_cholesky(last);
  return order ? top + order : 0;
}

template <class T>
void factor_lu(Dense<T> a, std::int64_t* pivots) {
  const Scratch<T> memory(panel_width, a.rows);
  factor_columns(a, pivots, memory.matrix());
}

template <class T>
void solve_lu(Dense<T> lu, const std::int64_t* pivots, Dense<T> b) {
  swap_rows(b, pivots, 0, lu.rows);
  solve_in_place(lu, {.unitriangular = true}, b);
  solve_in_place(lu, {.upper = true}, b);
}

template void multiply(Dense<float>, Dense<float>, Dense<float>);
template void multiply(Dense<double>, Dense<double>, Dense<double>);
template void subtract_product(Dense<float>, Dense<float>, bool, Dense<float>);
template void subtract_product(Dense<double>, Dense<double>, bool, Dense<double>);
template void solve_in_place(Dense<float>, Triangle, Dense<float>);
template void solve_in_place(Dense<double>, Triangle, Dense<double>);
template std::int64_t factor_cholesky(Dense<float>);
template std::int64_t factor_cholesky(Dense<double>);
template void factor_lu(Dense<float>, std::int64_t*);
template void factor_lu(Dense<double>, std::int64_t*);
template void solve_lu(Dense<float>, const std::int64_t*, Dense<float>);
template void solve_lu(Dense<double>, const std::int64_t*, Dense<double>);

}  // namespace minima::detail
