#pragma once

#include <minima/tensor/tensor.h>

#include <cstdint>
#include <string>

// LAPACK's measure of a result, as its own tests have it: a residual divided by the norm of the matrix, its size and ε
// is below 30 for every backward stable algorithm.

namespace minima::test {

inline constexpr double lapack_threshold = 30;

/// The values on the CPU in float64, without history.
Tensor in_float64(const Tensor& x);
/// ε of float32 or float64.
double epsilon(DType dtype);

/// ‖residual‖₁ / (‖scale‖₁·n·ε) of each matrix is below the threshold. A residual of zeros is small for any scale.
void expect_small(const Tensor& residual, const Tensor& scale, std::int64_t n, DType dtype, const std::string& what);
/// ‖1 - Qᵀ·Q‖₁ / (n·ε)
void expect_orthonormal(const Tensor& q, DType dtype, const std::string& what);

// The factors of x, in x's dtype on any device, against x.

/// Q·R, the columns of Q, and zeros below R's diagonal.
void expect_qr(const Tensor& x, const Tensor& q, const Tensor& r, const std::string& what);
/// U·S·Vᵀ, the columns of U and V, and the order of S.
void expect_svd(const Tensor& x, const Tensor& u, const Tensor& s, const Tensor& vt, const std::string& what);
/// A·V - V·W, the columns of V, and the order of W.
void expect_eigh(const Tensor& x, const Tensor& w, const Tensor& v, const std::string& what);
/// P·L·U, and the size of L's elements.
void expect_lu(const Tensor& x, const Tensor& p, const Tensor& l, const Tensor& u, const std::string& what);
/// L·Lᵀ, and zeros above L's diagonal.
void expect_cholesky(const Tensor& x, const Tensor& l, const std::string& what);
/// A·X - B, relative to |A|·|X|.
void expect_solution(const Tensor& a, const Tensor& x, const Tensor& b, const std::string& what);

}  // namespace minima::test
