#include <minima/ops/linalg/kernels/each_matrix.h>
#include <minima/ops/linalg/kernels/eigen_matrix.h>
#include <minima/ops/linalg/kernels/linalg_kernels.h>

#include <Eigen/Eigenvalues>  // IWYU pragma: keep
#include <Eigen/SVD>          // IWYU pragma: keep

#include <algorithm>
#include <cstdint>

namespace minima::detail {

namespace {

/// The singular values of a bidiagonal matrix are the positive eigenvalues of a tridiagonal one of twice its size
/// (Golub, Kahan 1965): zeros on the diagonal, and beside it the elements of the bidiagonal in turn.
template <class T>
bool find_singular_values(const Tensor& x, Tensor& s, std::int64_t i) {
  const std::int64_t k = s.shape().back();
  ColumnMajor<T> tall;
  if (rows_of(x) >= columns_of(x)) tall = eigen_map<T>(x, i);
  else tall = eigen_map<T>(x, i).transpose();
  Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>> values(s.data<T>() + i * k, k);
  if (!tall.allFinite()) return false;
  const T scale = tall.cwiseAbs().maxCoeff();
  values.setZero();
  if (scale == 0) return true;
  tall /= scale;
  const Eigen::internal::UpperBidiagonalization<ColumnMajor<T>> bidiagonal(tall);
  auto band = bidiagonal.bidiagonal();  // a copy: the diagonals of a constant one do not compile
  Eigen::Matrix<T, Eigen::Dynamic, 1> diagonal(2 * k), beside(2 * k - 1);
  diagonal.setZero();
  for (std::int64_t j = 0; j < k; ++j) beside(2 * j) = band.diagonal()(j);
  for (std::int64_t j = 0; j + 1 < k; ++j) beside(2 * j + 1) = band.template diagonal<1>()(j);
  Eigen::SelfAdjointEigenSolver<ColumnMajor<T>> solver;
  solver.computeFromTridiagonal(diagonal, beside, Eigen::EigenvaluesOnly);
  if (solver.info() != Eigen::Success) return false;
  for (std::int64_t j = 0; j < k; ++j) values(j) = std::max(solver.eigenvalues()(2 * k - 1 - j), T(0)) * scale;
  return true;
}

}  // namespace

Findings svdvals_kernel(const Tensor& x, Tensor& s) {
  Findings findings(static_cast<std::size_t>(count_filled(x)));
  const auto m = static_cast<double>(rows_of(x)), n = static_cast<double>(columns_of(x));
  for_dtype(x, [&]<class T> {
    each_matrix(count_filled(x), 10 * m * n * std::min(m, n),
                [&](std::int64_t i) { findings[static_cast<std::size_t>(i)] = !find_singular_values<T>(x, s, i); });
  });
  return findings;
}

}  // namespace minima::detail
