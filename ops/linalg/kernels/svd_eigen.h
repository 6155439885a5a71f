#pragma once

#include <minima/ops/linalg/kernels/eigen_matrix.h>

#include <Eigen/SVD>  // IWYU pragma: keep

#include <cstdint>

namespace minima::detail {

/// factor_svd for its instantiations.
template <class T>
bool factor_svd_by_eigen(const Tensor& x, Tensor& u, Tensor& s, Tensor& vt, std::int64_t i) {
  const std::int64_t count = s.shape().back();
  const bool full = columns_of(u) != count || rows_of(vt) != count;
  const unsigned wanted = full ? unsigned{Eigen::ComputeFullU} | unsigned{Eigen::ComputeFullV}
                               : unsigned{Eigen::ComputeThinU} | unsigned{Eigen::ComputeThinV};
  const Eigen::BDCSVD<ColumnMajor<T>> svd(eigen_map<T>(x, i), wanted);
  if (svd.info() != Eigen::Success) return false;
  Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>>(s.data<T>() + i * count, count) = svd.singularValues();
  eigen_map<T>(u, i) = svd.matrixU();
  eigen_map<T>(vt, i) = svd.matrixV().transpose();
  return true;
}

}  // namespace minima::detail
