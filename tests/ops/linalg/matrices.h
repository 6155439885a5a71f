#pragma once

#include "tests/ops/checks/op_cases.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// References for linear algebra: textbook algorithms on single matrices of doubles, and what the tables share.

namespace minima::test {

struct Matrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<double> values;

  Matrix(std::int64_t rows, std::int64_t columns)
      : rows(rows), columns(columns), values(static_cast<std::size_t>(rows * columns)) {}
  double& operator()(std::int64_t i, std::int64_t j) { return values[static_cast<std::size_t>(i * columns + j)]; }
  double operator()(std::int64_t i, std::int64_t j) const { return values[static_cast<std::size_t>(i * columns + j)]; }
};

Matrix identity(std::int64_t n);
Matrix transpose(const Matrix& x);
Matrix operator*(const Matrix& a, const Matrix& b);
Matrix operator+(const Matrix& a, const Matrix& b);
Matrix operator*(const Matrix& a, double factor);
/// diag(1, 2, …, n)
Matrix ramp(std::int64_t n);

/// Householder's Q [M, M] and R [M, N], with LAPACK's signs.
struct ReferenceQR {
  Matrix q, r;
};
ReferenceQR reference_qr(const Matrix& x);
/// Gauss's elimination with partial pivoting.
struct ReferenceLU {
  Matrix lu;
  std::vector<double> pivots;  ///< counted from 1
};
ReferenceLU reference_lu(const Matrix& x);
double reference_det(const Matrix& x);
Matrix reference_solve(const Matrix& a, const Matrix& b);
Matrix reference_cholesky(const Matrix& x);
/// Jacobi's rotations: the eigenvalues of a symmetric matrix, ascending, and the eigenvectors in columns.
struct ReferenceEigh {
  std::vector<double> values;
  Matrix vectors;
};
ReferenceEigh reference_eigh(const Matrix& x);
/// One-sided Jacobi: K = min(M, N) singular values, descending.
struct ReferenceSVD {
  Matrix u;
  std::vector<double> s;
  Matrix vt;
};
ReferenceSVD reference_svd(const Matrix& x);
Matrix reference_exp(const Matrix& x);

/// One output of a reference for one matrix of a batch: a matrix, or a vector or scalar under another shape.
struct Part {
  Shape shape;
  std::vector<double> values;
  Part(const Matrix& x) : shape{x.rows, x.columns}, values(x.values) {}
  Part(Shape shape, std::vector<double> values) : shape(shape), values(std::move(values)) {}
  Part(std::vector<double> vector) : shape{static_cast<std::int64_t>(vector.size())}, values(std::move(vector)) {}
  Part(double scalar) : values{scalar} {}
};
/// Applies f to the matrices of the inputs, whose batches broadcast. With an empty batch, f sees identities.
Reference for_each_matrix(std::function<std::vector<Part>(const std::vector<Matrix>&)> f);

/// x·xᵀ + 3 for the dtypes that linear algebra takes, else x: the operator itself must refuse it.
Tensor positive(const Tensor& x);
Matrix positive(const Matrix& x);
/// x + 3, likewise.
Tensor shifted(const Tensor& x);
Matrix shifted(const Matrix& x);
/// x + xᵀ + diag(4, 8, …), likewise.
Tensor symmetric(const Tensor& x);
Matrix symmetric(const Matrix& x);
/// x with 3, 6, … added below the diagonal, likewise: matrices of full rank with different singular values, whose rows
/// need exchanges, even if all rows of x are the same.
Tensor separated(const Tensor& x);
Matrix separated(const Matrix& x);
/// The same in Python, of x.
inline const std::string separated_in_python =
    "(x + 3 * (torch.eye(*x.shape[-2:], dtype=x.dtype) * (1 + torch.arange(x.shape[-1]))).roll(1, 0))";
/// x·diag(1, 2, …), likewise.
Tensor with_ramp(const Tensor& x);

/// What all tables of linear algebra share.
OpCases of_matrices(OpCases cases);

}  // namespace minima::test
