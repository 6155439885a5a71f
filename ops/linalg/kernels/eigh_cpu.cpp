#include <minima/ops/linalg/kernels/batch.h>
#include <minima/ops/linalg/kernels/dense.h>
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
#include <functional>
#include <optional>
#include <vector>

namespace minima::detail {

namespace {

/// Returns false for matrices that are not finite, or if the steps do not converge. `vectors` may be undefined.
template <class T>
bool decompose(const Tensor& x, bool upper, const Tensor& values, const Tensor& vectors, std::int64_t i) {
  ColumnMajor<T> symmetric;  // its lower triangle
  if (upper) symmetric = eigen_map<T>(x, i).transpose();
  else symmetric = eigen_map<T>(x, i);
  const Eigen::Index n = symmetric.rows();
  T largest = 0;
  for (Eigen::Index c = 0; c < n; ++c) {
    const auto column = symmetric.col(c).tail(n - c);
    if (!column.allFinite()) return false;
    largest = std::max(largest, column.cwiseAbs().maxCoeff());
  }
  const T scale = largest == 0 ? T(1) : largest;
  symmetric /= scale;
  const Eigen::Tridiagonalization<ColumnMajor<T>> tridiagonal(symmetric);
  std::vector<T> diagonal(static_cast<std::size_t>(n)), off_diagonal(static_cast<std::size_t>(n - 1));
  Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>>(diagonal.data(), n) = tridiagonal.diagonal();
  Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>>(off_diagonal.data(), n - 1) = tridiagonal.subDiagonal();
  std::optional<RotatedColumns<T>> columns;
  if (vectors.defined()) columns.emplace(n, n).matrix() = tridiagonal.matrixQ();
  if (!diagonalise_tridiagonal<T>(diagonal, off_diagonal, columns ? columns->vectors() : Dense<T>())) return false;
  const auto order = order_of(diagonal, std::less<>());
  for (Eigen::Index j = 0; j < n; ++j) {
    const std::int64_t from = order[static_cast<std::size_t>(j)];
    values.data<T>()[i * n + j] = diagonal[static_cast<std::size_t>(from)] * scale;
    if (columns) eigen_map<T>(vectors, i).col(j) = columns->matrix().col(from);
  }
  return true;
}

}  // namespace

Findings eigh_kernel(const Tensor& x, bool upper, Tensor& values, Tensor& vectors) {
  Findings findings(static_cast<std::size_t>(count_filled(x)));
  const auto size = static_cast<double>(rows_of(x));
  for_dtype(x, [&]<class T> {
    each_matrix(count_filled(x), 9 * size * size * size, [&](std::int64_t i) {
      findings[static_cast<std::size_t>(i)] = !decompose<T>(x, upper, values, vectors, i);
    });
  });
  return findings;
}

}  // namespace minima::detail
