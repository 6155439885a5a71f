#include <minima/ops/reduce/statistics.h>

#include "tests/ops/checks/composed.h"
#include "tests/support/device.h"
#include "tests/support/expect_error.h"

#include <minima/autograd/gradcheck.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

namespace minima::covariance_test {
namespace {

using namespace test;

using Lists = const std::vector<Doubles>&;

double variance(const Line& x, double correction) {
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
  double sum = 0;
  for (const double value : x) sum += (value - mean) * (value - mean);
  return sum / (static_cast<double>(x.size()) - correction);
}

Doubles covariance(Lists in) {
  const std::int64_t rows = in[0].shape[0], columns = in[0].shape[1];
  Doubles y({rows, rows});
  const auto mean = [&](std::int64_t row) {
    double sum = 0;
    for (std::int64_t i = 0; i < columns; ++i) sum += in[0][{row, i}];
    return sum / static_cast<double>(columns);
  };
  each_index(y.shape, [&](const Shape& at) {
    const double left = mean(at[0]), right = mean(at[1]);
    for (std::int64_t i = 0; i < columns; ++i) y[at] += (in[0][{at[0], i}] - left) * (in[0][{at[1], i}] - right);
    y[at] /= static_cast<double>(columns - 1);
  });
  return y;
}

[[maybe_unused]] const bool cov_cases =
    composed(OpCases("cov"))
        .tolerance(4)
        .gradient_cancels()
        .on([](In in) { return cov(in[0]); }, covariance, "matrix")
        .pytorch("torch.cov")
        .inputs(normal({3, 5}))
        .inputs(normal({0, 5}))
        .on([](In in) { return cov(in[0], 0); }, [](Lists in) { return Doubles({}, {variance(in[0].values, 0)}); },
            "vector")
        .pytorch("lambda x: torch.cov(x, correction=0)")
        .inputs(normal({5}))
        .error<ShapeError>([] { cov(sized({2, 2, 2})); }, "cov: x must be a matrix or a vector, got float32 [2, 2, 2]")
        .error<DTypeError>([] { cov(sized({2}, int64)); },
                           "cov: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

TEST(Cov, OfASingleRowIsAScalar) {
  SKIP_WITHOUT_TEST_DEVICE();
  const Tensor row = tensor<double>({{1, 3}}).to(test_device());
  EXPECT_EQ(cov(row).shape(), Shape({}));
  EXPECT_EQ(cov(row).item<double>(), 2);
  EXPECT_EQ(corrcoef(row).shape(), Shape({}));
  EXPECT_EQ(corrcoef(row).item<double>(), 1);
}

/// Observations that count several times are as if they were repeated; aweights follow numpy.cov's formula.
TEST(Cov, TakesWeightsOfObservations) {
  SKIP_WITHOUT_TEST_DEVICE();
  const auto on_device = [](const Tensor& x) { return x.to(test_device()); };
  const Tensor x = on_device(tensor<double>({{1, 2, 4}, {0, 5, 3}}));
  const Tensor repeated = on_device(tensor<double>({{1, 2, 2, 4, 4, 4}, {0, 5, 5, 3, 3, 3}}));
  const Tensor times = on_device(tensor<std::int64_t>({1, 2, 3})), sizes = on_device(tensor<double>({0.5, 1, 2.5}));
  EXPECT_TRUE(allclose(cov(x, {.fweights = times}), cov(repeated)));
  EXPECT_TRUE(allclose(cov(x, {.correction = 0, .fweights = times}), cov(repeated, 0)));
  // Σw = 4, m = (3.125, 3.125), Σw² = 7.5
  const auto expected = [](double divisor) {
    const double a[] = {1 - 3.125, 2 - 3.125, 4 - 3.125}, b[] = {-3.125, 5 - 3.125, 3 - 3.125}, w[] = {0.5, 1, 2.5};
    double aa = 0, ab = 0, bb = 0;
    for (int i = 0; i < 3; ++i) aa += w[i] * a[i] * a[i], ab += w[i] * a[i] * b[i], bb += w[i] * b[i] * b[i];
    return tensor<double>({{aa / divisor, ab / divisor}, {ab / divisor, bb / divisor}});
  };
  EXPECT_TRUE(allclose(cov(x, {.aweights = sizes}).to(Device::cpu()), expected(4 - 7.5 / 4)));
  EXPECT_TRUE(allclose(cov(x, {.correction = 0, .aweights = sizes}).to(Device::cpu()), expected(4)));
  const Tensor both = cov(x, {.fweights = times, .aweights = sizes});
  EXPECT_TRUE(allclose(both, cov(repeated, {.aweights = on_device(tensor<double>({0.5, 1, 1, 2.5, 2.5, 2.5}))})));
  EXPECT_TRUE(gradcheck(
      [&](const std::vector<Tensor>& in) { return std::vector{cov(in[0], {.fweights = times, .aweights = in[1]})}; },
      {x.detach().requires_grad(true), sizes.detach().requires_grad(true)}));
}

TEST(Cov, RefusesWeightsThatDoNotFit) {
  EXPECT_EQ(message_of<ShapeError>([] { cov(ones({2, 3}), {.aweights = ones({2})}); }),
            "cov: aweights must have one element for each of the 3 observations, got float32 [2]");
  EXPECT_EQ(message_of<DTypeError>([] { cov(ones({2, 3}), {.fweights = ones({3})}); }),
            "cov: fweights must be integers, got float32 [3]");
  EXPECT_EQ(message_of<ValueError>([] { cov(ones({2, 3}), {.aweights = -ones({3})}); }),
            "cov: aweights must not be negative, but float32 [3] has such elements");
}

[[maybe_unused]] const bool corrcoef_cases =
    composed(OpCases("corrcoef"))
        .tolerance(4)
        .gradient_cancels()
        .on([](In in) { return corrcoef(in[0]); },
            [](Lists in) {
              const Doubles c = covariance(in);
              Doubles y = c;
              each_index(y.shape, [&](const Shape& at) { y[at] /= std::sqrt(c[{at[0], at[0]}] * c[{at[1], at[1]}]); });
              return y;
            })
        .pytorch("torch.corrcoef")
        .inputs(normal({3, 5}))
        .inputs(normal({0, 5}))
        .error<ShapeError>([] { corrcoef(sized({2, 2, 2})); },
                           "corrcoef: x must be a matrix or a vector, got float32 [2, 2, 2]")
        .error<DTypeError>([] { corrcoef(sized({2}, int64)); },
                           "corrcoef: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

}  // namespace
}  // namespace minima::covariance_test
