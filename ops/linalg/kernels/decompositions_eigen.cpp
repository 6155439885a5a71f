#ifndef MINIMA_HAVE_LAPACK

#include <minima/ops/linalg/kernels/batch.h>
#include <minima/ops/linalg/kernels/dense.h>
#include <minima/ops/linalg/kernels/eigen_matrix.h>
#include <minima/ops/linalg/kernels/linalg_kernels.h>
#include <minima/tensor/base/complex.h>
#include <minima/tensor/tensor.h>

#include <Eigen/Eigenvalues>  // IWYU pragma: keep
#include <Eigen/QR>           // IWYU pragma: keep
#include <Eigen/SVD>          // IWYU pragma: keep

#include <algorithm>
#include <cstddef>
#include <cstdint>

// Eigen does here what LAPACK does elsewhere, in float64 only: each form of a solver takes twenty seconds to compile.
// Jacobi's rotations find singular values, because Eigen 3.4's divide and conquer errs where they repeat.

namespace minima::detail {

namespace {

using Matrix = ColumnMajor<double>;

template <class T>
Matrix given(const Tensor& x, std::int64_t i) {
  return eigen_map<T>(x, i).template cast<double>();
}

template <class T>
void put(const Matrix& from, const Tensor& to, std::int64_t i) {
  eigen_map<T>(to, i) = from.cast<T>();
}

/// Writes the vector of matrix i of a batch.
template <class T, class Values>
void put_vector(const Values& from, const Tensor& to, std::int64_t i) {
  for (Eigen::Index k = 0; k < from.size(); ++k) to.data<T>()[i * from.size() + k] = static_cast<T>(from(k));
}

double flops_of(const Tensor& x) {
  const auto m = static_cast<double>(rows_of(x)), n = static_cast<double>(columns_of(x));
  return m * n * std::min(m, n);
}

/// Calls find(index), which returns whether it succeeds, for x's matrices.
template <class F>
Infos find_each(const Tensor& x, double flops, F find) {
  Infos infos(static_cast<std::size_t>(count_filled(x)));
  each_matrix(count_filled(x), flops, [&](std::int64_t i) { infos[static_cast<std::size_t>(i)] = !find(i); });
  return infos;
}

}  // namespace

Infos eigh_kernel(const Tensor& x, bool upper, Tensor& values, Tensor& vectors) {
  Infos infos;
  for_dtype(x, [&]<class T> {
    infos = find_each(x, 9 * flops_of(x), [&](std::int64_t i) {
      Matrix symmetric = given<T>(x, i);
      if (upper) symmetric.transposeInPlace();
      symmetric = symmetric.selfadjointView<Eigen::Lower>();
      if (!symmetric.allFinite()) return false;
      const Eigen::SelfAdjointEigenSolver<Matrix> solver(
          symmetric, vectors.defined() ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
      if (solver.info() != Eigen::Success) return false;
      put_vector<T>(solver.eigenvalues(), values, i);
      if (vectors.defined()) put<T>(solver.eigenvectors(), vectors, i);
      return true;
    });
  });
  return infos;
}

Infos eig_kernel(const Tensor& x, Tensor& values, Tensor& vectors) {
  Infos infos;
  for_dtype(x, [&]<class T> {
    infos = find_each(x, 25 * flops_of(x), [&](std::int64_t i) {
      const Matrix matrix = given<T>(x, i);
      if (!matrix.allFinite()) return false;
      const Eigen::EigenSolver<Matrix> solver(matrix, vectors.defined());
      if (solver.info() != Eigen::Success) return false;
      put_vector<Complex<T>>(solver.eigenvalues(), values, i);
      if (!vectors.defined()) return true;
      const auto columns = solver.eigenvectors();
      const Eigen::Index n = columns.rows();
      for (Eigen::Index k = 0; k < n * n; ++k) vectors.data<Complex<T>>()[i * n * n + k] = columns(k / n, k % n);
      return true;
    });
  });
  return infos;
}

Infos svd_kernel(const Tensor& x, Tensor& u, Tensor& s, Tensor& vt) {
  unsigned wanted = 0;
  if (u.defined()) {
    const bool full = columns_of(u) == rows_of(x) && rows_of(vt) == columns_of(x);
    wanted = full ? Eigen::ComputeFullU | Eigen::ComputeFullV : Eigen::ComputeThinU | Eigen::ComputeThinV;
  }
  Infos infos;
  for_dtype(x, [&]<class T> {
    infos = find_each(x, 40 * flops_of(x), [&](std::int64_t i) {
      const Matrix matrix = given<T>(x, i);
      if (!matrix.allFinite()) return false;
      const Eigen::JacobiSVD<Matrix> svd(matrix, wanted);
      put_vector<T>(svd.singularValues(), s, i);
      if (!u.defined()) return true;
      put<T>(svd.matrixU(), u, i);
      put<T>(svd.matrixV().transpose(), vt, i);
      return true;
    });
  });
  return infos;
}

void qr_kernel(const Tensor& x, Tensor& q, Tensor& r) {
  for_dtype(x, [&]<class T> {
    each_matrix(count_filled(x), 4 * flops_of(x), [&](std::int64_t i) {
      const Eigen::HouseholderQR<Matrix> qr(given<T>(x, i));
      Matrix upper = Matrix::Zero(rows_of(r), columns_of(r));
      const std::int64_t rows = std::min(rows_of(x), rows_of(r));
      upper.topRows(rows) = qr.matrixQR().topRows(rows).triangularView<Eigen::Upper>();
      put<T>(upper, r, i);
      if (q.defined()) put<T>(qr.householderQ() * Matrix::Identity(rows_of(q), columns_of(q)), q, i);
    });
  });
}

void geqrf_kernel(const Tensor& x, Tensor& reflections, Tensor& tau) {
  for_dtype(x, [&]<class T> {
    each_matrix(count_filled(x), 2 * flops_of(x), [&](std::int64_t i) {
      const Eigen::HouseholderQR<Matrix> qr(given<T>(x, i));
      put<T>(qr.matrixQR(), reflections, i);
      put_vector<T>(qr.hCoeffs(), tau, i);
    });
  });
}

}  // namespace minima::detail

#endif
