#include <minima/ops/linalg/kernels/batch.h>
#include <minima/ops/linalg/kernels/each_matrix.h>
#include <minima/ops/linalg/kernels/eigen_matrix.h>
#include <minima/ops/linalg/kernels/linalg_kernels.h>
#include <minima/ops/linalg/kernels/rotations.h>
#include <minima/ops/linalg/kernels/tridiagonal.h>
#include <minima/tensor/tensor.h>

#include <Eigen/Eigenvalues>  // IWYU pragma: keep

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace minima::detail {

namespace {

/// Both for a large matrix, given its lower triangle: Eigen's solver would apply each rotation to whole eigenvectors in
/// turn, which takes most of its time. Returns whether it converged.
template <class T>
bool find_vectors(ColumnMajor<T>& symmetric, T* values, Eigen::Map<RowMajor<T>> vectors) {
  const Eigen::Index n = symmetric.rows();
  T largest = 0;
  for (Eigen::Index c = 0; c < n; ++c) largest = std::max(largest, symmetric.col(c).tail(n - c).cwiseAbs().maxCoeff());
  const T scale = largest == 0 ? T(1) : largest;
  symmetric /= scale;
  const Eigen::Tridiagonalization<ColumnMajor<T>> tridiagonal(symmetric);
  const auto size = static_cast<std::size_t>(n);
  std::vector<T> diagonal(size), beside(size - 1);
  Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>>(diagonal.data(), n) = tridiagonal.diagonal();
  Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>>(beside.data(), n - 1) = tridiagonal.subDiagonal();
  const RotatedColumns<T> columns(n, n);
  columns.matrix() = tridiagonal.matrixQ();
  if (!diagonalise_tridiagonal<T>(diagonal, beside, columns.vectors())) return false;
  std::vector<Eigen::Index> order(size);
  std::iota(order.begin(), order.end(), 0);
  const auto value_of = [&](Eigen::Index i) { return diagonal[static_cast<std::size_t>(i)]; };
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return value_of(a) < value_of(b); });
  for (Eigen::Index i = 0; i < n; ++i) {
    const Eigen::Index from = order[static_cast<std::size_t>(i)];
    values[i] = value_of(from) * scale;
    vectors.col(i) = columns.matrix().col(from);
  }
  return true;
}

}  // namespace

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
      constexpr std::int64_t small = 32;
      if (vectors.defined() && n > small) {
        const bool converged = find_vectors<T>(symmetric, values.data<T>() + i * n, eigen_map<T>(vectors, i));
        findings[static_cast<std::size_t>(i)] = !converged;
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
