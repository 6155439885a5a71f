#include <minima/ops/linalg/kernels/dense.h>
#include <minima/ops/linalg/kernels/linalg_kernels.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace minima::detail {

namespace {

template <class T>
void swap_rows(Dense<T> x, std::int64_t i, std::int64_t j) {
  if (i != j) std::swap_ranges(x.row(i), x.row(i) + x.columns, x.row(j));
}

struct Pivot {
  std::int64_t row;
  std::int64_t size;  ///< of the block of D: 1 or 2
};

/// The pivot of step k: LAPACK's dsytf2 bounds the growth of elements by (1 + √17) / 8.
template <class T>
Pivot choose_pivot(Dense<T> a, std::int64_t k) {
  const T bound = static_cast<T>((1 + std::sqrt(17.0)) / 8), here = std::abs(a(k, k));
  std::int64_t largest = k;
  T column = 0, row = 0;
  for (std::int64_t i = k + 1; i < a.rows; ++i)
    if (std::abs(a(i, k)) > column) column = std::abs(a(i, k)), largest = i;
  if (column == 0 || here >= bound * column) return {k, 1};
  for (std::int64_t j = k; j < largest; ++j) row = std::max(row, std::abs(a(largest, j)));
  for (std::int64_t i = largest + 1; i < a.rows; ++i) row = std::max(row, std::abs(a(i, largest)));
  if (here >= bound * column * (column / row)) return {k, 1};
  return {largest, std::abs(a(largest, largest)) >= bound * row ? 1 : 2};
}

/// Exchanges rows and columns i < j of the symmetric matrix that starts at k.
template <class T>
void exchange(Dense<T> a, std::int64_t k, std::int64_t i, std::int64_t j) {
  for (std::int64_t row = j + 1; row < a.rows; ++row) std::swap(a(row, i), a(row, j));
  for (std::int64_t between = i + 1; between < j; ++between) std::swap(a(between, i), a(j, between));
  std::swap(a(i, i), a(j, j));
  if (i > k) std::swap(a(i, k), a(j, k));
}

template <class T>
void eliminate_one(Dense<T> a, std::int64_t k) {
  if (a(k, k) == 0) return;
  for (std::int64_t i = k + 1; i < a.rows; ++i)
    for (std::int64_t j = k + 1; j <= i; ++j) a(i, j) -= a(i, k) * (a(j, k) / a(k, k));
  for (std::int64_t i = k + 1; i < a.rows; ++i) a(i, k) /= a(k, k);
}

template <class T>
void eliminate_two(Dense<T> a, std::int64_t k) {
  const T off = a(k + 1, k), lower = a(k + 1, k + 1) / off, upper = a(k, k) / off;
  const T scale = 1 / (lower * upper - 1) / off;
  for (std::int64_t j = k + 2; j < a.rows; ++j) {
    const T first = scale * (lower * a(j, k) - a(j, k + 1)), second = scale * (upper * a(j, k + 1) - a(j, k));
    for (std::int64_t i = j; i < a.rows; ++i) a(i, j) -= a(i, k) * first + a(i, k + 1) * second;
    a(j, k) = first, a(j, k + 1) = second;
  }
}

template <class T>
void factor_ldl(Dense<T> a, std::int64_t* pivots) {
  for (std::int64_t k = 0; k < a.rows;) {
    const Pivot pivot = choose_pivot(a, k);
    const std::int64_t last = k + pivot.size - 1;
    if (pivot.row != last) exchange(a, k, last, pivot.row);
    if (pivot.size == 1) eliminate_one(a, k);
    else eliminate_two(a, k);
    for (std::int64_t i = k; i <= last; ++i) pivots[i] = pivot.size == 1 ? pivot.row + 1 : -(pivot.row + 1);
    k += pivot.size;
  }
}

/// row i of b -= factor · row j
template <class T>
void subtract(Dense<T> b, std::int64_t i, T factor, std::int64_t j) {
  for (std::int64_t c = 0; c < b.columns; ++c) b(i, c) -= factor * b(j, c);
}

/// b ← D⁻¹ of the block at k, times b.
template <class T>
void divide_by_block(Dense<T> a, std::int64_t k, Dense<T> b) {
  const T off = a(k + 1, k), upper = a(k, k) / off, lower = a(k + 1, k + 1) / off, scale = upper * lower - 1;
  for (std::int64_t c = 0; c < b.columns; ++c) {
    const T first = b(k, c) / off, second = b(k + 1, c) / off;
    b(k, c) = (lower * first - second) / scale;
    b(k + 1, c) = (upper * second - first) / scale;
  }
}

template <class T>
void solve_ldl(Dense<T> a, const std::int64_t* pivots, Dense<T> b) {
  const std::int64_t n = a.rows;
  for (std::int64_t k = 0; k < n;) {  // L·D
    const std::int64_t size = pivots[k] > 0 ? 1 : 2, last = k + size - 1;
    swap_rows(b, last, std::abs(pivots[k]) - 1);
    for (std::int64_t i = k + size; i < n; ++i)
      for (std::int64_t j = k; j <= last; ++j) subtract(b, i, a(i, j), j);
    if (size == 2) divide_by_block(a, k, b);
    else
      for (std::int64_t c = 0; c < b.columns; ++c) b(k, c) /= a(k, k);
    k += size;
  }
  for (std::int64_t last = n - 1; last >= 0;) {  // Lᵀ
    const std::int64_t size = pivots[last] > 0 ? 1 : 2;
    for (std::int64_t j = last - size + 1; j <= last; ++j)
      for (std::int64_t i = last + 1; i < n; ++i) subtract(b, j, a(i, j), i);
    swap_rows(b, last, std::abs(pivots[last]) - 1);
    last -= size;
  }
}

}  // namespace

void ldl_kernel(const Tensor& x, Tensor& ld, Tensor& pivots) {
  const std::int64_t n = rows_of(x);
  const auto size = static_cast<double>(n);
  for_dtype(x, [&]<class T> {
    each_matrix(count_filled(x), size * size * size / 3, [&](std::int64_t i) {
      const Dense<T> from = matrix_at<T>(x, i), to = matrix_at<T>(ld, i);
      for (std::int64_t row = 0; row < n; ++row) {
        std::copy_n(from.row(row), row + 1, to.row(row));
        std::fill_n(to.row(row) + row + 1, n - row - 1, T(0));
      }
      factor_ldl(to, pivots.data<std::int64_t>() + i * n);
    });
  });
}

void ldl_solve_kernel(const Tensor& ld, const Tensor& pivots, const Tensor& b, Tensor& x) {
  const std::int64_t n = rows_of(ld);
  const auto size = static_cast<double>(n);
  for_dtype(ld, [&]<class T> {
    each_matrix(count_filled(b), 2 * size * size * static_cast<double>(columns_of(b)), [&](std::int64_t i) {
      const Dense<T> to = matrix_at<T>(x, i);
      std::copy_n(b.data<T>() + i * n * to.columns, n * to.columns, to.data);
      solve_ldl(matrix_at<T>(ld, i), pivots.data<std::int64_t>() + i * n, to);
    });
  });
}

}  // namespace minima::detail
