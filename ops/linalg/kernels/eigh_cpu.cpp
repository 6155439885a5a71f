#include <minima/ops/linalg/kernels/each_matrix.h>
#include <minima/ops/linalg/kernels/eigen_matrix.h>
#include <minima/ops/linalg/kernels/linalg_kernels.h>

#include <Eigen/Eigenvalues>  // IWYU pragma: keep

#include <cstdint>

namespace minima::detail {

Findings eigh_kernel(const Tensor& x, bool upper, Tensor& values, Tensor& vectors) {
  Findings findings(static_cast<std::size_t>(count_filled(x)));
  const std::int64_t n = rows_of(x);
  if (n == 0) return findings;
  const auto size = static_cast<double>(n);
  for_dtype(x, [&]<class T> {
    each_matrix(count_filled(x), 9 * size * size * size, [&](std::int64_t i) {
      // Eigen reads the lower triangle.
      ColumnMajor<T> symmetric;
      if (upper) symmetric = eigen_map<T>(x, i).transpose();
      else symmetric = eigen_map<T>(x, i);
      Eigen::SelfAdjointEigenSolver<ColumnMajor<T>> solver;
      bool finite = true;
      for (std::int64_t c = 0; c < n; ++c) finite &= symmetric.col(c).tail(n - c).allFinite();
      if (!finite) {
        findings[static_cast<std::size_t>(i)] = 1;
        return;
      }
      solver.compute(symmetric, vectors.defined() ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
      findings[static_cast<std::size_t>(i)] = solver.info() != Eigen::Success;
      Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>>(values.data<T>() + i * n, n) = solver.eigenvalues();
      if (vectors.defined()) eigen_map<T>(vectors, i) = solver.eigenvectors();
    });
  });
  return findings;
}

}  // namespace minima::detail
