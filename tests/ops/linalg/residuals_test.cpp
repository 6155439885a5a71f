#include <minima/ops/linalg/linalg.h>

#include "tests/ops/linalg/residuals.h"
#include "tests/support/engines.h"
#include "tests/support/gpu_test.h"

#include <minima/autograd/backward.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/product/products.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/sort/sort.h>
#include <minima/ops/view/diagonal.h>
#include <minima/ops/view/flip.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/threads/parallel.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

// Large matrices, judged as LAPACK's own tests judge them.

namespace minima::residuals_test {
namespace {

using test::expect_small, test::in_float64;

Tensor turned_back(const Tensor& x) { return transpose(x, -2, -1); }
double largest(const Tensor& x) { return amax(x).item<double>(); }

/// Calls f(x) for matrices of several sizes in both dtypes; the sizes are around those at which algorithms change. With
/// the preferred engine for products, and once more with Eigen.
template <class F>
void for_matrices(std::initializer_list<Shape> shapes, F f, bool by_eigen = false) {
  std::optional<test::EigenOnly> eigen;
  if (by_eigen) eigen.emplace();
  else for_matrices(shapes, f, true);
  RandomGenerator generator(11);
  for (const Shape& shape : shapes)
    for (const DType dtype : {float32, float64}) f(randn(shape, {.dtype = float64}, &generator).to(dtype), dtype);
}

TEST(LinalgResiduals, Cholesky) {
  for_matrices({{1, 1}, {24, 24}, {25, 25}, {3, 65, 65}, {300, 300}}, [](const Tensor& x, DType dtype) {
    const std::int64_t n = x.size(-1);
    const Tensor a = matmul(x, turned_back(x)) + eye(n, {.dtype = dtype});
    test::expect_cholesky(a, linalg::cholesky(a), "cholesky");
    test::expect_cholesky(a, turned_back(linalg::cholesky(a, true)), "cholesky, upper");
  });
}

TEST(LinalgResiduals, Lu) {
  for_matrices({{1, 1}, {9, 9}, {25, 70}, {70, 25}, {3, 65, 65}, {300, 300}}, [](const Tensor& x, DType) {
    const auto [p, l, u] = linalg::lu(x);
    test::expect_lu(x, p, l, u, "lu");
  });
}

TEST(LinalgResiduals, SolveAndInverse) {
  for_matrices({{1, 1}, {25, 25}, {3, 65, 65}, {300, 300}}, [](const Tensor& x, DType dtype) {
    const std::int64_t n = x.size(-1);
    const Tensor b = randn({n, 5}, {.dtype = float64}).to(dtype);
    test::expect_solution(x, linalg::solve(x, b), b, "solve");
    test::expect_solution(x, linalg::inv(x), eye(n, {.dtype = float64}), "inv");
  });
}

TEST(LinalgResiduals, SolveTriangular) {
  for_matrices({{25, 25}, {3, 65, 65}, {300, 300}}, [](const Tensor& x, DType dtype) {
    const std::int64_t n = x.size(-1);
    const Tensor a = x / static_cast<double>(n) + eye(n, {.dtype = dtype});
    const Tensor b = randn({n, 140}, {.dtype = float64}).to(dtype);
    for (const bool upper : {false, true}) {
      const Tensor triangle = upper ? triu(a) : tril(a);
      const Tensor y = in_float64(linalg::solve_triangular(a, b, {.upper = upper}));
      expect_small(matmul(in_float64(triangle), y) - in_float64(b), matmul(abs(in_float64(triangle)), abs(y)), n, dtype,
                   "triangle");
    }
  });
}

TEST(LinalgResiduals, Qr) {
  for_matrices({{1, 1}, {25, 70}, {70, 25}, {3, 65, 65}, {300, 200}}, [](const Tensor& x, DType) {
    for (const auto mode : {linalg::QRMode::reduced, linalg::QRMode::complete}) {
      const auto [q, r] = linalg::qr(x, mode);
      test::expect_qr(x, q, r, "qr");
    }
  });
}

TEST(LinalgResiduals, Eigh) {
  for_matrices({{1, 1}, {25, 25}, {33, 33}, {3, 65, 65}, {200, 200}}, [](const Tensor& x, DType dtype) {
    const Tensor a = x + turned_back(x);
    const auto [w, v] = linalg::eigh(a);
    test::expect_eigh(a, w, v, "eigh");
    const Tensor alone = linalg::eigvalsh(a);
    expect_small(unsqueeze(in_float64(alone) - in_float64(w), -1), in_float64(a), x.size(-1), dtype, "eigvalsh");
  });
}

TEST(LinalgResiduals, EighOfEqualAndSmallEigenvalues) {
  for_matrices({{64, 64}}, [](const Tensor& x, DType dtype) {
    const Tensor unit = eye(64, {.dtype = dtype}), column = narrow(x, 1, 0, 1);
    const Tensor pairs = tensor<double>({{0, 1}, {1, 0}}).to(dtype);
    const Tensor powers = diag(exp(arange(0, 64, 1, {.dtype = float64}) * -1.15).to(dtype));
    const Tensor basis = linalg::qr(x).q;
    for (const Tensor& a : {unit * 0, unit * 3, matmul(column, turned_back(column)),
                            kron(narrow(narrow(unit, 0, 0, 32), 1, 0, 32), pairs), powers,
                            matmul(matmul(basis, powers), turned_back(basis)), unit * 1e-30, unit * 1e30}) {
      const Tensor symmetric = (a + turned_back(a)) / 2;
      const auto [w, v] = linalg::eigh(symmetric);
      test::expect_eigh(symmetric, w, v, "eigh");
    }
  });
}

TEST(LinalgResiduals, Svd) {
  for_matrices({{1, 1}, {9, 30}, {70, 25}, {3, 40, 40}, {150, 150}, {40, 500}}, [](const Tensor& x, DType dtype) {
    for (const bool full : {false, true}) {
      const auto [u, s, vt] = linalg::svd(x, full);
      test::expect_svd(x, u, s, vt, "svd");
      expect_small(unsqueeze(in_float64(linalg::svdvals(x)) - in_float64(s), -1), in_float64(x), s.size(-1), dtype,
                   "svdvals");
    }
  });
}

TEST(LinalgResiduals, SvdOfEqualZeroAndSmallSingularValues) {
  for_matrices({{70, 40}}, [](const Tensor& x, DType dtype) {
    const Tensor unit = eye(40, {.dtype = dtype}), shifted = diag(ones({39}, {.dtype = dtype}), 1);
    const Tensor powers = diag(exp(arange(0, 40, 1, {.dtype = float64}) * -1.8).to(dtype));
    Tensor gap = triu(narrow(x, 0, 0, 40)) * 1;
    gap[20][20] = 0;
    for (const Tensor& a : {x * 0, unit, shifted, turned_back(shifted), powers, flip(powers, {0}), gap,
                            matmul(linalg::qr(x).q, powers), matmul(narrow(x, 1, 0, 1), narrow(x, 0, 0, 1)), x * 1e-30,
                            x * 1e30, narrow(x, 1, 0, 1), narrow(x, 0, 0, 1)}) {
      const auto [u, s, vt] = linalg::svd(a, true);
      test::expect_svd(a, u, s, vt, "svd");
    }
  });
}

TEST(LinalgResiduals, PseudoInverseOfAnyRank) {
  for_matrices({{40, 12}, {12, 40}, {3, 20, 20}}, [](const Tensor& x, DType dtype) {
    // Rank 5.
    const Tensor a = matmul(narrow(x, -1, 0, 5), narrow(x, -2, 0, 5));
    EXPECT_TRUE(all(linalg::matrix_rank(a) == 5).item<bool>());
    const Tensor y = in_float64(linalg::pinv(a)), given = in_float64(a);
    const Tensor scale = matmul(matmul(abs(given), abs(y)), abs(given));
    expect_small(matmul(matmul(given, y), given) - given, scale, 40, dtype, "pinv");
    const Tensor b = randn({a.size(-2), 3}, {.dtype = dtype});
    const linalg::LeastSquares result = linalg::lstsq(a, b);
    EXPECT_TRUE(all(result.rank == 5).item<bool>());
    const Closeness close =
        allclose(in_float64(result.solution), matmul(y, in_float64(b)), {.rtol = 1e-3, .atol = 1e-3});
    EXPECT_TRUE(close) << close.message;
  });
}

TEST(Linalg, ResultsDoNotDependOnTheNumberOfThreads) {
  const int before = num_threads();
  const Tensor x = randn({330, 330}, {.dtype = float64}), a = matmul(x, turned_back(x));
  const auto compute = [&](int threads) {
    set_num_threads(threads);
    std::vector<Tensor> all{linalg::cholesky(a), linalg::lu_factor(x).lu, linalg::inv(x), linalg::matrix_exp(x / 30),
                            linalg::eigh(a).vectors};
    set_num_threads(before);
    return all;
  };
  const std::vector<Tensor> one = compute(1), two = compute(2);
  for (std::size_t i = 0; i < one.size(); ++i)
    EXPECT_EQ(one[i].to_vector<double>(), two[i].to_vector<double>()) << "result " << i;
}

TEST(Linalg, NamesTheMatrixOfABatchThatHasNoFactors) {
  Tensor x = expand(eye(3, {.dtype = float64}), {2, 2, 3, 3}) * 1;
  x[1][0][2][2] = -1;
  try {
    linalg::cholesky(x);
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_STREQ(
        error.what(),
        "cholesky: matrix [1, 0] of float64 [2, 2, 3, 3] is not positive definite: its leading minor of order 3 "
        "is not positive");
  }
}

TEST(Linalg, ReadsOneTriangle) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor x = tensor<double>({{4, nan}, {2, 3}});
  EXPECT_FALSE(any(linalg::cholesky(x) != linalg::cholesky(x)).item<bool>());
  EXPECT_TRUE(allclose(linalg::eigvalsh(x), linalg::eigvalsh(tensor<double>({{4, 2}, {2, 3}}))));
  EXPECT_TRUE(allclose(linalg::eigvalsh(turned_back(x), true), linalg::eigvalsh(x)));
  EXPECT_THROW(linalg::eigvalsh(x, true), ValueError);
}

// Eigen 3.4's divide and conquer gets one in ten of these wrong, for one.
TEST(Linalg, RepeatedSingularValuesAreRight) {
  manual_seed(3);
  for (std::int64_t rows = 20; rows < 60; rows += 4)
    for (std::int64_t columns = 18; columns < 60; columns += 6) {
      const std::int64_t count = std::min(rows, columns);
      const Tensor left = linalg::qr(randn({rows, count}, {.dtype = float64})).q;
      const Tensor right = linalg::qr(randn({columns, count}, {.dtype = float64})).q;
      const Tensor values = sort(randint(1, 4, {count}).to(float64), 0, true).values;
      const Tensor x = matmul(left * values, transpose(right, 0, 1));
      for (const auto& [dtype, bound] : {std::pair{float32, 1e-4}, {float64, 1e-12}}) {
        const auto [u, s, vt] = linalg::svd(x.to(dtype));
        EXPECT_LT(amax(abs(s.to(float64) - values)).item<double>(), bound)
            << rows << " × " << columns << " of " << name(dtype);
        EXPECT_LT(amax(abs(matmul(u * s, vt).to(float64) - x)).item<double>(), bound) << rows << " × " << columns;
      }
    }
}

TEST(Linalg, DeterminantOfASingularMatrixHasAGradient) {
  // Rank N - 1: the cofactors are finite; rank N - 2: they are 0.
  const Tensor x = tensor<double>({{1, 2, 3}, {2, 4, 6}, {1, 0, 1}}).requires_grad(true);
  linalg::det(x).backward();
  EXPECT_TRUE(allclose(x.grad(), tensor<double>({{4, 4, -4}, {-2, -2, 2}, {0, 0, 0}}), {.rtol = 0, .atol = 1e-12}));
  const Tensor y = ones({3, 3}, {.dtype = float64}).requires_grad(true);
  linalg::det(y).backward();
  EXPECT_LT(largest(abs(y.grad())), 1e-12);
}

TEST(Linalg, EqualEigenvaluesGiveFiniteGradients) {
  const Tensor x = (eye(3, {.dtype = float64}) * 2).requires_grad(true);
  const auto [w, v] = linalg::eigh(x);
  // Independent of the basis: this is x².
  sum(matmul(v * unsqueeze(square(w), -2), turned_back(v))).backward();
  EXPECT_TRUE(all(x.grad() == x.grad()).item<bool>());
  const Tensor y = eye(3, {.dtype = float64}).requires_grad(true);
  sum(linalg::svdvals(y)).backward();
  EXPECT_TRUE(allclose(y.grad(), eye(3, {.dtype = float64}), {.rtol = 0, .atol = 1e-12}));
}

TEST(Linalg, FactorsThatAreNotDeterminedHaveNoGradient) {
  const Tensor x = randn({4, 2}, {.dtype = float64}).requires_grad(true);
  EXPECT_THROW(sum(linalg::qr(x, linalg::QRMode::complete).q).backward(), AutogradError);
  EXPECT_THROW(sum(linalg::svd(x, true).u).backward(), AutogradError);
  sum(linalg::svd(x, true).s).backward();
  EXPECT_TRUE(x.grad().defined());
}

TEST(Linalg, LogarithmOfTheDeterminantDoesNotOverflow) {
  const Tensor x = eye(400, {.dtype = float32}) * 1e-3;
  EXPECT_EQ(linalg::det(x).item<float>(), 0);
  EXPECT_NEAR(linalg::slogdet(x).logarithm.item<float>(), 400 * std::log(1e-3), 1e-2);
  EXPECT_EQ(linalg::slogdet(zeros({2, 2})).sign.item<float>(), 0);
  EXPECT_TRUE(std::isinf(linalg::slogdet(zeros({2, 2})).logarithm.item<float>()));
  EXPECT_TRUE(std::isnan(linalg::logdet(tensor<float>({{0, 1}, {1, 0}})).item<float>()));
}

TEST(Linalg, SolvesDivideByNumbersWithoutAFiniteInverse) {
  constexpr float tiny = 1e-39f;
  const Tensor a = eye(5) * tiny, b = ones({5, 20}) * tiny;
  EXPECT_TRUE(allclose(linalg::solve_triangular(a, b, {.upper = true}), ones({5, 20}), {.rtol = 0, .atol = 1e-5}));
}

TEST(Linalg, ConditionOfASingularMatrixIsInfinite) {
  const Tensor x = tensor<double>({{1, 2}, {2, 4}});
  EXPECT_TRUE(std::isinf(linalg::cond(x, 1).item<double>()));
  EXPECT_TRUE(std::isinf(linalg::cond(x, linalg::MatrixNorm::frobenius).item<double>()));
}

TEST(Linalg, MultiDotTakesVectorsAtTheEnds) {
  const Tensor a = randn({3}), b = randn({3, 4}), c = randn({4});
  EXPECT_EQ(linalg::multi_dot({a, b, c}).shape(), Shape{});
  EXPECT_EQ(linalg::multi_dot({a, b}).shape(), Shape{4});
  EXPECT_EQ(linalg::multi_dot({b, c}).shape(), Shape{3});
}

TEST(Linalg, NegativePowersAreThoseOfTheInverse) {
  const Tensor x = tensor<double>({{2, 1}, {1, 3}});
  EXPECT_TRUE(allclose(matmul(linalg::matrix_power(x, -3), linalg::matrix_power(x, 3)), eye(2, {.dtype = float64}),
                       {.rtol = 0, .atol = 1e-12}));
}

class GpuLinalg : public test::GpuTest {};
TEST_F(GpuLinalg, RefusesWhileItsDeviceIsCaptured) {
  const Tensor x = ones({1, 1}).to(Device::cuda());
  EXPECT_NO_THROW(linalg::cholesky(x));
  const detail::CaptureScope scope(x.device());
  EXPECT_THROW(linalg::cholesky(x), CaptureError);
  EXPECT_THROW(linalg::svd(x), CaptureError);
  EXPECT_THROW(linalg::solve(x, x), CaptureError);
}

}  // namespace
}  // namespace minima::residuals_test
