#pragma once

#include <minima/ops/linalg/kernels/rotations.h>

#include <Eigen/Jacobi>  // IWYU pragma: keep

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
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

/// One step on the rows `first` to `last`, which no zero on the superdiagonal separates.
template <class T>
void take_bidiagonal_step(T* diagonal, T* superdiagonal, std::int64_t first, std::int64_t last,
                          DeferredRotations<T>& left, DeferredRotations<T>& right) {
  T x = diagonal[first], bulge = superdiagonal[first];
  // Without a shift, a zero on the diagonal becomes one in the last column's superdiagonal.
  if (std::find(diagonal + first, diagonal + last, T(0)) == diagonal + last) {
    const T shift = smaller_singular_value(diagonal[last - 1], superdiagonal[last - 1], diagonal[last]);
    x = (std::abs(x) - shift) * (std::copysign(T(1), x) + shift / x);
  }
  for (std::int64_t k = first; k < last; ++k) {
    Eigen::JacobiRotation<T> rotation;
    rotation.makeGivens(x, bulge);
    T c = rotation.c(), s = rotation.s();
    if (k > first) superdiagonal[k - 1] = c * x - s * bulge;
    right.add(k, c, s);
    const T corner = c * diagonal[k] - s * superdiagonal[k], below = -s * diagonal[k + 1];
    const T upper = s * diagonal[k] + c * superdiagonal[k], next = c * diagonal[k + 1];
    rotation.makeGivens(corner, below);
    c = rotation.c(), s = rotation.s();
    left.add(k, c, s);
    diagonal[k] = c * corner - s * below;
    superdiagonal[k] = c * upper - s * next;
    diagonal[k + 1] = s * upper + c * next;
    x = superdiagonal[k];
    if (k + 1 < last) {
      bulge = -s * superdiagonal[k + 1];
      superdiagonal[k + 1] *= c;
    }
  }
}

/// Diagonalises B, whose elements are about 1 at most: `diagonal` becomes its singular values, in no order and with any
/// sign. P and Q, whose first columns are `left` and `right`, become P·U and Q·V with B = U·S·Vᵀ. Returns whether it
/// converged.
template <class T>
bool diagonalise_bidiagonal(std::vector<T>& diagonal, std::vector<T>& superdiagonal, Dense<T> left, Dense<T> right) {
  constexpr T epsilon = std::numeric_limits<T>::epsilon(), tiny = std::numeric_limits<T>::min() / epsilon;
  T *const d = diagonal.data(), *const e = superdiagonal.data();
  DeferredRotations<T> of_left(left), of_right(right);
  const auto is_negligible = [=](std::int64_t i) {
    return std::abs(e[i]) <= std::max(epsilon * (std::abs(d[i]) + std::abs(d[i + 1])), tiny);
  };
  const bool converged = take_qr_steps(superdiagonal, is_negligible, [&](std::int64_t first, std::int64_t last) {
    take_bidiagonal_step(d, e, first, last, of_left, of_right);
    of_left.apply_if_many();
    of_right.apply_if_many();
  });
  of_left.apply();
  of_right.apply();
  return converged;
}

}  // namespace minima::detail
