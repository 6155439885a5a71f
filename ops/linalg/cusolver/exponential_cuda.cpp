#include <minima/ops/linalg/cusolver/cusolver.h>

#include <minima/ops/creation/creation.h>
#include <minima/ops/linalg/cusolver/calls.h>
#include <minima/ops/linalg/kernels/batch.h>
#include <minima/ops/matmul/matmul.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/pointwise/rounding.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/device/capture.h>

#include <cstddef>
#include <limits>
#include <vector>

namespace minima::detail {

namespace {

/// The approximant of matrix_exp_kernel's highest degree, for all matrices.
struct HighestPade {
  double largest_norm;
  std::vector<double> c;
};
HighestPade highest_pade(DType dtype) {
  if (dtype == DType::float32) return {3.925724783138660, {17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1}};
  return {5.371920351148152,
          {64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000, 10559470521600,
           670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1}};
}

/// (V - U)⁻¹·(V + U), where U has the odd powers of x and V the even ones.
Tensor pade_of(const Tensor& x, const std::vector<double>& c) {
  const Tensor unit = eye(rows_of(x), -1, {.dtype = x.dtype(), .device = x.device()}), square = matmul(x, x);
  Tensor even = unit * c[0], odd = unit * c[1], power = square;
  for (std::size_t k = 2; k < c.size(); k += 2) {
    even = even + power * c[k];
    odd = odd + power * c[k + 1];
    if (k + 2 < c.size()) power = matmul(power, square);
  }
  odd = matmul(x, odd);
  const Tensor factors = column_major(even - odd), right = column_major(even + odd);
  const Tensor pivots = empty(leading(factors.shape(), 1), {.dtype = DType::int64, .device = x.device()});
  Solver solver("matrix_exp", x);
  solver.lu(factors, pivots);
  solver.solve(factors, pivots, false, right);
  return transposed(right);
}

}  // namespace

void matrix_exp_cusolver(const Tensor& x, const Tensor& y) {
  refuse_captured(x.device(), "matrix_exp");
  const WithoutAutocast guard;
  const HighestPade pade = highest_pade(x.dtype());
  const Tensor finite = all(isfinite(x), {-2, -1}, true), given = where(finite, x, 0);
  const Tensor norms = amax(sum(abs(given), {-2}, true), {-1}, true);
  const Tensor halvings = where(norms > pade.largest_norm, ceil(log2(norms / pade.largest_norm)), 0);
  const auto most = static_cast<int>(amax(halvings).to(float64).item<double>());
  Tensor result = pade_of(given * exp2(-halvings), pade.c);
  for (int i = 0; i < most; ++i) result = where(halvings > i, matmul(result, result), result);
  copy_values(where(finite, result, std::numeric_limits<double>::quiet_NaN()), y);
}

}  // namespace minima::detail
