#pragma once

#include <minima/ops/linalg/kernels/dense.h>
#include <minima/ops/linalg/kernels/eigen_matrix.h>
#include <minima/tensor/base/loop_pragmas.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

// QR steps, and the rotations that turn a basis into eigenvectors or singular vectors. Internal.

namespace minima::detail {

/// A column-major matrix whose columns rotate.
template <class T>
class RotatedColumns {
 public:
  RotatedColumns(std::int64_t rows, std::int64_t columns) : memory_(columns, rows) {}
  auto matrix() const {
    using Map = Eigen::Map<ColumnMajor<T>, Eigen::Unaligned, Eigen::OuterStride<>>;
    const Dense<T> x = vectors();
    return Map(x.data, x.columns, x.rows, Eigen::OuterStride<>(x.ld));
  }
  /// The columns, as rows of memory.
  Dense<T> vectors() const { return memory_.matrix(); }

 private:
  Scratch<T> memory_;
};

/// A rotation of the rows `row` and row + 1 by [c, -s; s, c].
template <class T>
struct RowRotation {
  std::int64_t row;
  T c, s;
};

/// Applies `count` rotations of rows that follow each other, each of which begins with the last row of the one before.
template <int count, class T>
void rotate_neighbours(const RowRotation<T>* rotations, Dense<T> rows) {
  T c[count], s[count];
  for (int j = 0; j < count; ++j) c[j] = rotations[j].c, s[j] = rotations[j].s;
  T* const x = rows.row(rotations[0].row);
  MINIMA_IVDEP
  for (std::int64_t i = 0; i < rows.columns; ++i) {
    T upper = x[i];
    for (int j = 0; j < count; ++j) {
      const T below = x[(j + 1) * rows.ld + i];
      x[j * rows.ld + i] = c[j] * upper - s[j] * below;
      upper = s[j] * upper + c[j] * below;
    }
    x[count * rows.ld + i] = upper;
  }
}

/// Applies rotations in order, to one strip of columns at a time, which stays in the cache.
template <class T>
void rotate_rows(const std::vector<RowRotation<T>>& rotations, Dense<T> rows) {
  constexpr std::int64_t strip = 128, together = 8;
  const auto rotate = [&](Dense<T> x) {
    const RowRotation<T>* next = rotations.data();
    for (const RowRotation<T>* const end = next + rotations.size(); next < end;) {
      std::int64_t count = 1;
      while (count < together && next + count < end && next[count].row == next->row + count) ++count;
      if (count == together) {
        rotate_neighbours<together>(next, x);
        next += together;
      } else {
        rotate_neighbours<1>(next++, x);
      }
    }
  };
  const double nanoseconds = 0.1 * static_cast<double>(rotations.size()) * static_cast<double>(strip);
  parallel_for(0, (rows.columns + strip - 1) / strip, grain_for(nanoseconds + 1),
               [&](std::int64_t first, std::int64_t last) {
                 for (std::int64_t i = first; i < last; ++i)
                   rotate(rows.block(0, i * strip, rows.rows, std::min(strip, rows.columns - i * strip)));
               });
}

/// Collects rotations of some vectors: many at once take less time.
template <class T>
class DeferredRotations {
 public:
  /// Without rows, rotations are dropped.
  explicit DeferredRotations(Dense<T> vectors) : vectors_(vectors) {}
  void add(std::int64_t row, T c, T s) {
    if (vectors_.rows > 0) deferred_.push_back({row, c, s});
  }
  void apply() {
    if (!deferred_.empty()) rotate_rows(deferred_, vectors_);
    deferred_.clear();
  }
  /// Applies them if there are many.
  void apply_if_many() {
    constexpr std::size_t many = 1 << 16;
    if (deferred_.size() >= many) apply();
  }

 private:
  Dense<T> vectors_;
  std::vector<RowRotation<T>> deferred_;
};

/// Takes steps on a matrix with a diagonal of n elements and `off_diagonal` next to it until the latter is zero:
/// step(first, last) on the last rows that no zero separates. Elements for which is_negligible(i) become zero first.
/// Returns false if 30 steps for each row do not suffice.
template <class T, class Negligible, class Step>
bool take_qr_steps(std::vector<T>& off_diagonal, const Negligible& is_negligible, const Step& step) {
  T* const e = off_diagonal.data();
  const auto n = static_cast<std::int64_t>(off_diagonal.size()) + 1;
  std::int64_t last = n - 1;
  for (std::int64_t steps = 0; last > 0; ++steps) {
    if (steps == 30 * n) return false;
    for (std::int64_t i = 0; i < last; ++i)
      if (is_negligible(i)) e[i] = 0;
    while (last > 0 && e[last - 1] == 0) --last;
    if (last == 0) break;
    std::int64_t first = last - 1;
    while (first > 0 && e[first - 1] != 0) --first;
    step(first, last);
  }
  return true;
}

/// The indices of values in the order of `precedes`.
template <class T, class Precedes>
std::vector<std::int64_t> order_of(const std::vector<T>& values, const Precedes& precedes) {
  std::vector<std::int64_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return precedes(values[static_cast<std::size_t>(a)], values[static_cast<std::size_t>(b)]);
  });
  return order;
}

}  // namespace minima::detail
