#pragma once

#include <minima/ops/linalg/kernels/batch.h>

#include <Eigen/Core>  // IWYU pragma: keep

#include <cstdint>

namespace minima::detail {

template <class T>
using ColumnMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Matrix i of a row-major batch, for Eigen.
template <class T>
Eigen::Map<RowMajor<T>> eigen_map(const Tensor& x, std::int64_t i) {
  const std::int64_t rows = rows_of(x), columns = columns_of(x);
  return {const_cast<T*>(x.data<T>()) + i * rows * columns, rows, columns};
}

}  // namespace minima::detail
