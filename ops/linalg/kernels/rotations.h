#pragma once

#include <minima/ops/linalg/kernels/dense.h>
#include <minima/ops/linalg/kernels/eigen_matrix.h>
#include <minima/tensor/base/loop_pragmas.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

// Rotations of neighbouring vectors, which turn a basis into eigenvectors or singular vectors. Internal.

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

/// Applies rotations in turn, to a strip of columns after the other: a strip stays in the cache.
template <class T>
void rotate_rows(const std::vector<RowRotation<T>>& rotations, Dense<T> rows) {
  constexpr std::int64_t strip = 128, together = 8;
  const auto rotate = [&](Dense<T> x) {
    const RowRotation<T>* next = rotations.data();
    for (const RowRotation<T>* const end = next + rotations.size(); next < end;) {
      std::int64_t count = 1;
      while (count < together && next + count < end && next[count].row == next->row + count) ++count;
      if (count < together) count = 1;
      if (count == together) rotate_neighbours<together>(next, x);
      else rotate_neighbours<1>(next, x);
      next += count;
    }
  };
  const double nanoseconds = 0.1 * static_cast<double>(rotations.size()) * static_cast<double>(strip);
  parallel_for(0, (rows.columns + strip - 1) / strip, grain_for(nanoseconds + 1),
               [&](std::int64_t first, std::int64_t last) {
                 for (std::int64_t i = first; i < last; ++i)
                   rotate(rows.block(0, i * strip, rows.rows, std::min(strip, rows.columns - i * strip)));
               });
}

/// Rotations that wait, since many at once take less time.
template <class T>
class WaitingRotations {
 public:
  /// Of these vectors; without rows, nothing is done.
  explicit WaitingRotations(Dense<T> vectors) : vectors_(vectors) {}
  void add(std::int64_t row, T c, T s) {
    if (vectors_.rows > 0) waiting_.push_back({row, c, s});
  }
  /// Applies them once there are many.
  void apply_many() {
    constexpr std::size_t many = 1 << 16;
    if (waiting_.size() >= many) apply();
  }
  void apply() {
    if (!waiting_.empty()) rotate_rows(waiting_, vectors_);
    waiting_.clear();
  }

 private:
  Dense<T> vectors_;
  std::vector<RowRotation<T>> waiting_;
};

}  // namespace minima::detail
