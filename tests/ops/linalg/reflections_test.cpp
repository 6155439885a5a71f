#include <minima/ops/linalg/linalg.h>

#include "tests/ops/linalg/matrices.h"

#include <minima/ops/creation/random.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace minima::reflections_test {
namespace {

using namespace test;
using Matrices = const std::vector<Matrix>&;

/// H₁·…·H_K for reflections in the columns of a.
Matrix product(const Matrix& a, const Matrix& tau) {
  Matrix q = identity(a.rows);
  for (std::int64_t k = 0; k < tau.rows; ++k) {
    Matrix v(a.rows, 1);
    v(k, 0) = 1;
    for (std::int64_t i = k + 1; i < a.rows; ++i) v(i, 0) = a(i, k);
    q = q * (identity(a.rows) + v * transpose(v) * -tau(k, 0));
  }
  return q;
}
Matrix first_columns(const Matrix& x, std::int64_t count) {
  Matrix y(x.rows, count);
  for (std::int64_t i = 0; i < x.rows; ++i)
    for (std::int64_t j = 0; j < count; ++j) y(i, j) = x(i, j);
  return y;
}

/// tau [..., K, 1] as a vector, for the dtypes that linear algebra takes.
Tensor vector_of(const Tensor& tau) { return tau.defined() && tau.rank() > 1 ? select(tau, -1, 0) : tau; }

[[maybe_unused]] const bool geqrf_cases =
    of_matrices(OpCases("geqrf"))
        .no_gradient()
        .on(
            [](In in) {
              const auto [a, tau] = linalg::geqrf(separated(in[0]));
              return std::vector<Tensor>{a, tau};
            },
            for_each_matrix([](Matrices x) {
              Matrix a = separated(x[0]);
              const std::int64_t count = std::min(a.rows, a.columns);
              std::vector<double> tau(static_cast<std::size_t>(count));
              for (std::int64_t k = 0; k < count; ++k) {
                double rest = 0;
                for (std::int64_t i = k + 1; i < a.rows; ++i) rest += a(i, k) * a(i, k);
                if (rest == 0) continue;
                const double first = a(k, k), beta = -std::copysign(std::sqrt(first * first + rest), first);
                tau[static_cast<std::size_t>(k)] = (beta - first) / beta;
                for (std::int64_t i = k + 1; i < a.rows; ++i) a(i, k) /= first - beta;
                a(k, k) = beta;
                for (std::int64_t j = k + 1; j < a.columns; ++j) {
                  double along = a(k, j);
                  for (std::int64_t i = k + 1; i < a.rows; ++i) along += a(i, k) * a(i, j);
                  along *= tau[static_cast<std::size_t>(k)];
                  a(k, j) -= along;
                  for (std::int64_t i = k + 1; i < a.rows; ++i) a(i, j) -= along * a(i, k);
                }
              }
              return std::vector<Part>{a, tau};
            }))
        .pytorch("lambda x: torch.geqrf(" + separated_in_python + ".detach())")
        .inputs(given({3, 3}, {4, 1, -2, 1, 3, 0.5, -1, 2, 5}))
        .inputs(given({4, 2}, {4, 1, -2, 1, 3, 0.5, -1, 2}))
        .inputs(given({2, 4}, {4, 1, -2, 1, 3, -5, -1, 2}))
        .inputs(normal({2, 1, 3, 2}))
        .inputs(normal({0, 3, 3}))
        .inputs(normal({3, 0}))
        .error<ShapeError>([] { linalg::geqrf(sized({3})); },
                           "geqrf: needs a matrix or a batch of matrices [..., M, N], got float32 [3]")
        .error<DTypeError>([] { linalg::geqrf(sized({3, 3}, bfloat16)); },
                           "geqrf: needs float32 or float64, got bfloat16 [3, 3]; convert it with to()")
        .check();

[[maybe_unused]] const bool householder_product_cases =
    of_matrices(OpCases("householder_product"))
        .on([](In in) { return linalg::householder_product(in[0], vector_of(in[1])); }, for_each_matrix([](Matrices x) {
              return std::vector<Part>{first_columns(product(x[0], x[1]), x[0].columns)};
            }))
        .pytorch("lambda a, t: torch.linalg.householder_product(a, t.squeeze(-1))")
        .inputs(uniform({3, 3}, -1, 1), uniform({3, 1}, 0.5, 2))
        .inputs(uniform({2, 4, 3}, -1, 1), uniform({2, 2, 1}, 0.5, 2))
        .inputs(uniform({3, 2}, -1, 1), given({2, 1}, {0, 1.5}))
        .inputs(uniform({0, 3, 2}, -1, 1), uniform({0, 2, 1}, 0.5, 2))
        .error<ShapeError>([] { linalg::householder_product(sized({2, 3}), sized({2})); },
                           "householder_product: needs reflections [..., M, N] and [..., K] with K <= N <= M, got "
                           "float32 [2, 3] and float32 [2]")
        .error<DTypeError>([] { linalg::householder_product(sized({3, 3}), sized({3}, float64)); },
                           "householder_product: dtypes differ: float32 [3, 3] and float64 [3]; convert one with to()")
        .check();

auto multiplied(const linalg::OrmqrOptions& options) {
  return [=](In in) { return linalg::ormqr(in[0], vector_of(in[1]), in[2], options); };
}
auto reference_multiplied(const linalg::OrmqrOptions& options) {
  return for_each_matrix([=](Matrices x) {
    const Matrix whole = product(x[0], x[1]), q = options.transposed ? transpose(whole) : whole;
    return std::vector<Part>{options.left ? q * x[2] : x[2] * q};
  });
}

[[maybe_unused]] const bool ormqr_cases =
    of_matrices(OpCases("ormqr"))
        .on(multiplied({}), reference_multiplied({}), "left")
        .pytorch("lambda a, t, c: torch.ormqr(a, t.squeeze(-1), c)")
        .inputs(uniform({4, 2}, -1, 1), uniform({2, 1}, 0.5, 2), normal({4, 3}))
        .inputs(uniform({2, 3, 3}, -1, 1), uniform({2, 3, 1}, 0.5, 2), normal({2, 3, 1}))
        .inputs(uniform({0, 3, 2}, -1, 1), uniform({0, 2, 1}, 0.5, 2), normal({0, 3, 1}))
        .on(multiplied({.transposed = true}), reference_multiplied({.transposed = true}), "left transposed")
        .pytorch("lambda a, t, c: torch.ormqr(a, t.squeeze(-1), c, transpose=True)")
        .inputs(uniform({4, 2}, -1, 1), uniform({2, 1}, 0.5, 2), normal({4, 3}))
        .on(multiplied({.left = false}), reference_multiplied({.left = false}), "right")
        .pytorch("lambda a, t, c: torch.ormqr(a, t.squeeze(-1), c, left=False)")
        .inputs(uniform({4, 2}, -1, 1), uniform({2, 1}, 0.5, 2), normal({3, 4}))
        .on(multiplied({.left = false, .transposed = true}), reference_multiplied({.left = false, .transposed = true}),
            "right transposed")
        .pytorch("lambda a, t, c: torch.ormqr(a, t.squeeze(-1), c, left=False, transpose=True)")
        .inputs(uniform({4, 2}, -1, 1), uniform({2, 1}, 0.5, 2), normal({3, 4}))
        .error<ShapeError>([] { linalg::ormqr(sized({4, 2}), sized({2}), sized({3, 3})); },
                           "ormqr: needs reflections [..., M, K] and c [..., M, L], got float32 [4, 2] and float32 "
                           "[3, 3]")
        .error<DTypeError>([] { linalg::ormqr(sized({3, 3}), sized({3}), sized({3, 1}, float64)); },
                           "ormqr: dtypes differ: float32 [3, 3] and float64 [3, 1]; convert one with to()")
        .check();

TEST(Reflections, MultiplyToTheQOfQr) {
  manual_seed(5);
  const Tensor x = randn({2, 30, 12}, {.dtype = float64});
  const auto [a, tau] = linalg::geqrf(x);
  const linalg::QR qr = linalg::qr(x);
  EXPECT_TRUE(allclose(linalg::householder_product(a, tau), qr.q, {.rtol = 1e-13, .atol = 1e-14}));
  const Tensor back = linalg::ormqr(a, tau, x, {.transposed = true});
  EXPECT_TRUE(allclose(narrow(back, -2, 0, 12), qr.r, {.rtol = 1e-13, .atol = 1e-13}));
}

}  // namespace
}  // namespace minima::reflections_test
