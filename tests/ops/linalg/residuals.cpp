#include "tests/ops/linalg/residuals.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/linalg/linalg.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/view/diagonal.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace minima::test {

namespace {

Tensor turned(const Tensor& x) { return transpose(x, -2, -1); }
std::int64_t longest(const Tensor& x) { return std::max(x.size(-1), x.size(-2)); }

void expect_zeros(const Tensor& x, const std::string& what) {
  EXPECT_EQ(x.numel() == 0 ? 0 : amax(abs(x)).item<double>(), 0) << what;
}

/// In steps of `order`: 1 for ascending values, -1 for descending ones.
void expect_sorted(const Tensor& values, double order, const std::string& what) {
  const std::int64_t n = values.size(-1);
  if (values.numel() == 0 || n < 2) return;
  const Tensor steps = (narrow(values, -1, 1, n - 1) - narrow(values, -1, 0, n - 1)) * order;
  EXPECT_TRUE(all(steps >= 0).item<bool>()) << what << ": order";
}

}  // namespace

Tensor in_float64(const Tensor& x) { return x.detach().to(Device::cpu()).to(float64); }

double epsilon(DType dtype) {
  return dtype == float64 ? std::numeric_limits<double>::epsilon()
                          : static_cast<double>(std::numeric_limits<float>::epsilon());
}

void expect_small(const Tensor& residual, const Tensor& scale, std::int64_t n, DType dtype, const std::string& what) {
  if (residual.numel() == 0) return;
  const Tensor size = linalg::matrix_norm(residual, 1), unit = linalg::matrix_norm(scale, 1);
  const Tensor ratios = where(size == 0, 0, size / unit);
  const double ratio =
      amax(ratios).item<double>() / (static_cast<double>(std::max<std::int64_t>(n, 1)) * epsilon(dtype));
  EXPECT_LT(ratio, lapack_threshold) << what << ", size " << n << ", " << name(dtype);
}

void expect_orthonormal(const Tensor& q, DType dtype, const std::string& what) {
  const Tensor unit = eye(q.size(-1), {.dtype = float64});
  expect_small(matmul(turned(in_float64(q)), in_float64(q)) - unit, unit, q.size(-2), dtype, what + ": orthonormal");
}

void expect_qr(const Tensor& x, const Tensor& q, const Tensor& r, const std::string& what) {
  const Tensor given = in_float64(x);
  expect_small(matmul(in_float64(q), in_float64(r)) - given, given, longest(x), x.dtype(), what + ": QR");
  expect_orthonormal(q, x.dtype(), what + ": Q");
  expect_zeros(tril(in_float64(r), -1), what + ": R");
}

void expect_svd(const Tensor& x, const Tensor& u, const Tensor& s, const Tensor& vt, const std::string& what) {
  const std::int64_t k = s.size(-1);
  const Tensor given = in_float64(x), left = narrow(in_float64(u), -1, 0, k) * unsqueeze(in_float64(s), -2);
  expect_small(matmul(left, narrow(in_float64(vt), -2, 0, k)) - given, given, longest(x), x.dtype(), what + ": USV");
  expect_orthonormal(u, x.dtype(), what + ": U");
  expect_orthonormal(turned(vt), x.dtype(), what + ": V");
  expect_sorted(in_float64(s), -1, what + ": S");
}

void expect_eigh(const Tensor& x, const Tensor& w, const Tensor& v, const std::string& what) {
  const Tensor given = in_float64(x), columns = in_float64(v);
  expect_small(matmul(given, columns) - columns * unsqueeze(in_float64(w), -2), given, x.size(-1), x.dtype(),
               what + ": AV - VW");
  expect_orthonormal(v, x.dtype(), what + ": V");
  expect_sorted(in_float64(w), 1, what + ": W");
}

void expect_lu(const Tensor& x, const Tensor& p, const Tensor& l, const Tensor& u, const std::string& what) {
  const Tensor given = in_float64(x), product = matmul(in_float64(l), in_float64(u));
  expect_small(matmul(in_float64(p), product) - given, given, longest(x), x.dtype(), what + ": PLU");
  EXPECT_LE(l.numel() == 0 ? 0 : amax(abs(in_float64(l))).item<double>(), 1) << what << ": L";
}

void expect_cholesky(const Tensor& x, const Tensor& l, const std::string& what) {
  const Tensor given = in_float64(x), factor = in_float64(l);
  expect_small(matmul(factor, turned(factor)) - given, given, x.size(-1), x.dtype(), what + ": LL");
  expect_zeros(triu(factor, 1), what + ": L");
}

void expect_solution(const Tensor& a, const Tensor& x, const Tensor& b, const std::string& what) {
  const Tensor matrix = in_float64(a), y = in_float64(x);
  expect_small(matmul(matrix, y) - in_float64(b), matmul(abs(matrix), abs(y)), a.size(-1), a.dtype(), what);
}

}  // namespace minima::test
