#pragma once

#include <minima/ops/linalg/kernels/dense.h>
#include <minima/tensor/base/loop_pragmas.h>
#include <minima/tensor/threads/parallel.h>

#include <Eigen/Core>    // IWYU pragma: keep
#include <Eigen/Jacobi>  // IWYU pragma: keep

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

// Eigenvalues and eigenvectors of symmetric tridiagonal matrices, by implicit QR steps with Wilkinson's shift (Golub, Van
// Loan, Matrix Computations, 8.3). Internal.

namespace minima::detail {

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
void rotate_rows(std::span<const RowRotation<T>> rotations, Dense<T> rows) {
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

/// One step on the rows `first` to `last`, which no zero beside the diagonal separates. Appends its rotations.
template <class T>
void take_qr_step(T* diagonal, T* beside, std::int64_t first, std::int64_t last,
                  std::vector<RowRotation<T>>& rotations) {
  // The eigenvalue of the last two rows' block that is closer to its last element.
  const T half = (diagonal[last - 1] - diagonal[last]) / 2, b = beside[last - 1];
  const T shift = diagonal[last] - b * (b / (half + std::copysign(std::hypot(half, b), half)));
  T x = diagonal[first] - shift, bulge = beside[first];
  for (std::int64_t k = first; k < last && bulge != 0; ++k) {
    Eigen::JacobiRotation<T> rotation;
    rotation.makeGivens(x, bulge);
    const T c = rotation.c(), s = rotation.s(), p = diagonal[k], q = beside[k], r = diagonal[k + 1];
    diagonal[k] = c * (c * p - s * q) - s * (c * q - s * r);
    diagonal[k + 1] = s * (s * p + c * q) + c * (s * q + c * r);
    beside[k] = c * (s * p + c * q) - s * (s * q + c * r);
    if (k > first) beside[k - 1] = c * beside[k - 1] - s * bulge;
    x = beside[k];
    if (k + 1 < last) {
      bulge = -s * beside[k + 1];
      beside[k + 1] *= c;
    }
    rotations.push_back({k, c, s});
  }
}

/// With T = Qᵀ·Λ·Q of `diagonal` and `beside` it, whose elements are at most 1: `diagonal` becomes Λ in no order, `rows`
/// Q·rows. Returns whether it converged.
template <class T>
bool diagonalise(std::span<T> diagonal, std::span<T> beside, Dense<T> rows) {
  constexpr T epsilon = std::numeric_limits<T>::epsilon();
  constexpr std::size_t kept = 1 << 16;  // 1.5 MiB of rotations at most
  const auto n = static_cast<std::int64_t>(diagonal.size());
  std::vector<RowRotation<T>> rotations;
  const auto flush = [&] {
    rotate_rows<T>(rotations, rows);
    rotations.clear();
  };
  std::int64_t last = n - 1;
  for (std::int64_t steps = 0; last > 0; ++steps) {
    if (steps == 30 * n) return false;
    const auto at = [&](std::int64_t i) { return static_cast<std::size_t>(i); };
    for (std::int64_t i = 0; i < last; ++i) {
      const T scaled = beside[at(i)] / epsilon;
      if (scaled * scaled <= std::abs(diagonal[at(i)]) + std::abs(diagonal[at(i + 1)])) beside[at(i)] = 0;
    }
    while (last > 0 && beside[at(last - 1)] == 0) --last;
    if (last == 0) break;
    std::int64_t first = last - 1;
    while (first > 0 && beside[at(first - 1)] != 0) --first;
    take_qr_step(diagonal.data(), beside.data(), first, last, rotations);
    if (rotations.size() > kept) flush();
  }
  flush();
  return true;
}

}  // namespace minima::detail
