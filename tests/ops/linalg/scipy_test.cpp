#include "tests/ops/linalg/residuals.h"
#include "tests/support/device.h"

#include <minima/io/checkpoint/checkpoint.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/linalg/linalg.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/join.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

// Hard matrices with what SciPy finds for them (fixtures/scipy/generate_linalg.py): ill-conditioned, rank-deficient,
// graded, with repeated eigenvalues and singular values, empty. Factors are judged by LAPACK's residuals in float32 and
// float64, unique results by SciPy's in float64. Suites are named so that they run on GPUs with the tables.

namespace minima::scipy_test {
namespace {

using test::in_float64;

/// One case of the fixture.
struct Hard {
  std::string name;

  static const std::map<std::string, Tensor>& all() {
    static const std::map<std::string, Tensor> read = [] {
      std::map<std::string, Tensor> found;
      const State state = load(MINIMA_FIXTURES "/scipy/linalg.safetensors");
      for (const auto& [key, tensor] : state.tensors()) found[key] = tensor;
      return found;
    }();
    return read;
  }
  bool has(const std::string& key) const { return all().contains(name + '.' + key); }
  const Tensor& operator[](const std::string& key) const { return all().at(name + '.' + key); }
  Tensor given(DType dtype) const { return (*this)["a"].to(dtype).to(test::test_device()); }
  double largest() const { return (*this)["s"].numel() ? (*this)["s"].to_vector<double>().front() : 0; }
  double smallest() const { return (*this)["s"].to_vector<double>().back(); }
  bool is_square() const { return (*this)["a"].size(0) == (*this)["a"].size(1); }
  std::int64_t size() const { return std::max((*this)["a"].size(0), (*this)["a"].size(1)); }
};

/// The generator's right_side.
Tensor right_side(std::int64_t m) {
  const Tensor ramp = arange(m).to(float64) / static_cast<double>(std::max<std::int64_t>(m, 1)) - 0.25;
  return stack({ones({m}, {.dtype = float64}), ramp}, 1);
}

void for_cases(const std::function<void(const Hard&)>& f) {
  std::set<std::string> names;
  for (const auto& [key, value] : Hard::all()) names.insert(key.substr(0, key.find('.')));
  ASSERT_GT(names.size(), 60u);
  for (const std::string& name : names) f({name});
}
/// In both dtypes.
void for_matrices_of(const std::function<void(const Hard&, const Tensor&)>& f) {
  for_cases([&](const Hard& hard) {
    for (const DType dtype : {float32, float64}) f(hard, hard.given(dtype));
  });
}

/// |found - expected| ≤ bound for all elements.
void expect_within(const Tensor& found, const Tensor& expected, double bound, const std::string& what) {
  ASSERT_EQ(found.shape(), expected.shape()) << what;
  if (found.numel() == 0) return;
  EXPECT_LE(amax(abs(in_float64(found) - expected)).item<double>(), bound) << what;
}
/// ‖found - expected‖ ≤ tolerance·‖expected‖ in Frobenius' norm.
void expect_relative(const Tensor& found, const Tensor& expected, double tolerance, const std::string& what) {
  ASSERT_EQ(found.shape(), expected.shape()) << what;
  const double size = std::sqrt(sum(square(expected)).item<double>());
  EXPECT_LE(std::sqrt(sum(square(in_float64(found) - expected)).item<double>()), tolerance * size) << what;
}

class ScipyLinalgCases : public ::testing::Test {
 protected:
  void SetUp() override { SKIP_WITHOUT_TEST_DEVICE(); }
};

TEST_F(ScipyLinalgCases, SingularValues) {
  for_matrices_of([](const Hard& hard, const Tensor& x) {
    // Values move by no more than the matrix does (Weyl), and that is what rounding does to it.
    const double bound = 5 * static_cast<double>(hard.size()) * test::epsilon(x.dtype()) * hard.largest();
    expect_within(linalg::svdvals(x), hard["s"], bound, hard.name + ": svdvals");
    for (const bool full : {false, true}) {
      const auto [u, s, vt] = linalg::svd(x, full);
      expect_within(s, hard["s"], bound, hard.name + ": svd");
      test::expect_svd(x, u, s, vt, hard.name);
    }
  });
}

TEST_F(ScipyLinalgCases, Eigenvalues) {
  int count = 0;
  for_matrices_of([&](const Hard& hard, const Tensor& x) {
    if (!hard.has("w")) return;
    ++count;
    const double bound = 5 * static_cast<double>(hard.size()) * test::epsilon(x.dtype()) * hard.largest();
    const auto [w, v] = linalg::eigh(x);
    expect_within(w, hard["w"], bound, hard.name + ": eigh");
    expect_within(linalg::eigvalsh(x), hard["w"], bound, hard.name + ": eigvalsh");
    test::expect_eigh(x, w, v, hard.name);
  });
  EXPECT_GT(count, 30);
}

TEST_F(ScipyLinalgCases, QrAndLu) {
  for_matrices_of([](const Hard& hard, const Tensor& x) {
    for (const auto mode : {linalg::QRMode::reduced, linalg::QRMode::complete}) {
      const auto [q, r] = linalg::qr(x, mode);
      test::expect_qr(x, q, r, hard.name);
    }
    if (x.numel() == 0) return;
    const auto [p, l, u] = linalg::lu(x);
    test::expect_lu(x, p, l, u, hard.name);
  });
}

TEST_F(ScipyLinalgCases, Cholesky) {
  int count = 0;
  for_cases([&](const Hard& hard) {
    if (!hard.has("cholesky")) return;
    for (const DType dtype : {float32, float64}) {
      const double condition = hard.largest() / hard.smallest();
      // Rounding the matrix may cost it its sign.
      if (condition * test::epsilon(dtype) * static_cast<double>(hard.size()) > 0.1) continue;
      ++count;
      const Tensor x = hard.given(dtype), l = linalg::cholesky(x);
      test::expect_cholesky(x, l, hard.name);
      expect_relative(l, hard["cholesky"], 2 * static_cast<double>(hard.size()) * condition * test::epsilon(dtype),
                      hard.name);
    }
  });
  EXPECT_GE(count, 14);
}

TEST_F(ScipyLinalgCases, SolutionsAndInverses) {
  int count = 0;
  for_matrices_of([&](const Hard& hard, const Tensor& x) {
    if (!hard.is_square() || !hard.has("logdet")) return;
    const std::int64_t n = x.size(-1);
    const double condition = hard.largest() / hard.smallest(), epsilon = test::epsilon(x.dtype());
    if (condition * epsilon * static_cast<double>(n) > 0.1) return;
    ++count;
    const Tensor b = right_side(n), right = b.to(x.dtype()).to(x.device());
    const Tensor y = linalg::solve(x, right);
    // Of the right side's own rounding, too: it is 0.25 and the like.
    test::expect_solution(x, y, in_float64(right), hard.name + ": solve");
    expect_relative(y, hard["x"], 3 * static_cast<double>(n) * condition * epsilon, hard.name + ": solve");
    const Tensor again = linalg::lu_solve(linalg::lu_factor(x), right);
    test::expect_solution(x, again, in_float64(right), hard.name + ": lu_solve");
    test::expect_solution(x, linalg::inv(x), eye(n, {.dtype = float64}), hard.name + ": inv");
  });
  EXPECT_GT(count, 50);
}

TEST_F(ScipyLinalgCases, Determinants) {
  for_cases([](const Hard& hard) {
    if (!hard.is_square() || !hard.has("logdet")) return;
    const auto expected = hard["logdet"].to_vector<double>();
    const Tensor x = hard.given(float64);
    const auto [sign, logarithm] = linalg::slogdet(x);
    const double n = static_cast<double>(hard.size()), condition = hard.largest() / hard.smallest();
    const double tolerance = n * condition * test::epsilon(float64);
    EXPECT_EQ(sign.item<double>(), expected[0]) << hard.name;
    EXPECT_NEAR(logarithm.item<double>(), expected[1], 10 * tolerance + 1e-13 * std::abs(expected[1])) << hard.name;
    const double determinant = expected[0] * std::exp(expected[1]);
    EXPECT_NEAR(linalg::det(x).item<double>(), determinant, (10 * tolerance + 1e-12) * std::abs(determinant))
        << hard.name;
  });
}

TEST_F(ScipyLinalgCases, RanksPseudoInversesAndLeastSquares) {
  int count = 0;
  for_cases([&](const Hard& hard) {
    if (!hard.has("rank")) return;
    const Tensor x = hard.given(float64);
    EXPECT_EQ(linalg::matrix_rank(x).item<std::int64_t>(), hard["rank"].item<std::int64_t>()) << hard.name;
    if (!hard.has("pinv")) return;
    ++count;
    const auto values = hard["s"].to_vector<double>();
    const auto rank = hard["rank"].item<std::int64_t>();
    const double condition = rank == 0 ? 1 : values[0] / values[static_cast<std::size_t>(rank - 1)];
    const double tolerance = 10 * static_cast<double>(hard.size()) * condition * test::epsilon(float64);
    expect_relative(linalg::pinv(x), hard["pinv"], tolerance * std::max(1.0, condition / 1e3), hard.name + ": pinv");
    const Tensor b = right_side(x.size(0)).to(x.device());
    const linalg::LeastSquares found = linalg::lstsq(x, b);
    EXPECT_EQ(found.rank.item<std::int64_t>(), rank) << hard.name;
    // What the residual adds to the error of a solution grows with the condition's square (Wedin).
    expect_relative(found.solution, hard["x"], tolerance * std::max(1.0, condition), hard.name + ": lstsq");
  });
  EXPECT_GT(count, 25);
}

TEST_F(ScipyLinalgCases, Norms) {
  using linalg::matrix_norm, linalg::MatrixNorm;
  const double infinity = INFINITY;
  for_cases([&](const Hard& hard) {
    if (!hard.has("norms")) return;
    const Tensor x = hard.given(float64);
    const std::vector<Tensor> found{matrix_norm(x, MatrixNorm::frobenius),
                                    matrix_norm(x, MatrixNorm::nuclear),
                                    matrix_norm(x, 1),
                                    matrix_norm(x, -1),
                                    matrix_norm(x, infinity),
                                    matrix_norm(x, -infinity),
                                    matrix_norm(x, 2),
                                    matrix_norm(x, -2)};
    expect_within(stack(found), hard["norms"],
                  5 * static_cast<double>(hard.size()) * test::epsilon(float64) * hard["norms"].to_vector<double>()[1],
                  hard.name);
  });
}

TEST_F(ScipyLinalgCases, Exponentials) {
  int count = 0;
  for_cases([&](const Hard& hard) {
    if (!hard.has("exp")) return;
    ++count;
    expect_relative(linalg::matrix_exp(hard.given(float64)), hard["exp"], 1e-12, hard.name);
  });
  EXPECT_GE(count, 8);
}

}  // namespace
}  // namespace minima::scipy_test
