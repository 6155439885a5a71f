#pragma once

#include <minima/ops/linalg/kernels/dense.h>
#include <minima/ops/linalg/kernels/reflections.h>
#include <minima/tensor/base/loop_pragmas.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstdint>

// Reduction of a matrix to a band by reflections (LAPACK's xSYTRD and xGEBRD). Within a panel of columns the matrix
// stays as it is, and each step corrects the vectors that it needs; then one product takes all the panel's reflections
// to the rest. Internal.

namespace minima::detail {

/// Collects what has to be subtracted from a matrix in a Scratch: the sum of left(i)·right(i)ᵀ.
template <class T>
class PendingUpdate {
 public:
  PendingUpdate(std::int64_t rows, std::int64_t columns)
      : most_(columns <= small ? 2 : 64), left_(most_, rows), right_(most_, columns) {
    left_.clear();
    right_.clear();
  }

  /// The vectors of the next term, which push() adds to the sum.
  T* next_left() const { return left_.matrix().row(count_); }
  T* next_right() const { return right_.matrix().row(count_); }
  void push() { ++count_; }

  /// x -= row i of the sum, from column `first` on.
  void correct_row(T* x, std::int64_t i, std::int64_t first) const {
    subtract(x, right_.matrix(), first, [&](std::int64_t p) { return left_.matrix()(p, i); });
  }
  /// x -= column j of the sum, from row `first` on.
  void correct_column(T* x, std::int64_t j, std::int64_t first) const {
    subtract(x, left_.matrix(), first, [&](std::int64_t p) { return right_.matrix()(p, j); });
  }
  /// x -= the sum · y, from row `first` on; y is zero before element `from`.
  void correct_product(T* x, std::int64_t first, const T* y, std::int64_t from) const {
    correct_product(x, left_.matrix(), first, y, right_.matrix(), from);
  }
  /// x -= the transposed sum · y, from column `first` on; y is zero before element `from`.
  void correct_transposed_product(T* x, std::int64_t first, const T* y, std::int64_t from) const {
    correct_product(x, right_.matrix(), first, y, left_.matrix(), from);
  }

  /// Subtracts the sum from the block of a that starts at k, k, once that takes little time.
  void apply_if_worthwhile(Dense<T> a, std::int64_t k) {
    const std::int64_t rows = a.rows - k, columns = a.columns - k;
    if (columns <= small) {
      parallel_for(k, a.rows, grain_for(0.1 * static_cast<double>(columns)),
                   [&](std::int64_t first, std::int64_t last) {
                     for (std::int64_t i = first; i < last; ++i) correct_row(a.row(i), i, k);
                   });
    } else if (count_ == most_) {
      subtract_product(a.block(k, k, rows, columns), left_.matrix().block(0, k, count_, rows), true,
                       right_.matrix().block(0, k, count_, columns));
    } else {
      return;
    }
    count_ = 0;
  }

 private:
  static constexpr std::int64_t small = 64;  ///< columns that are updated after every step

  template <class Weight>
  void subtract(T* x, Dense<T> vectors, std::int64_t first, Weight weight) const {
    const Lines<T> lines(first, vectors.columns);
    for (std::int64_t p = 0; p < count_; p += 2) {
      const bool two = p + 1 < count_;
      const T w = weight(p), next_w = two ? weight(p + 1) : T(0);
      const T *const v = vectors.row(p), *const next = two ? vectors.row(p + 1) : v;
      MINIMA_IVDEP
      for (std::int64_t i = lines.begin; i < lines.end; ++i) x[i] -= w * v[i] + next_w * next[i];
    }
  }
  void correct_product(T* x, Dense<T> vectors, std::int64_t first, const T* y, Dense<T> others,
                       std::int64_t from) const {
    const Lines<T> lines(from, others.columns);
    const auto part = [&](const T* v) {
      return VectorMap<T>(const_cast<T*>(v) + lines.begin, lines.end - lines.begin);
    };
    subtract(x, vectors, first, [&](std::int64_t p) { return part(others.row(p)).dot(part(y)); });
  }

  std::int64_t most_;
  Scratch<T> left_, right_;
  std::int64_t count_ = 0;
};

/// Takes the symmetric `a`, given whole, to Qᵀ·A·Q with these diagonals, Q = q's product. Overwrites it; behind its
/// rows there are zeros.
template <class T>
void reduce_to_tridiagonal(Dense<T> a, T* diagonal, T* off_diagonal, Reflections<T>& q) {
  const std::int64_t n = a.rows;
  PendingUpdate<T> update(n, n);
  for (std::int64_t k = 0; k + 1 < n; ++k) {
    const std::int64_t next = k + 1, rest = n - next;
    T* const v = q.vectors().row(k);
    std::copy(a.row(k) + k, a.row(k) + n, v + k);
    update.correct_row(v, k, k);
    diagonal[k] = v[k];
    off_diagonal[k] = q.reflect(k);
    T* const w = update.next_right();
    multiply_vector_transposed(w, a.block(next, 0, rest, n), v + next, next);  // a is symmetric
    update.correct_product(w, next, v, next);
    VectorMap<T> of_v(v + next, rest), of_w(w + next, rest);
    const T f = q.factor(k), slope = f / 2 * of_w.dot(of_v);
    of_w = f * (of_w - slope * of_v);
    std::copy(v + next, v + n, update.next_left() + next);
    update.push();
    std::copy(w + next, w + n, update.next_left() + next);
    std::copy(v + next, v + n, update.next_right() + next);
    update.push();
    update.apply_if_worthwhile(a, next);
  }
  diagonal[n - 1] = a(n - 1, n - 1);
}

/// Takes `a` of at least as many rows as columns to Pᵀ·A·Q with these diagonals, P = left's product and Q = right's.
/// Overwrites it; behind its rows there are zeros.
template <class T>
void reduce_to_bidiagonal(Dense<T> a, T* diagonal, T* superdiagonal, Reflections<T>& left, Reflections<T>& right) {
  const std::int64_t m = a.rows, n = a.columns;
  PendingUpdate<T> update(m, n);
  for (std::int64_t k = 0; k < n; ++k) {
    const std::int64_t next = k + 1;
    T* const u = left.vectors().row(k);
    for (std::int64_t i = k; i < m; ++i) u[i] = a(i, k);
    update.correct_column(u, k, k);
    diagonal[k] = left.reflect(k);
    if (next == n) break;

    T* const y = update.next_right();
    multiply_vector_transposed(y, a.block(k, 0, m - k, n), u + k, next);
    update.correct_transposed_product(y, next, u, k);
    VectorMap<T>(y + next, n - next) *= left.factor(k);
    std::copy(u + k, u + m, update.next_left() + k);
    update.push();

    T* const v = right.vectors().row(k);
    std::copy(a.row(k) + next, a.row(k) + n, v + next);
    update.correct_row(v, k, next);
    superdiagonal[k] = right.reflect(k);
    T* const x = update.next_left();
    multiply_vector(x + next, a.block(next, next, m - next, n - next), v + next);
    update.correct_product(x, next, v, next);
    VectorMap<T>(x + next, m - next) *= right.factor(k);
    std::copy(v + next, v + n, update.next_right() + next);
    update.push();
    update.apply_if_worthwhile(a, next);
  }
}

}  // namespace minima::detail
