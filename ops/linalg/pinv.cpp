#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/linalg/kernels/batch.h>
#include <minima/ops/linalg/measures.h>
#include <minima/ops/linalg/solves.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace minima::linalg {

namespace {

using detail::columns_of, detail::rows_of, detail::transposed;

double epsilon_of(DType dtype) {
  return dtype == DType::float64 ? std::numeric_limits<double>::epsilon()
                                 : static_cast<double>(std::numeric_limits<float>::epsilon());
}

/// Returns which of the singular values s [..., K] of matrices like x count.
Tensor counts(const Tensor& s, const Tensor& x, const RankTolerance& tolerance) {
  if (s.shape().back() == 0) return s > 0;
  const double least = tolerance.atol.value_or(0);
  const double automatic =
      least > 0 ? 0 : epsilon_of(x.dtype()) * static_cast<double>(std::max(rows_of(x), columns_of(x)));
  return s > maximum(narrow(s, -1, 0, 1) * tolerance.rtol.value_or(automatic), least);
}

void check_tolerance(const char* op, const std::optional<double>& value) {
  if (value && !(*value >= 0)) throw ValueError(str(op, ": tolerances must not be negative, got ", *value));
}

Tensor checked_for_rank(const char* op, const Tensor& x, const RankTolerance& tolerance) {
  detail::check_defined(op, x);
  Tensor given = detail::outside_autocast(x);
  detail::check_matrices(op, given);
  check_tolerance(op, tolerance.atol);
  check_tolerance(op, tolerance.rtol);
  return given;
}

struct PseudoInverse {
  static constexpr Traits traits{.name = "pinv"};
  RankTolerance tolerance;

  TensorSpec result(const Tensor& x) const {
    return spec_of(detail::joined(detail::leading(x.shape()), {columns_of(x), rows_of(x)}), x.dtype(), x.device());
  }
  Cost cost(const Tensor& x) const {
    const auto m = static_cast<double>(rows_of(x)), n = static_cast<double>(columns_of(x));
    return detail::matrix_cost(x, 20 * m * n * std::min(m, n), x.numel());
  }
  void cpu(const Tensor& x, Tensor& y) const {
    const auto [u, s, vt] = svd(x);
    const Tensor used = counts(s, x, tolerance), inverse = where(used, 1 / where(used, s, 1), 0);
    detail::copy_values(matmul(transposed(vt) * unsqueeze(inverse, -2), transposed(u)), y);
  }
  void cuda(const Tensor& x, Tensor& y) const { cpu(x, y); }
  // Golub, Pereyra (1973): dY = -Y·dX·Y + Y·Yᵀ·dXᵀ·(1 - X·Y) + (1 - Y·X)·dXᵀ·Yᵀ·Y.
  Tensor gradient(Grad g, Input<0> x, Output y) const {
    const Tensor yt = transposed(y), gt = transposed(g);
    const Tensor a = matmul(gt, matmul(y, yt)), b = matmul(yt, matmul(y, gt));
    return a - matmul(x, matmul(y, a)) + b - matmul(matmul(b, y), x) - matmul(yt, matmul(g, yt));
  }
};

/// Whether no singular value of the triangular r [..., K, K] counts as zero, by a bound: the ratio of the extreme ones
/// is at least 1 / (K·‖R‖₁·‖R⁻¹‖₁).
bool is_surely_full(const Tensor& r, double rtol) {
  const std::int64_t k = rows_of(r);
  if (r.numel() == 0) return true;
  const Tensor unit = eye(k, {.dtype = r.dtype(), .device = r.device()});
  const Tensor bound = matrix_norm(r, 1) * matrix_norm(solve_triangular(r, unit, {.upper = true}), 1);
  return all(bound * (static_cast<double>(k) * rtol) < 1).item<bool>();
}

}  // namespace

Tensor pinv(const Tensor& x, const RankTolerance& tolerance) {
  const Tensor given = checked_for_rank("pinv", x, tolerance);
  const detail::WithoutAutocast guard;
  return apply(PseudoInverse{tolerance}, given);
}

Tensor matrix_rank(const Tensor& x, const RankTolerance& tolerance) {
  const Tensor given = checked_for_rank("matrix_rank", x, tolerance);
  const detail::WithoutAutocast guard;
  const NoGrad constant;
  return sum(counts(svdvals(given), given, tolerance), {-1});
}

LeastSquares lstsq(const Tensor& a, const Tensor& b, std::optional<double> rcond) {
  constexpr const char* op = "lstsq";
  detail::check_defined(op, b, 1);
  const Tensor matrix = checked_for_rank(op, a, {.rtol = rcond}), right = detail::outside_autocast(b);
  const detail::WithoutAutocast guard;
  detail::check_same_dtype(op, matrix, right);
  const bool is_vectors = detail::holds_vectors(matrix, right);
  if (!is_vectors && right.rank() < 2)
    throw ShapeError(str(op, ": needs a [..., M, N] and b [..., M, K] or [..., M], got ", matrix, " and ", right));
  const Tensor columns = is_vectors ? unsqueeze(right, -1) : right;
  if (rows_of(columns) != rows_of(matrix))
    throw ShapeError(str(op, ": needs a [..., M, N] and b [..., M, K] or [..., M], got ", matrix, " and ", right));
  broadcast(detail::leading(matrix.shape()), detail::leading(columns.shape()), op);

  LeastSquares result;
  const std::int64_t m = rows_of(matrix), n = columns_of(matrix), k = std::min(m, n);
  const auto [q, r] = qr(m >= n ? matrix : transposed(matrix));
  bool is_full;
  {
    const NoGrad constant;
    if (is_surely_full(r, rcond.value_or(epsilon_of(matrix.dtype()) * static_cast<double>(std::max(m, n)))))
      result.rank = full(detail::leading(matrix.shape()), k, {.dtype = DType::int64, .device = matrix.device()});
    else result.rank = sum(counts(svdvals(r), matrix, {.rtol = rcond}), {-1});
    is_full = all(result.rank == k).item<bool>();
  }
  Tensor x;
  if (!is_full) x = matmul(pinv(matrix, {.rtol = rcond}), columns);
  else if (m >= n) x = solve_triangular(r, matmul(transposed(q), columns), {.upper = true});
  else x = matmul(q, solve_triangular(transposed(r), columns, {}));
  if (m > n && is_full) {
    const Tensor residuals = sum(square(matmul(matrix, x) - columns), {-2});
    result.residuals = is_vectors ? squeeze(residuals, -1) : residuals;
  } else {
    result.residuals = zeros({0}, {.dtype = matrix.dtype(), .device = matrix.device()});
  }
  result.solution = is_vectors ? squeeze(x, -1) : x;
  return result;
}

}  // namespace minima::linalg
