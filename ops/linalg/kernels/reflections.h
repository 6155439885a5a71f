#pragma once

#include <minima/ops/linalg/kernels/dense.h>
#include <minima/ops/linalg/kernels/eigen_matrix.h>
#include <minima/tensor/threads/parallel.h>

#include <Eigen/Householder>  // IWYU pragma: keep

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

/// y = aᵀ·x, by strips of columns.
template <class T>
void multiply_vector_transposed(T* y, Dense<T> a, T* x) {
  constexpr std::int64_t strip = 64;
  const auto nanoseconds = 0.1 * static_cast<double>(strip * a.rows);
  parallel_for(0, (a.columns + strip - 1) / strip, grain_for(nanoseconds + 1),
               [&](std::int64_t first, std::int64_t last) {
                 for (std::int64_t j = first * strip; j < std::min(last * strip, a.columns); j += strip) {
                   const std::int64_t count = std::min(strip, a.columns - j);
                   VectorMap<T>(y + j, count).noalias() =
                       map_of(a.block(0, j, a.rows, count)).transpose() * VectorMap<T>(x, a.rows);
                 }
               });
}

/// The reflections H_k = I - f_k·v_k·v_kᵀ, where v_k is zero before its element k + shift, which is 1.
template <class T>
class Reflections {
 public:
  Reflections(std::int64_t count, std::int64_t size, std::int64_t shift)
      : memory_(count, size), shift_(shift), factors_(static_cast<std::size_t>(count)) {}

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
  /// The T with H_first·H_(first + 1)·… = I - Vᵀ·T·V for the vectors in V's rows (LAPACK's xLARFT).
  ColumnMajor<T> triangle_of(Dense<T> rows, std::int64_t first) const {
    const ColumnMajor<T> products = map_of(rows) * map_of(rows).transpose();
    ColumnMajor<T> triangle = ColumnMajor<T>::Zero(rows.rows, rows.rows);
    for (std::int64_t k = 0; k < rows.rows; ++k) {
      const T f = factor(first + k);
      triangle.col(k).head(k) =
          -f * (triangle.topLeftCorner(k, k).template triangularView<Eigen::Upper>() * products.col(k).head(k));
      triangle(k, k) = f;
    }
    return triangle;
  }

  Scratch<T> memory_;
  std::int64_t shift_;
  std::vector<T> factors_;
};

}  // namespace minima::detail
