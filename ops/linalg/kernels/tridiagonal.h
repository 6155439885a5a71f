#pragma once

#include <minima/ops/linalg/kernels/rotations.h>

#include <Eigen/Jacobi>  // IWYU pragma: keep

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

// Eigenvalues and eigenvectors of symmetric tridiagonal matrices, by implicit QR steps with Wilkinson's shift (Golub,
// Van Loan, Matrix Computations, 8.3). Internal.

namespace minima::detail {

/// One step on the rows `first` to `last`, which no zero beside the diagonal separates.
template <class T>
void take_tridiagonal_step(T* diagonal, T* beside, std::int64_t first, std::int64_t last,
                           WaitingRotations<T>& rotations) {
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
    rotations.add(k, c, s);
  }
}

/// Diagonalises T, whose elements are at most 1: `diagonal` becomes its eigenvalues in no order, and Q, whose columns
/// are `vectors`, becomes Q·V with T = V·Λ·Vᵀ. Returns whether it converged.
template <class T>
bool diagonalise_tridiagonal(std::vector<T>& diagonal, std::vector<T>& beside, Dense<T> vectors) {
  constexpr T epsilon = std::numeric_limits<T>::epsilon();
  const auto n = static_cast<std::int64_t>(diagonal.size());
  T *const d = diagonal.data(), *const e = beside.data();
  WaitingRotations<T> rotations(vectors);
  std::int64_t last = n - 1;
  for (std::int64_t steps = 0; last > 0; ++steps) {
    if (steps == 30 * n) return false;
    for (std::int64_t i = 0; i < last; ++i) {
      const T scaled = e[i] / epsilon;
      if (scaled * scaled <= std::abs(d[i]) + std::abs(d[i + 1])) e[i] = 0;
    }
    while (last > 0 && e[last - 1] == 0) --last;
    if (last == 0) break;
    std::int64_t first = last - 1;
    while (first > 0 && e[first - 1] != 0) --first;
    take_tridiagonal_step(d, e, first, last, rotations);
    rotations.apply_many();
  }
  rotations.apply();
  return true;
}

}  // namespace minima::detail
