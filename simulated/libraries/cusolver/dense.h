#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

// These functions compute what LAPACK's do, by textbook algorithms whose every step is rounded to the matrix's type.

namespace simulated {

/// The type that numbers are rounded to.
enum class Real : std::uint8_t { single, twice };
/// To the mantissa of the type, by Dekker's splitting. The range stays that of float64, since libraries scale.
inline double rounded(double x, Real real) {
  constexpr double splitter = (1 << 29) + 1;
  if (real == Real::twice || !std::isfinite(x)) return x;
  const double large = splitter * x;
  return large - (large - x);
}

/// A column-major matrix.
struct Dense {
  std::int64_t m = 0, n = 0;
  Real real;
  std::vector<double> values{};

  Dense(std::int64_t rows, std::int64_t columns, Real type)
      : m(rows), n(columns), real(type), values(static_cast<std::size_t>(rows * columns)) {}
  double kept(double x) const { return rounded(x, real); }
  double& operator()(std::int64_t i, std::int64_t j) { return values[static_cast<std::size_t>(j * m + i)]; }
  double operator()(std::int64_t i, std::int64_t j) const { return values[static_cast<std::size_t>(j * m + i)]; }
  double* column(std::int64_t j) { return values.data() + j * m; }
  const double* column(std::int64_t j) const { return values.data() + j * m; }
};

struct Triangle {
  bool upper = false, transposed = false, unit = false;
};

/// potrf: the order of the first leading minor that is not positive, or 0. The other triangle stays as it is.
int cholesky(Dense& a, bool upper);
/// getrf with partial pivoting: the first pivot that is 0, counted from 1, or 0. Pivots count from 1.
int lu(Dense& a, std::vector<std::int64_t>& pivots);
/// getrs
void solve(const Dense& lu, const std::vector<std::int64_t>& pivots, bool transposed, Dense& b);
/// geqrf
void qr(Dense& a, std::vector<double>& tau);
/// orgqr: the columns of a become those of Q.
void orthonormal(Dense& a, const std::vector<double>& tau);
/// Eigenvalues, ascending, of the symmetric matrix of which a has one triangle; a becomes the eigenvectors.
std::vector<double> eigenvalues(Dense& a, bool upper);
/// Singular values, descending, of a with m ≥ n; u [m, m] and v [n, n] are orthogonal.
struct SingularValues {
  Dense u;
  std::vector<double> s;
  Dense v;
};
SingularValues singular_values(const Dense& a);
/// trsm: b ← op(a)⁻¹·b, or b·op(a)⁻¹ on the right.
void solve_triangle(const Dense& a, Triangle triangle, bool on_the_right, Dense& b);

}  // namespace simulated
