#pragma once

#include <minima/ops/linalg/kernels/rotations.h>

#include <Eigen/Jacobi>  // IWYU pragma: keep

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

// Singular values and vectors of upper bidiagonal matrices, by implicit QR steps (Golub, Van Loan, Matrix Computations,
// 8.6), with the shift that LAPACK's dbdsqr uses. Internal.

namespace minima::detail {

/// The smaller singular value of [f, g; 0, h], without overflow.
template <class T>
T smaller_singular_value(T f, T g, T h) {
  const T least = std::min(std::abs(f), std::abs(h)), most = std::max(std::abs(f), std::abs(h));
  if (least == 0) return 0;
  const T by = std::max(most, std::abs(g)), a = least / by, b = most / by, c = g / by;
  return 2 * a * b * by / (std::hypot(a + b, c) + std::hypot(b - a, c));
}

/// One step on the rows `first` to `last`, which no zero above the diagonal separates.
template <class T>
void take_bidiagonal_step(T* diagonal, T* above, std::int64_t first, std::int64_t last, WaitingRotations<T>& left,
                          WaitingRotations<T>& right) {
  T x = diagonal[first], bulge = above[first];
  // Without a shift, a zero on the diagonal becomes one above the last element.
  if (std::find(diagonal + first, diagonal + last, T(0)) == diagonal + last) {
    const T shift = smaller_singular_value(diagonal[last - 1], above[last - 1], diagonal[last]);
    x = (std::abs(x) - shift) * (std::copysign(T(1), x) + shift / x);
  }
  for (std::int64_t k = first; k < last; ++k) {
    Eigen::JacobiRotation<T> rotation;
    rotation.makeGivens(x, bulge);
    T c = rotation.c(), s = rotation.s();
    if (k > first) above[k - 1] = c * x - s * bulge;
    right.add(k, c, s);
    const T corner = c * diagonal[k] - s * above[k], below = -s * diagonal[k + 1];
    const T beside = s * diagonal[k] + c * above[k], next = c * diagonal[k + 1];
    rotation.makeGivens(corner, below);
    c = rotation.c(), s = rotation.s();
    left.add(k, c, s);
    diagonal[k] = c * corner - s * below;
    above[k] = c * beside - s * next;
    diagonal[k + 1] = s * beside + c * next;
    x = above[k];
    if (k + 1 < last) {
      bulge = -s * above[k + 1];
      above[k + 1] *= c;
    }
  }
}

/// Diagonalises B, whose elements are about 1 at most: `diagonal` becomes its singular values, in no order and with any
/// sign. P and Q, whose first columns are `left` and `right`, become P·U and Q·V with B = U·S·Vᵀ. Returns whether it
/// converged.
template <class T>
bool diagonalise_bidiagonal(std::vector<T>& diagonal, std::vector<T>& above, Dense<T> left, Dense<T> right) {
  constexpr T epsilon = std::numeric_limits<T>::epsilon(), tiny = std::numeric_limits<T>::min() / epsilon;
  const auto n = static_cast<std::int64_t>(diagonal.size());
  T *const d = diagonal.data(), *const e = above.data();
  WaitingRotations<T> of_left(left), of_right(right);
  std::int64_t last = n - 1;
  for (std::int64_t steps = 0; last > 0; ++steps) {
    if (steps == 30 * n) return false;
    for (std::int64_t i = 0; i < last; ++i)
      if (std::abs(e[i]) <= std::max(epsilon * (std::abs(d[i]) + std::abs(d[i + 1])), tiny)) e[i] = 0;
    while (last > 0 && e[last - 1] == 0) --last;
    if (last == 0) break;
    std::int64_t first = last - 1;
    while (first > 0 && e[first - 1] != 0) --first;
    take_bidiagonal_step(d, e, first, last, of_left, of_right);
    of_left.apply_many();
    of_right.apply_many();
  }
  of_left.apply();
  of_right.apply();
  return true;
}

}  // namespace minima::detail
