#include <minima/ops/aggregate/aggregate.h>

#include "tests/ops/checks/composed.h"
#include "tests/support/device.h"
#include "tests/support/expect_error.h"

#include <minima/autograd/gradcheck.h>
#include <minima/ops/aggregate/with_options.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace minima::aggregate_test {
namespace {

using namespace test;
using Lists = const std::vector<Doubles>&;

/// A number for each line of the last dimension.
template <class F>
Reference per_line(const F& f) {
  return over_lines(-1, false, [=](const std::vector<Line>& x, std::vector<Line>& y) { y = {{f(x[0])}}; });
}
double total(const Line& x) {
  double sum = 0;
  for (const double value : x) sum += std::isnan(value) ? 0 : value;
  return sum;
}
double mean_of(const Line& x) {
  const auto count = std::count_if(x.begin(), x.end(), [](double value) { return !std::isnan(value); });
  return total(x) / static_cast<double>(count);
}
const Draw with_nan = given({2, 3}, {1, NAN, 3, NAN, NAN, -2});

[[maybe_unused]] const bool nansum_cases =
    composed(OpCases("nansum"))
        .dtypes(all_dtypes())
        .result_dtype(summed_dtype)
        .on([](In in) { return nansum(in[0], {-1}); }, per_line(total), "last")
        .pytorch("lambda x: torch.nansum(x, -1)")
        .inputs(normal({3, 4}))
        .inputs(normal({3, 0}))
        .huge([](auto n) { nansum(ones({2}), n); })
        .error<IndexError>([] { nansum(sized({2}), 1); },
                           "nansum: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .check();

TEST(Nansum, LeavesOutNan) {
  SKIP_WITHOUT_TEST_DEVICE();
  const Tensor x = tensor<float>({{1, NAN, 3}, {NAN, NAN, -2}}).to(test_device()).requires_grad(true);
  const Tensor y = nansum(x, 1);
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{4, -2}));
  y.backward(ones_like(y));
  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{1, 0, 1, 0, 0, 1}));
}

[[maybe_unused]] const bool nanmean_cases =
    composed(OpCases("nanmean"))
        .on([](In in) { return nanmean(in[0], {-1}); }, per_line(mean_of))
        .pytorch("lambda x: torch.nanmean(x, -1)")
        .inputs(normal({3, 4}))
        .inputs(with_nan)
        .inputs(normal({0, 3}))
        .huge([](auto n) { nanmean(ones({2}), n); })
        .error<IndexError>([] { nanmean(sized({2}), 1); },
                           "nanmean: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<DTypeError>([] { nanmean(sized({2}, int64)); },
                           "nanmean: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool aminmax_cases =
    composed(OpCases("aminmax"))
        .dtypes(all_dtypes())
        .also_calls("amin")
        .on(
            [](In in) {
              const auto [least, most] = aminmax(in[0], {-1});
              return std::vector{least, most};
            },
            over_lines(-1, false,
                       [](const std::vector<Line>& x, std::vector<Line>& y) {
                         y = {{*std::min_element(x[0].begin(), x[0].end())},
                              {*std::max_element(x[0].begin(), x[0].end())}};
                       }))
        .pytorch("lambda x: torch.aminmax(x, dim=-1)")
        .inputs(distinct({3, 4}))
        .inputs(distinct({0, 4}))
        .huge([](auto n) { aminmax(ones({2}), n); })
        .error<IndexError>([] { aminmax(sized({2}), 1); },
                           "aminmax: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ShapeError>([] { aminmax(sized({0})); },
                           "amin: dimension 0 of float32 [0] is empty, so there is nothing to choose from")
        .check();

double variance(const Line& x, double correction) {
  const double mean = mean_of(x);
  double sum = 0;
  for (const double value : x) sum += (value - mean) * (value - mean);
  return sum / (static_cast<double>(x.size()) - correction);
}

[[maybe_unused]] const bool std_mean_cases =
    composed(OpCases("std_mean"))
        .gradient_cancels()
        .on(
            [](In in) {
              const auto [deviation, average] = std_mean(in[0], {-1});
              return std::vector{deviation, average};
            },
            over_lines(-1, false,
                       [](const std::vector<Line>& x, std::vector<Line>& y) {
                         y = {{std::sqrt(variance(x[0], 1))}, {mean_of(x[0])}};
                       }))
        .pytorch("lambda x: torch.std_mean(x, -1)")
        .inputs(normal({3, 4}))
        .inputs(normal({0, 4}))
        .huge([](auto n) { std_mean(ones({2}), n); })
        .error<IndexError>([] { std_mean(sized({2}), 1); },
                           "std_mean: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<DTypeError>([] { std_mean(sized({2}, int64)); },
                           "std_mean: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

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

[[maybe_unused]] const bool diff_cases =
    composed(OpCases("diff"))
        .dtypes(all_dtypes())
        .on([](In in) { return diff(in[0]); }, over_lines(-1, true,
                                                          [](const std::vector<Line>& x, std::vector<Line>& y) {
                                                            y = {{}};
                                                            for (std::size_t i = 1; i < x[0].size(); ++i)
                                                              y[0].push_back(x[0][i] - x[0][i - 1]);
                                                          }))
        .pytorch("torch.diff")
        .inputs(given({2, 4}, {0, 1, 3, 6, 1, 1, 2, 5}))
        .inputs(whole({0, 5}, -9, 9))
        .huge([](auto n) { diff(ones({3}), n); })
        .huge([](auto n) { diff(ones({3}), 1, n); })
        .error<IndexError>([] { diff(sized({2}), 1, 1); },
                           "diff: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ShapeError>([] { diff(sized({})); }, "diff: x must have at least one dimension, got float32 []")
        .error<ValueError>([] { diff(sized({2}), -1); }, "diff: times must not be negative, got -1")
        .check();

TEST(Diff, PutsElementsBeforeAndAfter) {
  SKIP_WITHOUT_TEST_DEVICE();
  const Tensor x = tensor<double>({{1, 4}, {9, 16}}).to(test_device());
  const Tensor zero = zeros({2, 1}, {.dtype = float64, .device = test_device()});
  EXPECT_EQ(diff(x, {.prepend = zero}).to_vector<double>(), (std::vector<double>{1, 3, 9, 7}));
  EXPECT_EQ(diff(x, {.append = zero}).to_vector<double>(), (std::vector<double>{3, -4, 7, -16}));
  EXPECT_EQ(diff(x, {.times = 2, .dim = 0, .prepend = t(zero), .append = t(zero)}).to_vector<double>(),
            (std::vector<double>{7, 8, -17, -28}));
  EXPECT_EQ(diff(x, {.times = 0, .prepend = zero}).shape(), x.shape());
  EXPECT_THROW(diff(x, {.dim = 0, .prepend = zero}), ShapeError);
}

TEST(Diff, MayBeTakenSeveralTimes) {
  SKIP_WITHOUT_TEST_DEVICE();
  const Tensor x = tensor<float>({1, 4, 9, 16}).to(test_device());
  EXPECT_EQ(diff(x, 0).to_vector<float>(), x.to_vector<float>());
  EXPECT_EQ(diff(x, 2).to_vector<float>(), (std::vector<float>{2, 2}));
  EXPECT_EQ(diff(x, 9).numel(), 0);
}

/// Areas between points at distance dx, or at the coordinates of the second input.
template <class Sum>
Reference trapezoids(double dx, bool has_x, const Sum& sum) {
  return [=](Lists in) {
    std::vector<Doubles> all{in[0]};
    if (has_x) all.push_back(broadcast_to(in[1], in[0].shape));
    return over_lines(-1, Sum::is_cumulative, [=](const std::vector<Line>& x, std::vector<Line>& y) {
      Line areas;
      for (std::size_t i = 1; i < x[0].size(); ++i)
        areas.push_back((x[0][i] + x[0][i - 1]) / 2 * (has_x ? x[1][i] - x[1][i - 1] : dx));
      y = {sum(areas)};
    })(all);
  };
}
struct All {
  static constexpr bool is_cumulative = false;
  Line operator()(const Line& x) const { return {total(x)}; }
};
struct UpToEach {
  static constexpr bool is_cumulative = true;
  Line operator()(Line x) const {
    for (std::size_t i = 1; i < x.size(); ++i) x[i] += x[i - 1];
    return x;
  }
};

[[maybe_unused]] const bool trapezoid_cases =
    composed(OpCases("trapezoid"))
        .on([](In in) { return trapezoid(in[0], 0.5); }, trapezoids(0.5, false, All{}), "dx")
        .pytorch("lambda y: torch.trapezoid(y, dx=0.5)")
        .inputs(normal({3, 5}))
        .inputs(normal({0, 5}))
        .on([](In in) { return trapezoid(in[0], in[1]); }, trapezoids(1, true, All{}), "x")
        .pytorch("torch.trapezoid")
        .inputs(normal({3, 5}), normal({5}))
        .inputs(normal({3, 5}), normal({3, 5}))
        .huge([](auto n) { trapezoid(ones({3}), 1, n); })
        .error<IndexError>([] { trapezoid(sized({2}), 1, 1); },
                           "trapezoid: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ShapeError>([] { trapezoid(sized({2, 3}), sized({2})); },
                           "trapezoid: x must be a vector with y's size along dimension 1 or broadcast to y's shape, "
                           "got float32 [2] for y float32 [2, 3]")
        .error<DTypeError>([] { trapezoid(sized({2}, int64)); },
                           "trapezoid: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool cumulative_trapezoid_cases =
    composed(OpCases("cumulative_trapezoid"))
        .on([](In in) { return cumulative_trapezoid(in[0], 0.5); }, trapezoids(0.5, false, UpToEach{}), "dx")
        .pytorch("lambda y: torch.cumulative_trapezoid(y, dx=0.5)")
        .inputs(normal({3, 5}))
        .inputs(normal({0, 5}))
        .on([](In in) { return cumulative_trapezoid(in[0], in[1]); }, trapezoids(1, true, UpToEach{}), "x")
        .pytorch("torch.cumulative_trapezoid")
        .inputs(normal({3, 5}), normal({5}))
        .huge([](auto n) { cumulative_trapezoid(ones({3}), 1, n); })
        .error<IndexError>([] { cumulative_trapezoid(sized({2}), 1, 1); },
                           "cumulative_trapezoid: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ShapeError>([] { cumulative_trapezoid(sized({2, 3}), sized({2})); },
                           "cumulative_trapezoid: x must be a vector with y's size along dimension 1 or broadcast to "
                           "y's shape, got float32 [2] for y float32 [2, 3]")
        .error<DTypeError>([] { cumulative_trapezoid(sized({2}, int64)); },
                           "cumulative_trapezoid: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

}  // namespace
}  // namespace minima::aggregate_test
