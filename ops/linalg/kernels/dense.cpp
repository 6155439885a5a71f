#include <minima/ops/linalg/kernels/dense.h>

#include <minima/tensor/threads/parallel.h>

#include <Eigen/Core>  // IWYU pragma: keep

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace minima::detail {

namespace {

template <class T>
using DenseMap = Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>, Eigen::Unaligned,
                            Eigen::OuterStride<>>;
template <class T>
DenseMap<T> map(Dense<T> x) {
  return {x.data, x.rows, x.columns, Eigen::OuterStride<>(x.ld)};
}

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

template <class T>
void solve_small(Dense<T> a, Triangle triangle, bool forward, Dense<T> b) {
  const std::int64_t n = a.rows;
  for (std::int64_t step = 0; step < n; ++step) {
    const std::int64_t i = forward ? step : n - 1 - step;
    const std::int64_t first = forward ? 0 : i + 1, last = forward ? i : n;
    T* row = b.row(i);
    for (std::int64_t j = first; j < last; ++j)
      subtract_row(row, b.row(j), at(a, triangle.transposed, i, j), b.columns);
    if (!triangle.unitriangular) {
      const T diagonal = a(i, i);
      for (std::int64_t c = 0; c < b.columns; ++c) row[c] /= diagonal;
    }
  }
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

template <class T>
void lu_small(Dense<T> a, std::int64_t* pivots) {
  const std::int64_t m = a.rows, n = a.columns;
  for (std::int64_t k = 0; k < std::min(m, n); ++k) {
    std::int64_t best = k;
    for (std::int64_t i = k + 1; i < m; ++i)
      if (std::abs(a(i, k)) > std::abs(a(best, k))) best = i;
    pivots[k] = best;
    T* row = a.row(k);
    if (best != k) std::swap_ranges(row, row + n, a.row(best));
    if (row[k] == 0) continue;
    for (std::int64_t i = k + 1; i < m; ++i) {
      const T factor = a(i, k) / row[k];
      a(i, k) = factor;
      subtract_row(a.row(i) + k + 1, row + k + 1, factor, n - k - 1);
    }
  }
}

}  // namespace

template <class T>
void subtract_product(Dense<T> c, Dense<T> a, bool transposed, Dense<T> b) {
  // By sizes alone, so that results do not depend on the number of threads.
  constexpr std::int64_t side = 128;
  const auto product = [&](std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns) {
    auto part = map(c.block(row, column, rows, columns));
    const auto right = map(b.block(0, column, b.rows, columns));
    if (transposed) part.noalias() -= map(a.block(0, row, a.rows, rows)).transpose() * right;
    else part.noalias() -= map(a.block(row, 0, rows, a.columns)) * right;
  };
  const std::int64_t down = (c.rows + side - 1) / side, across = (c.columns + 2 * side - 1) / (2 * side);
  const double nanoseconds = 0.1 * static_cast<double>(side * 2 * side * b.rows);
  parallel_for(0, down * across, grain_for(nanoseconds), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t row = i / across * side, column = i % across * 2 * side;
      product(row, std::min(side, c.rows - row), column, std::min(2 * side, c.columns - column));
    }
  });
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
  const std::int64_t m = a.rows, n = a.columns, steps = std::min(m, n);
  if (steps <= 8) return lu_small(a, pivots);
  const std::int64_t left = std::max<std::int64_t>(steps / 2 / 8 * 8, 1), right = n - left;
  const Dense<T> right_columns = a.block(0, left, m, right);
  factor_lu(a.block(0, 0, m, left), pivots);
  swap_rows(right_columns, pivots, 0, left);
  const Dense<T> corner = a.block(0, left, left, right), rest = a.block(left, left, m - left, right);
  solve_in_place(a.block(0, 0, left, left), {.unitriangular = true}, corner);
  subtract_product(rest, a.block(left, 0, m - left, left), false, corner);
  factor_lu(rest, pivots + left);
  for (std::int64_t i = left; i < steps; ++i) pivots[i] += left;
  swap_rows(a.block(0, 0, m, left), pivots, left, steps);
}

template void subtract_product(Dense<float>, Dense<float>, bool, Dense<float>);
template void subtract_product(Dense<double>, Dense<double>, bool, Dense<double>);
template void solve_in_place(Dense<float>, Triangle, Dense<float>);
template void solve_in_place(Dense<double>, Triangle, Dense<double>);
template std::int64_t factor_cholesky(Dense<float>);
template std::int64_t factor_cholesky(Dense<double>);
template void factor_lu(Dense<float>, std::int64_t*);
template void factor_lu(Dense<double>, std::int64_t*);

}  // namespace minima::detail
