#pragma once

#include <minima/ops/linalg/kernels/dense.h>
#include <minima/ops/linalg/kernels/eigen_matrix.h>
#include <minima/tensor/threads/parallel.h>

#include <Eigen/Householder>  // IWYU pragma: keep

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

// Householder reflections. Internal.

namespace minima::detail {

template <class T>
using VectorMap = Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>>;
template <class T>
using DenseMap = Eigen::Map<RowMajor<T>, Eigen::Unaligned, Eigen::OuterStride<>>;

template <class T>
DenseMap<T> map_of(Dense<T> x) {
  return {x.data, x.rows, x.columns, Eigen::OuterStride<>(x.ld)};
}

/// Vectors in rows of a Scratch are read and written by whole cache lines, so what surrounds them there must be zero or
/// without meaning: `begin` and `end` are where these lines start and end.
template <class T>
struct Lines {
  static constexpr std::int64_t size = 64 / sizeof(T);
  Lines(std::int64_t first, std::int64_t last) : begin(first / size * size), end((last + size - 1) / size * size) {}
  std::int64_t begin, end;
};

/// y = a·x, by strips of rows.
template <class T>
void multiply_vector(T* y, Dense<T> a, T* x) {
  constexpr std::int64_t strip = 32;
  const auto nanoseconds = 0.1 * static_cast<double>(strip * a.columns);
  parallel_for(0, (a.rows + strip - 1) / strip, grain_for(nanoseconds + 1), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first * strip; i < std::min(last * strip, a.rows); i += strip) {
      const std::int64_t count = std::min(strip, a.rows - i);
      VectorMap<T>(y + i, count).noalias() = map_of(a.block(i, 0, count, a.columns)) * VectorMap<T>(x, a.columns);
    }
  });
}

/// As many columns of y = aᵀ·x from `column` on as strips of this many lines hold; returns the first one after them.
template <int lines, class T>
std::int64_t add_rows(T* y, Dense<T> a, const T* x, std::int64_t column, std::int64_t end) {
  typedef T Vector __attribute__((vector_size(64)));
  constexpr std::int64_t lanes = Lines<T>::size, width = lines * lanes;
  for (; column + width <= end; column += width) {
    Vector sums[lines] = {};
    for (std::int64_t i = 0; i < a.rows; ++i)
      for (int k = 0; k < lines; ++k) {
        Vector piece;
        std::memcpy(&piece, a.row(i) + column + k * lanes, sizeof piece);
        sums[k] += x[i] * piece;
      }
    for (int k = 0; k < lines; ++k) std::memcpy(y + column + k * lanes, &sums[k], sizeof(Vector));
  }
  return column;
}

/// y[j] = Σ_i x[i]·a(i, j) for j in [first, a.columns), in whole lines; a has all columns of a Scratch.
template <class T>
void multiply_vector_transposed(T* y, Dense<T> a, const T* x, std::int64_t first) {
  constexpr std::int64_t strip = 4 * Lines<T>::size;
  const Lines<T> columns(first, a.columns);
  const std::int64_t strips = (columns.end - columns.begin + strip - 1) / strip;
  const auto nanoseconds = 0.1 * static_cast<double>(strip * a.rows);
  parallel_for(0, strips, grain_for(nanoseconds + 1), [&](std::int64_t from, std::int64_t to) {
    const std::int64_t end = std::min(columns.begin + to * strip, columns.end);
    const std::int64_t rest = add_rows<4>(y, a, x, columns.begin + from * strip, end);
    add_rows<1>(y, a, x, rest, end);
  });
}

/// The reflections H_k = I - f_k·v_k·v_kᵀ, where v_k is zero before its element k + shift, which is 1.
template <class T>
class Reflections {
 public:
  Reflections(std::int64_t count, std::int64_t size, std::int64_t shift)
      : memory_(count, size), shift_(shift), factors_(static_cast<std::size_t>(count)) {
    memory_.clear();
  }

  Dense<T> vectors() const { return memory_.matrix(); }
  T factor(std::int64_t k) const { return factors_[static_cast<std::size_t>(k)]; }

  /// Makes H_k, which takes the x that starts at element k + shift of its row to (length, 0, …). Returns the length.
  T reflect(std::int64_t k) {
    const Dense<T> all = vectors();
    const std::int64_t first = k + shift_;
    T length;
    std::fill_n(all.row(k), first, T(0));
    VectorMap<T>(all.row(k) + first, all.columns - first)
        .makeHouseholderInPlace(factors_[static_cast<std::size_t>(k)], length);
    all(k, first) = 1;
    return length;
  }

  /// Sets q to the first rows of (H_0·H_1·…)ᵀ.
  void write_transposed(Dense<T> q) const {
    constexpr std::int64_t width = 32;
    map_of(q).setIdentity();
    const Dense<T> all = vectors();
    if (all.rows < width) return write_one_by_one(q);
    Scratch<T> memory(all.columns, width), weighted_memory(all.columns, width), product_memory(q.rows, width);
    for (std::int64_t last = all.rows; last > 0;) {
      const std::int64_t first = (last - 1) / width * width, count = last - first, start = first + shift_;
      const Dense<T> rows = all.block(first, start, count, all.columns - start);
      const Dense<T> columns = memory.matrix().block(0, 0, rows.columns, count);
      const Dense<T> weighted = weighted_memory.matrix().block(0, 0, rows.columns, count);
      map_of(columns) = map_of(rows).transpose();
      map_of(weighted).noalias() = map_of(columns) * triangle_of(rows, first).transpose();
      const Dense<T> rest = q.block(start, start, q.rows - start, rows.columns);
      const Dense<T> product = product_memory.matrix().block(0, 0, rest.rows, count);
      if (last == all.rows) copy_matrix(weighted.block(0, 0, rest.rows, count), product);  // of the identity
      else multiply(product, rest, weighted);
      subtract_product(rest, product, false, rows);
      last = first;
    }
  }

 private:
  void write_one_by_one(Dense<T> q) const {
    const Dense<T> all = vectors();
    Eigen::Matrix<T, Eigen::Dynamic, 1> product(q.rows);
    for (std::int64_t k = all.rows - 1; k >= 0; --k) {
      const std::int64_t start = k + shift_, size = all.columns - start;
      auto rest = map_of(q.block(start, start, q.rows - start, size));
      const VectorMap<T> v(all.row(k) + start, size);
      auto by_v = product.head(rest.rows());
      by_v.noalias() = rest * v;
      rest.noalias() -= (factor(k) * by_v) * v.transpose();
    }
  }

  /// The T with H_first·H_(first + 1)·… = I - Vᵀ·T·V for the vectors in V's rows (LAPACK's xLARFT).
  ColumnMajor<T> triangle_of(Dense<T> rows, std::int64_t first) const {
    const ColumnMajor<T> products = map_of(rows) * map_of(rows).transpose();
    ColumnMajor<T> triangle = ColumnMajor<T>::Zero(rows.rows, rows.rows);
    for (std::int64_t k = 0; k < rows.rows; ++k) {
      const T f = factor(first + k);
      triangle.col(k).head(k) =
          triangle.topLeftCorner(k, k).template triangularView<Eigen::Upper>() * (-f * products.col(k).head(k));
      triangle(k, k) = f;
    }
    return triangle;
  }

  Scratch<T> memory_;
  std::int64_t shift_;
  std::vector<T> factors_;
};

}  // namespace minima::detail
