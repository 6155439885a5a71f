#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>

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

/// Memory for a matrix whose rows are whole cache lines, an odd number of them apart: rows a power of two apart compete
/// for a few sets of the cache, which makes products of narrow blocks up to twice as slow. It starts a cache line,
/// because where an operand starts decides how products round.
template <class T>
class Scratch {
 public:
  Scratch(std::int64_t rows, std::int64_t columns)
      : matrix_{nullptr, rows, columns, ((columns + line - 1) / line | 1) * line} {
    const auto count = static_cast<std::size_t>(rows * matrix_.ld);
    matrix_.data = static_cast<T*>(::operator new(count * sizeof(T), alignment));
  }
  Scratch(const Scratch&) = delete;
  ~Scratch() { ::operator delete(matrix_.data, alignment); }
  Dense<T> matrix() const { return matrix_; }

 private:
  static constexpr std::align_val_t alignment{64};
  static constexpr auto line = static_cast<std::int64_t>(64 / sizeof(T));
  Dense<T> matrix_;
};

template <class T>
void copy_matrix(Dense<T> from, Dense<T> to) {
  for (std::int64_t i = 0; i < from.rows; ++i) std::copy_n(from.row(i), from.columns, to.row(i));
}

/// c = a·b
template <class T>
void multiply(Dense<T> c, Dense<T> a, Dense<T> b);

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

/// b ← a⁻¹·b by what factor_lu made of a.
template <class T>
void solve_lu(Dense<T> lu, const std::int64_t* pivots, Dense<T> b);

}  // namespace minima::detail
