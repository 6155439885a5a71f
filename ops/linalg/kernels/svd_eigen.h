#pragma once

#include <minima/ops/linalg/kernels/eigen_matrix.h>

#include <Eigen/SVD>  // IWYU pragma: keep

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace minima::detail {

/// Whether U·S·Vᵀ is x and the columns of U and V are orthonormal, by ten times what rounding explains.
template <class T, class Svd>
bool is_decomposed(const ColumnMajor<T>& x, const Svd& svd) {
  const T bound = 10 * static_cast<T>(std::max(x.rows(), x.cols())) * std::numeric_limits<T>::epsilon();
  const auto count = svd.singularValues().size();
  const auto u = svd.matrixU().leftCols(count), v = svd.matrixV().leftCols(count);
  const auto is_orthonormal = [&](const auto& q) {
    ColumnMajor<T> product = q.transpose() * q;
    product.diagonal().array() -= 1;
    return product.norm() <= bound * std::sqrt(static_cast<T>(count));
  };
  const ColumnMajor<T> scaled = u * svd.singularValues().asDiagonal();
  ColumnMajor<T> rest = x;
  rest.noalias() -= scaled * v.transpose();
  return rest.norm() <= bound * x.norm() && is_orthonormal(u) && is_orthonormal(v);
}

template <class T, class Svd>
void write_svd(const Svd& svd, Tensor& u, Tensor& s, Tensor& vt, std::int64_t i) {
  const std::int64_t count = s.shape().back();
  Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>>(s.data<T>() + i * count, count) = svd.singularValues();
  eigen_map<T>(u, i) = svd.matrixU();
  eigen_map<T>(vt, i) = svd.matrixV().transpose();
}

/// factor_svd for its instantiations. Eigen 3.4 divides and conquers wrongly for one in ten matrices with repeated
/// singular values, off by up to their size; Jacobi's rotations take several times as long and are right.
template <class T>
bool factor_svd_by_eigen(const Tensor& x, Tensor& u, Tensor& s, Tensor& vt, std::int64_t i) {
  const std::int64_t count = s.shape().back();
  const bool full = columns_of(u) != count || rows_of(vt) != count;
  const unsigned wanted = full ? unsigned{Eigen::ComputeFullU} | unsigned{Eigen::ComputeFullV}
                               : unsigned{Eigen::ComputeThinU} | unsigned{Eigen::ComputeThinV};
  const ColumnMajor<T> matrix = eigen_map<T>(x, i);
  const Eigen::BDCSVD<ColumnMajor<T>> svd(matrix, wanted);
  if (svd.info() != Eigen::Success) return false;
  if (is_decomposed<T>(matrix, svd)) {
    write_svd<T>(svd, u, s, vt, i);
    return true;
  }
  const Eigen::JacobiSVD<ColumnMajor<T>> exact(matrix, wanted);
  if (exact.info() != Eigen::Success) return false;
  write_svd<T>(exact, u, s, vt, i);
  return true;
}

}  // namespace minima::detail
