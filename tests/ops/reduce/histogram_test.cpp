#include <minima/ops/reduce/histogram.h>

#include "tests/ops/checks/op_cases.h"

#include <minima/ops/creation/creation.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace minima::histogram_test {
namespace {

using namespace test;

OpCases of_counts(const char* name) {
  OpCases cases(name);
  return cases.dtypes(full_floating_dtypes())
      .no_gradient()
      .optional_input(1)
      .without("large", "is made of searchsorted and bincount")
      .without("random", "limits must be finite")
      .without("hidden", "is made of searchsorted and bincount");
}

int interval(double x, double low, double high, int bins) {
  if (!(x >= low && x <= high)) return -1;
  return std::min(bins - 1, static_cast<int>((x - low) / (high - low) * bins));
}

/// The extremes, half a unit further out if they are equal.
std::pair<double, double> range_of(const std::vector<double>& x) {
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  return *low == *high ? std::pair{*low - 0.5, *high + 0.5} : std::pair{*low, *high};
}

[[maybe_unused]] const bool histogram_cases =
    of_counts("histogram")
        .on([](In in) { return histogram(in[0], 4, {.range = std::pair{-1.0, 1.0}}).counts; },
            [](const std::vector<Doubles>& in) {
              Doubles counts(Shape{4});
              for (const double x : in[0].values)
                if (const int at = interval(x, -1, 1, 4); at >= 0) ++counts.values[static_cast<std::size_t>(at)];
              return counts;
            },
            "a range")
        .pytorch("lambda x: torch.histogram(x.detach(), 4, range=(-1.0, 1.0))[0]")
        .inputs(normal({3, 7}))
        .inputs(given({4}, {-1, 1, 0.5, NAN}))
        .inputs(normal({0}))
        .on(
            [](In in) {
              const auto [counts, edges] = histogram(in[0], 3, {.weight = in[1], .density = true});
              return std::vector<Tensor>{counts, edges};
            },
            [](const std::vector<Doubles>& in) {
              const auto [low, high] = range_of(in[0].values);
              Doubles counts(Shape{3}), edges(Shape{4});
              double total = 0;
              for (std::size_t i = 0; i < in[0].values.size(); ++i) {
                counts.values[static_cast<std::size_t>(interval(in[0].values[i], low, high, 3))] += in[1].values[i];
                total += in[1].values[i];
              }
              for (double& count : counts.values) count /= total * (high - low) / 3;
              for (int i = 0; i < 4; ++i) edges.values[static_cast<std::size_t>(i)] = low + (high - low) * i / 3;
              return std::vector<Doubles>{counts, edges};
            },
            "weights and density")
        .pytorch("lambda x, w: tuple(torch.histogram(x.detach(), 3, weight=w.detach(), density=True))")
        .inputs(normal({12}), uniform({12}, 1, 2))
        .huge([](auto n) { histogram(ones({1}), n); })
        .error<ValueError>([] { histogram(ones({2}), 0); }, "histogram: bins must be positive, got 0")
        .error<ValueError>([] { histogram(ones({2}), 2, {.range = std::pair{1.0, 0.0}}); },
                           "histogram: the limits must be finite and in order, got 1 and 0")
        .error<ShapeError>([] { histogram(ones({2}), 2, {.weight = ones({3})}); },
                           "histogram: needs weights float32 [2], got float32 [3]")
        .error<ShapeError>([] { histogram(ones({2}), ones({1})); },
                           "histogram: needs edges float32 [B + 1] of at least one interval, got float32 [1]")
        .error<DTypeError>([] { histogram(sized({2}, int64), 2); },
                           "histogram: needs float32 or float64, got int64 [2]; convert it with to()")
        .check();

TEST(Histogram, TakesUnequalIntervals) {
  const auto [counts, edges] = histogram(tensor<float>({0, 0.5f, 1, 2, 3, 9}), tensor<float>({0, 1, 3}));
  EXPECT_EQ(counts.to_vector<float>(), (std::vector<float>{2, 3}));
  EXPECT_EQ(edges.to_vector<float>(), (std::vector<float>{0, 1, 3}));
}

TEST(Histogram, SpreadsAConstantOverAUnitAndNothingFromZeroToOne) {  // as NumPy
  const auto [counts, edges] = histogram(full({4}, 3.0), 2, {.density = true});
  EXPECT_EQ(edges.to_vector<float>(), (std::vector<float>{2.5, 3, 3.5}));
  EXPECT_EQ(counts.to_vector<float>(), (std::vector<float>{0, 2}));
  EXPECT_EQ(histogram(zeros({0}), 1).edges.to_vector<float>(), (std::vector<float>{0, 1}));
  EXPECT_EQ(histogram(ones({3}), 1, {.range = std::pair{2.0, 2.0}}).edges.to_vector<float>(),
            (std::vector<float>{1.5, 2.5}));
  EXPECT_EQ(histogramdd(full({4, 1}, 3.0), {2}).edges[0].to_vector<float>(), (std::vector<float>{2.5, 3, 3.5}));
  EXPECT_EQ(histogramdd(zeros({0, 1}), {1}).edges[0].to_vector<float>(), (std::vector<float>{0, 1}));
}

[[maybe_unused]] const bool histogramdd_cases =
    of_counts("histogramdd")
        .on([](In in) { return histogramdd(in[0], {2, 3}, {.ranges = {{-1, 1}, {-2, 2}}}).counts; },
            [](const std::vector<Doubles>& in) {
              Doubles counts(Shape{2, 3});
              for (std::size_t i = 0; i + 1 < in[0].values.size(); i += 2) {
                const int a = interval(in[0].values[i], -1, 1, 2), b = interval(in[0].values[i + 1], -2, 2, 3);
                if (a >= 0 && b >= 0) ++counts.values[static_cast<std::size_t>(a * 3 + b)];
              }
              return counts;
            })
        .pytorch("lambda x: torch.histogramdd(x.detach(), [2, 3], range=[-1.0, 1.0, -2.0, 2.0])[0]")
        .inputs(normal({30, 2}))
        .inputs(normal({0, 2}))
        .on([](In in) { return histogramdd(in[0], {2, 2}, {.weight = in[1], .density = true}).counts; },
            [](const std::vector<Doubles>& in) {
              std::vector<double> first, second;
              for (std::size_t i = 0; i < in[0].values.size(); i += 2) {
                first.push_back(in[0].values[i]);
                second.push_back(in[0].values[i + 1]);
              }
              const auto a = range_of(first), b = range_of(second);
              Doubles density(Shape{2, 2});
              double total = 0;
              for (std::size_t i = 0; i < first.size(); ++i) {
                const int cell =
                    interval(first[i], a.first, a.second, 2) * 2 + interval(second[i], b.first, b.second, 2);
                density.values[static_cast<std::size_t>(cell)] += in[1].values[i];
                total += in[1].values[i];
              }
              for (double& x : density.values) x /= total * (a.second - a.first) * (b.second - b.first) / 4;
              return density;
            },
            "weights and density")
        .pytorch("lambda x, w: torch.histogramdd(x.detach(), [2, 2], weight=w.detach(), density=True)[0]")
        .inputs(given({4, 2}, {0, 0, 0, 2, 2, 0, 2, 2}), uniform({4}, 1, 2))
        .huge([](auto n) { histogramdd(ones({1, 2}), {n, n}); })
        .error<ShapeError>([] { histogramdd(ones({2, 3}), {2, 2}); },
                           "histogramdd: needs points [N, 2] for 2 numbers of bins, got float32 [2, 3]")
        .error<ValueError>([] { histogramdd(ones({2, 1}), {0}); }, "histogramdd: bins must be positive, got 0")
        .error<DTypeError>([] { histogramdd(sized({2, 1}, int64), {2}); },
                           "histogramdd: needs float32 or float64, got int64 [2, 1]; convert it with to()")
        .check();

}  // namespace
}  // namespace minima::histogram_test
