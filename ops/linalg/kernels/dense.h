#pragma once

#include <cstdint>

// Factorisations and triangular solves of one row-major matrix, by recursion: halves meet in matrix products. A large
// matrix spreads these over the threads; inside a parallel_for they stay on theirs. Internal, for float and double.

namespace minima::detail {

/// A block of a row-major matrix.
template <class T>
struct Dense {
  T* data;
  std::int64_t rows, columns, ld;

  T* row(std::int64_t i) const { return data + i * ld; }
  T& operator()(std::int64_t i, std::int64_t j) const { return data[i * ld + j]; }
  Dense block(std::int64_t i, std::int64_t j, std::int64_t m, std::int64_t n) const {
    return {data + i * ld + j, m, n, ld};
  }
};

/// c -= op(a)·b, where op transposes a if `transposed`.
template <class T>
void subtract_product(Dense<T> c, Dense<T> a, bool transposed, Dense<T> b);

/// Which triangle of a a solve reads and how.
struct Triangle {
  bool upper = false;
  bool transposed = false;     ///< solves with aᵀ
  bool unitriangular = false;  ///< the diagonal counts as ones and is not read
};
/// b ← op(a)⁻¹·b.
template <class T>
void solve_in_place(Dense<T> a, Triangle triangle, Dense<T> b);

/// The upper triangle becomes U with UᵀU = a; the lower one is not read. Returns 0, or the order of the first leading
/// minor that is not positive.
template <class T>
std::int64_t factor_cholesky(Dense<T> a);

/// L and U of P·L·U = a; row i was swapped with row pivots[i] ≥ i.
template <class T>
void factor_lu(Dense<T> a, std::int64_t* pivots);

}  // namespace minima::detail
