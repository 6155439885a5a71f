#include <minima/ops/linalg/kernels/batch.h>
#include <minima/ops/linalg/kernels/dense.h>
#include <minima/ops/linalg/kernels/eigen_matrix.h>
#include <minima/ops/linalg/kernels/linalg_kernels.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace minima::detail {

namespace {

/// The coefficients of the Padé approximant of degree m to eˣ, and the largest norm for which it is exact to `T`.
struct Pade {
  int degree;
  double largest_norm;
};
template <class T>
constexpr Pade approximants[] = {{3, 1.495585217958292e-2},
                                 {5, 2.539398330063230e-1},
                                 {7, 9.504178996162932e-1},
                                 {9, 2.097847961257068},
                                 {13, 5.371920351148152}};
template <>
constexpr Pade approximants<float>[] = {{3, 4.258730016922831e-1}, {5, 1.880152677804762}, {7, 3.925724783138660}};

/// c_k = (2m - k)! m! / ((2m)! (m - k)! k!), times what makes c_m = 1.
std::vector<double> coefficients(int m) {
  std::vector<double> c(static_cast<std::size_t>(m) + 1);
  c.back() = 1;
  for (int k = m; k > 0; --k)
    c[static_cast<std::size_t>(k - 1)] = c[static_cast<std::size_t>(k)] * k * (2 * m - k + 1) / (m - k + 1);
  return c;
}

template <class T>
Dense<T> dense(RowMajor<T>& x) {
  return {x.data(), x.rows(), x.cols(), x.cols()};
}

/// a·b, on all threads.
template <class T>
RowMajor<T> product(RowMajor<T>& a, RowMajor<T>& b) {
  RowMajor<T> c(a.rows(), b.cols());
  multiply(dense(c), dense(a), dense(b));
  return c;
}

/// eˣ ≈ (V - U)⁻¹·(V + U), where U has the odd powers of x and V the even ones.
template <class T>
RowMajor<T> pade(RowMajor<T> x, int degree) {
  const std::int64_t n = x.rows();
  const std::vector<double> c = coefficients(degree);
  const auto coefficient = [&](int k) { return static_cast<T>(c[static_cast<std::size_t>(k)]); };
  RowMajor<T> square = product(x, x);
  RowMajor<T> even = coefficient(0) * RowMajor<T>::Identity(n, n), odd = coefficient(1) * RowMajor<T>::Identity(n, n);
  if (degree < 13) {
    RowMajor<T> power = square;
    for (int k = 2; k <= degree; k += 2) {
      even += coefficient(k) * power;
      odd += coefficient(k + 1) * power;
      if (k + 2 <= degree) power = product(power, square);
    }
  } else {
    RowMajor<T> fourth = product(square, square), sixth = product(fourth, square);
    RowMajor<T> high = coefficient(13) * sixth + coefficient(11) * fourth + coefficient(9) * square;
    odd += product(sixth, high) + coefficient(7) * sixth + coefficient(5) * fourth + coefficient(3) * square;
    RowMajor<T> other = coefficient(12) * sixth + coefficient(10) * fourth + coefficient(8) * square;
    even += product(sixth, other) + coefficient(6) * sixth + coefficient(4) * fourth + coefficient(2) * square;
  }
  odd = product(x, odd);
  RowMajor<T> divisor = even - odd, result = even + odd;
  std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
  const Scratch<T> factors(n, n);
  const Dense<T> lu = factors.matrix();
  copy_matrix(dense(divisor), lu);
  factor_lu(lu, pivots.data());
  solve_lu(lu, pivots.data(), dense(result));
  return result;
}

template <class T>
RowMajor<T> exponential(const RowMajor<T>& x) {
  if (!x.allFinite()) return RowMajor<T>::Constant(x.rows(), x.cols(), std::numeric_limits<T>::quiet_NaN());
  const T norm = x.cwiseAbs().colwise().sum().maxCoeff();
  for (const Pade& approximant : approximants<T>)
    if (norm <= static_cast<T>(approximant.largest_norm)) return pade<T>(x, approximant.degree);
  const Pade& largest = *(std::end(approximants<T>) - 1);
  const int halvings =
      std::max(0, static_cast<int>(std::ceil(std::log2(static_cast<double>(norm) / largest.largest_norm))));
  RowMajor<T> result = pade<T>(x * std::ldexp(T(1), -halvings), largest.degree);
  for (int i = 0; i < halvings; ++i) result = product(result, result);
  return result;
}

}  // namespace

void matrix_exp_kernel(const Tensor& x, Tensor& y) {
  const auto n = static_cast<double>(rows_of(x));
  if (x.numel() == 0) return;
  for_dtype(x, [&]<class T> {
    each_matrix(count_filled(x), 20 * n * n * n,
                [&](std::int64_t i) { eigen_map<T>(y, i) = exponential<T>(eigen_map<T>(x, i)); });
  });
}

}  // namespace minima::detail
