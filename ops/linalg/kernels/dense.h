#pragma once

#include <minima/ops/linalg/kernels/batch.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/threads/parallel.h>

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

/// Says which triangle of a matrix a solve reads, and how.
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

/// Matrix i of a row-major batch.
template <class T>
Dense<T> matrix_at(const Tensor& x, std::int64_t i) {
  const std::int64_t rows = rows_of(x), columns = columns_of(x);
  return {const_cast<T*>(x.data<T>()) + i * rows * columns, rows, columns, columns};
}

/// Calls f(index, state) for every matrix of a batch, on several threads if they take long enough, with a state that
/// make() gives to each range of them. A single matrix runs on the caller, so that what it calls may use the threads.
template <class Make, class F>
void each_matrix(std::int64_t count, double flops, Make make, F f) {
  const auto run = [&](std::int64_t first, std::int64_t last) {
    auto state = make();
    for (std::int64_t i = first; i < last; ++i) f(i, state);
  };
  if (count == 1) return run(0, 1);
  parallel_for(0, count, grain_for(50 + 0.3 * flops), run);
}
/// The same without a state.
template <class F>
void each_matrix(std::int64_t count, double flops, F f) {
  each_matrix(count, flops, [] { return 0; }, [&](std::int64_t i, int) { f(i); });
}

/// The element type of x as a template argument of f.
template <class F>
void for_dtype(const Tensor& x, F f) {
  dispatch<full_floating>(x.dtype(), "linear algebra", f);
}

}  // namespace minima::detail
