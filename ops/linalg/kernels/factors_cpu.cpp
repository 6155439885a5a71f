#include <minima/ops/linalg/kernels/batch.h>
#include <minima/ops/linalg/kernels/dense.h>
#include <minima/ops/linalg/kernels/linalg_kernels.h>
#include <minima/ops/loops/loop.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace minima::detail {

namespace {

template <class T>
void transpose_matrix(Dense<T> from, Dense<T> to) {
  if (from.rows <= 32) {  // where a copy's plan would take longer
    for (std::int64_t i = 0; i < from.rows; ++i)
      for (std::int64_t j = 0; j < from.columns; ++j) to(j, i) = from(i, j);
    return;
  }
  const Layout columns{{to.rows, to.columns}, {1, from.ld}}, rows{{to.rows, to.columns}, {to.ld, 1}};
  pointwise::copy({to.data, rows, dtype_of<T>}, {from.data, columns, dtype_of<T>});
}

template <class T>
void clear_below_diagonal(Dense<T> x) {
  for (std::int64_t i = 1; i < x.rows; ++i) std::fill_n(x.row(i), std::min(i, x.columns), T(0));
}

double cube(std::int64_t n) { return static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n); }
double square_by(std::int64_t n, std::int64_t k) {
  return static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(k);
}

/// The first zero on the diagonal, counted from 1, or 0.
template <class T>
std::int64_t zero_pivot(Dense<T> lu) {
  for (std::int64_t i = 0; i < std::min(lu.rows, lu.columns); ++i)
    if (lu(i, i) == 0) return i + 1;
  return 0;
}

/// Whether an odd number of rows was swapped.
bool is_odd(const std::vector<std::int64_t>& pivots) {
  bool odd = false;
  for (std::size_t i = 0; i < pivots.size(); ++i) odd ^= pivots[i] != static_cast<std::int64_t>(i);
  return odd;
}

/// Memory for the factors of matrices [n, n].
template <class T>
struct LuMemory {
  explicit LuMemory(std::int64_t n) : factors(n, n), pivots(static_cast<std::size_t>(n)) {}
  Scratch<T> factors;
  std::vector<std::int64_t> pivots;
};

/// Calls f(index, factors, pivots from 0) for `count` matrices.
template <class T, class F>
void each_lu(const Tensor& x, std::int64_t count, F f) {
  const std::int64_t n = rows_of(x);
  each_matrix(
      count, 0.7 * cube(n), [=] { return LuMemory<T>(n); },
      [&](std::int64_t i, LuMemory<T>& memory) {
        const Dense<T> lu = memory.factors.matrix();
        copy_matrix(matrix_at<T>(x, i), lu);
        factor_lu(lu, memory.pivots.data());
        f(i, lu, memory.pivots);
      });
}

/// y = U⁻¹·L⁻¹·P
template <class T>
void invert_lu(Dense<T> lu, const std::int64_t* pivots, Dense<T> y) {
  constexpr std::int64_t strip = 64;
  const std::int64_t n = lu.rows;
  // Column k of U⁻¹·L⁻¹ becomes column places[k].
  std::vector<std::int64_t> columns(static_cast<std::size_t>(n)), places(columns.size());
  std::iota(columns.begin(), columns.end(), 0);
  for (std::size_t k = columns.size(); k-- > 0;) std::swap(columns[k], columns[static_cast<std::size_t>(pivots[k])]);
  for (std::size_t k = 0; k < columns.size(); ++k)
    places[static_cast<std::size_t>(columns[k])] = static_cast<std::int64_t>(k);
  const double nanoseconds = 0.05 * static_cast<double>(n * n * strip);
  parallel_for(0, (n + strip - 1) / strip, grain_for(nanoseconds), [&](std::int64_t first, std::int64_t last) {
    const Scratch<T> memory(n, strip);
    for (std::int64_t column = first * strip; column < std::min(last * strip, n); column += strip) {
      // Columns of L⁻¹ are zero above the diagonal.
      const std::int64_t width = std::min(strip, n - column), rest = n - column;
      const Dense<T> part = memory.matrix().block(0, 0, n, width), below = part.block(column, 0, rest, width);
      for (std::int64_t i = 0; i < n; ++i) std::fill_n(part.row(i), width, T(0));
      for (std::int64_t k = 0; k < width; ++k) below(k, k) = 1;
      solve_in_place(lu.block(column, column, rest, rest), {.unitriangular = true}, below);
      solve_in_place(lu, {.upper = true}, part);
      const std::int64_t* to = places.data() + column;
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t k = 0; k < width; ++k) y(i, to[k]) = part(i, k);
    }
  });
}

}  // namespace

Infos cholesky_kernel(const Tensor& x, bool upper, Tensor& y) {
  Infos infos(static_cast<std::size_t>(count_filled(x)));
  for_dtype(x, [&]<class T> {
    const std::int64_t n = rows_of(x);
    const auto factor = [&](std::int64_t i, const Scratch<T>& memory) {
      const Dense<T> from = matrix_at<T>(x, i), to = matrix_at<T>(y, i), u = memory.matrix();
      if (upper) copy_matrix(from, u);
      else transpose_matrix(from, u);
      infos[static_cast<std::size_t>(i)] = factor_cholesky(u);
      clear_below_diagonal(u);
      if (upper) copy_matrix(u, to);
      else transpose_matrix(u, to);
    };
    each_matrix(count_filled(x), cube(n) / 3, [=] { return Scratch<T>(n, n); }, factor);
  });
  return infos;
}

void lu_kernel(const Tensor& x, Tensor& lu, Tensor& pivots) {
  const std::int64_t steps = std::min(rows_of(x), columns_of(x));
  for_dtype(x, [&]<class T> {
    const auto factor = [&](std::int64_t i, const Scratch<T>& memory) {
      std::int64_t* swaps = pivots.data<std::int64_t>() + i * steps;
      copy_matrix(matrix_at<T>(x, i), memory.matrix());
      factor_lu(memory.matrix(), swaps);
      copy_matrix(memory.matrix(), matrix_at<T>(lu, i));
      for (std::int64_t k = 0; k < steps; ++k) ++swaps[k];
    };
    each_matrix(
        count_filled(x), 2 * square_by(steps, std::max(rows_of(x), columns_of(x))) / 3,
        [=, rows = rows_of(x), columns = columns_of(x)] { return Scratch<T>(rows, columns); }, factor);
  });
}

void permute_rows_kernel(const Tensor& x, const Tensor& pivots, bool back, Tensor& y) {
  const std::int64_t steps = pivots.shape().back();
  for_dtype(x, [&]<class T> {
    each_matrix(count_filled(x), static_cast<double>(rows_of(x) * columns_of(x)), [&](std::int64_t i) {
      const Dense<T> to = matrix_at<T>(y, i);
      const std::int64_t* swaps = pivots.data<std::int64_t>() + i * steps;
      copy_matrix(matrix_at<T>(x, i), to);
      for (std::int64_t step = 0; step < steps; ++step) {
        const std::int64_t k = back ? steps - 1 - step : step;
        if (swaps[k] != k + 1) std::swap_ranges(to.row(k), to.row(k) + to.columns, to.row(swaps[k] - 1));
      }
    });
  });
}

void solve_triangular_kernel(const Tensor& a, bool upper, bool unitriangular, const Tensor& b, Tensor& x) {
  for_dtype(a, [&]<class T> {
    each_matrix(count_filled(a), square_by(rows_of(a), columns_of(b)), [&](std::int64_t i) {
      const Dense<T> to = matrix_at<T>(x, i);
      copy_matrix(matrix_at<T>(b, i), to);
      solve_in_place(matrix_at<T>(a, i), {.upper = upper, .unitriangular = unitriangular}, to);
    });
  });
}

Infos solve_kernel(const Tensor& a, const Tensor& b, Tensor& x, Tensor& lu, Tensor& pivots) {
  Infos infos(static_cast<std::size_t>(count_filled(a)));
  const std::int64_t n = rows_of(a);
  for_dtype(a, [&]<class T> {
    const auto solve = [&](std::int64_t i, LuMemory<T>& memory) {
      const Dense<T> factors = memory.factors.matrix(), to = matrix_at<T>(x, i);
      copy_matrix(matrix_at<T>(a, i), factors);
      copy_matrix(matrix_at<T>(b, i), to);
      factor_lu(factors, memory.pivots.data());
      infos[static_cast<std::size_t>(i)] = zero_pivot(factors);
      solve_lu(factors, memory.pivots.data(), to);
      if (!lu.defined()) return;
      copy_matrix(factors, matrix_at<T>(lu, i));
      for (std::int64_t k = 0; k < n; ++k)
        pivots.data<std::int64_t>()[i * n + k] = memory.pivots[static_cast<std::size_t>(k)] + 1;
    };
    each_matrix(
        count_filled(a), 0.7 * cube(n) + 2 * square_by(n, columns_of(b)), [=] { return LuMemory<T>(n); }, solve);
  });
  return infos;
}

void solve_transposed_kernel(const Tensor& lu, const Tensor& pivots, const Tensor& b, Tensor& x) {
  const std::int64_t n = rows_of(lu);
  for_dtype(lu, [&]<class T> {
    each_matrix(count_filled(lu), 2 * square_by(n, columns_of(b)), [&](std::int64_t i) {
      const Dense<T> factors = matrix_at<T>(lu, i), to = matrix_at<T>(x, i);
      copy_matrix(matrix_at<T>(b, i), to);
      solve_in_place(factors, {.upper = true, .transposed = true}, to);
      solve_in_place(factors, {.transposed = true, .unitriangular = true}, to);
      const std::int64_t* swaps = pivots.data<std::int64_t>() + i * n;
      for (std::int64_t k = n; k-- > 0;)
        if (swaps[k] != k + 1) std::swap_ranges(to.row(k), to.row(k) + to.columns, to.row(swaps[k] - 1));
    });
  });
}

Infos inv_kernel(const Tensor& x, Tensor& y) {
  Infos infos(static_cast<std::size_t>(count_filled(x)));
  for_dtype(x, [&]<class T> {
    each_lu<T>(x, count_filled(x), [&](std::int64_t i, Dense<T> lu, const std::vector<std::int64_t>& pivots) {
      const Dense<T> to = matrix_at<T>(y, i);
      const std::int64_t failed = infos[static_cast<std::size_t>(i)] = zero_pivot(lu);
      if (failed) std::fill_n(to.data, to.rows * to.columns, std::numeric_limits<T>::infinity());
      else invert_lu(lu, pivots.data(), to);
    });
  });
  return infos;
}

void det_kernel(const Tensor& x, Tensor& y) {
  for_dtype(x, [&]<class T> {
    each_lu<T>(x, count_matrices(x), [&](std::int64_t i, Dense<T> lu, const std::vector<std::int64_t>& pivots) {
      T product = is_odd(pivots) ? T(-1) : T(1);
      for (std::int64_t k = 0; k < lu.rows; ++k) product *= lu(k, k);
      y.data<T>()[i] = product;
    });
  });
}

void slogdet_kernel(const Tensor& x, Tensor& sign, Tensor& logarithm) {
  for_dtype(x, [&]<class T> {
    each_lu<T>(x, count_matrices(x), [&](std::int64_t i, Dense<T> lu, const std::vector<std::int64_t>& pivots) {
      T negative = is_odd(pivots) ? T(-1) : T(1), total = 0;
      for (std::int64_t k = 0; k < lu.rows; ++k) {
        const T pivot = lu(k, k);
        if (pivot == 0) negative = 0;
        else if (pivot < 0) negative = -negative;
        total += std::log(std::abs(pivot));
      }
      sign.data<T>()[i] = negative;
      logarithm.data<T>()[i] = total;
    });
  });
}

void identity_kernel(Tensor& y) {
  for_dtype(y, [&]<class T> {
    each_matrix(count_filled(y), static_cast<double>(rows_of(y) * columns_of(y)), [&](std::int64_t i) {
      const Dense<T> to = matrix_at<T>(y, i);
      std::fill_n(to.data, to.rows * to.columns, T(0));
      for (std::int64_t k = 0; k < std::min(to.rows, to.columns); ++k) to(k, k) = 1;
    });
  });
}

}  // namespace minima::detail
