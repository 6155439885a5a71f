#include <minima/ops/sort/quantile.h>

#include "tests/ops/sort/ranks.h"
#include "tests/support/device.h"

#include <minima/autograd/backward.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima::quantile_test {
namespace {

using namespace test;

std::size_t known(const Line& x) {
  return static_cast<std::size_t>(std::count_if(x.begin(), x.end(), [](double v) { return !std::isnan(v); }));
}
std::size_t middle(const Line& x) { return known(x) < x.size() ? x.size() - 1 : (x.size() - 1) / 2; }
std::size_t middle_of_known(const Line& x) { return known(x) == 0 ? 0 : (known(x) - 1) / 2; }

[[maybe_unused]] const bool median_cases =
    choosing(OpCases("median"))
        .on([](In in) { return both(median(in[0], 0, true)); }, of_rank(0, true, middle), "0")
        .pytorch("lambda x: torch.median(x, 0, True)")
        .inputs(distinct({5, 3}))
        .inputs(distinct({4, 0}))
        .inputs(distinct({}))
        .inputs(specials())
        .on([](In in) { return both(median(in[0], -1)); }, of_rank(-1, false, middle), "last")
        .pytorch("lambda x: torch.median(x, -1)")
        .inputs(distinct({2, 3, 6}))
        .huge([](auto n) { median(ones({3}), n); })
        .undefined([](const Tensor& none) { median(none); })
        .error<IndexError>([] { median(sized({2}), 1); },
                           "median: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ShapeError>([] { median(sized({2, 0}), 1); },
                           "median: dimension 1 has no elements to choose from, got float32 [2, 0]")
        .error<ShapeError>([] { median(sized({0}, int64)); }, "median: x has no elements to choose from, got int64 [0]")
        .check();

[[maybe_unused]] const bool nanmedian_cases =
    choosing(OpCases("nanmedian"))
        .on([](In in) { return both(nanmedian(in[0], -1)); }, of_rank(-1, false, middle_of_known))
        .pytorch("lambda x: torch.nanmedian(x, -1)")
        .inputs(distinct({3, 5}))
        .inputs(distinct({0, 4}))
        .inputs(specials())
        .huge([](auto n) { nanmedian(ones({3}), n); })
        .undefined([](const Tensor& none) { nanmedian(none); })
        .error<IndexError>([] { nanmedian(sized({2}), 1); },
                           "nanmedian: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ShapeError>([] { nanmedian(sized({2, 0}), 1); },
                           "nanmedian: dimension 1 has no elements to choose from, got float32 [2, 0]")
        .check();

[[maybe_unused]] const bool mode_cases =
    choosing(OpCases("mode"))
        .on([](In in) { return both(mode(in[0], 0)); },
            over_lines(0, false,
                       [](const std::vector<Line>& x, std::vector<Line>& y) {
                         double best = 0;
                         std::ptrdiff_t most = 0;
                         Line line = x[0];
                         std::sort(line.begin(), line.end());
                         for (const double value : line)
                           if (const auto count = std::count(line.begin(), line.end(), value); count > most)
                             best = value, most = count;
                         const auto last = std::find(x[0].rbegin(), x[0].rend(), best);
                         y = {{best}, {static_cast<double>(x[0].rend() - last - 1)}};
                       }))
        .inputs(whole({7, 3}, 0, 3).constant())
        .inputs(whole({3, 0}, 0, 3))
        .inputs(distinct({}))
        .huge([](auto n) { mode(ones({3}), n); })
        .error<IndexError>([] { mode(sized({2}), 1); },
                           "mode: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ShapeError>([] { mode(sized({0})); },
                           "mode: dimension 0 has no elements to choose from, got float32 [0]")
        .check();

/// The quantiles of the sorted elements that count.
template <class Between>
Reference quantiles(const std::vector<double>& q, bool keep, bool skip, const Between& between) {
  return [=](const std::vector<Doubles>& in) {
    Doubles y;
    std::vector<Doubles> all;
    for (const double at : q)
      all.push_back(over_lines(-1, keep, [=](const std::vector<Line>& x, std::vector<Line>& out) {
        const auto order = sorted(x[0]);
        const std::size_t count = known(x[0]);
        if (count == 0 || (!skip && count < order.size())) return void(out = {{NAN}});
        const double place = at * static_cast<double>(count - 1);
        const double low = x[0][order[static_cast<std::size_t>(std::floor(place))]];
        const double high = x[0][order[static_cast<std::size_t>(std::ceil(place))]];
        out = {{between(low, high, place - std::floor(place))}};
      })(in)[0]);
    y.shape = all[0].shape;
    y.shape.insert(0, static_cast<std::int64_t>(q.size()));
    for (const Doubles& each : all) y.values.insert(y.values.end(), each.values.begin(), each.values.end());
    return std::vector{y};
  };
}
double on_line(double low, double high, double by) { return low + (high - low) * by; }

[[maybe_unused]] const bool quantile_cases =
    composed(OpCases("quantile"))
        .tolerance(4)
        .on([](In in) { return quantile(in[0], {0.25, 0.6}, -1); }, quantiles({0.25, 0.6}, false, false, on_line),
            "linear")
        .pytorch("lambda x: torch.quantile(x, torch.tensor([0.25, 0.6], dtype=x.dtype), -1)")
        .inputs(distinct({3, 5}))
        .inputs(distinct({3, 6}))
        .inputs(given({2, 3}, {1, NAN, 2, 5, 4, 7}))
        .on([](In in) { return quantile(in[0], {0.3, 1}, -1, {.keep_dim = true, .mode = QuantileMode::midpoint}); },
            quantiles({0.3, 1}, true, false,
                      [](double low, double high, double by) { return by == 0 ? low : (low + high) / 2; }),
            "midpoint")
        .pytorch(
            "lambda x: torch.quantile(x, torch.tensor([0.3, 1], dtype=x.dtype), -1, True, interpolation='midpoint')")
        .inputs(distinct({3, 5}))
        .on([](In in) { return quantile(in[0], {0.3}, -1, {.mode = QuantileMode::lower}); },
            quantiles({0.3}, false, false, [](double low, double, double) { return low; }), "lower")
        .inputs(distinct({3, 5}))
        .inputs(distinct({0, 5}))
        .on([](In in) { return quantile(in[0], {0.3}, -1, {.mode = QuantileMode::higher}); },
            quantiles({0.3}, false, false, [](double, double high, double) { return high; }), "higher")
        .inputs(distinct({3, 5}))
        .on([](In in) { return quantile(in[0], {0.3, 0.9}, -1, {.mode = QuantileMode::nearest}); },
            quantiles({0.3, 0.9}, false, false,
                      [](double low, double high, double by) { return by < 0.5 ? low : high; }),
            "nearest")
        .inputs(distinct({3, 5}))
        .huge([](auto n) { quantile(ones({3}), {0.5}, n); })
        .undefined([](const Tensor& none) { quantile(none, 0.5); })
        .error<IndexError>([] { quantile(sized({2}), {0.5}, 1); },
                           "quantile: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ValueError>([] { quantile(sized({2}), {0.5, 1.5}, 0); }, "quantile: q must be between 0 and 1, got 1.5")
        .error<ShapeError>([] { quantile(sized({0}), {0.5}, 0); },
                           "quantile: dimension 0 has no elements to choose from, got float32 [0]")
        .error<DTypeError>([] { quantile(sized({2}, int64), {0.5}, 0); },
                           "quantile: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool nanquantile_cases =
    composed(OpCases("nanquantile"))
        .tolerance(4)
        .on([](In in) { return nanquantile(in[0], {0.25, 0.6}, -1); }, quantiles({0.25, 0.6}, false, true, on_line))
        .pytorch(
            "lambda x: torch.nanquantile(x, torch.tensor([0.25, 0.6], dtype=x.dtype), -1) "
            "if x.numel() else x.new_zeros(2, 0)")
        .inputs(distinct({3, 5}))
        .inputs(distinct({0, 5}))
        .inputs(given({3, 3}, {1, NAN, 2, 5, 4, 7, NAN, NAN, NAN}))
        .huge([](auto n) { nanquantile(ones({3}), {0.5}, n); })
        .error<IndexError>([] { nanquantile(sized({2}), {0.5}, 1); },
                           "nanquantile: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ShapeError>([] { nanquantile(sized({0}), {0.5}, 0); },
                           "nanquantile: dimension 0 has no elements to choose from, got float32 [0]")
        .error<DTypeError>([] { nanquantile(sized({2}, int64), {0.5}, 0); },
                           "nanquantile: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

TEST(Order, OfAllElementsIsThatOfTheirVector) {
  SKIP_WITHOUT_TEST_DEVICE();
  const Tensor x = tensor<float>({{3, 1}, {NAN, 2}}).to(test_device());
  EXPECT_TRUE(std::isnan(median(x).item<float>()));
  EXPECT_EQ(nanmedian(x).item<float>(), 2);
  EXPECT_EQ(median(x[0]).item<float>(), 1);
  EXPECT_TRUE(std::isnan(median(ones({0})).item<float>()));
  EXPECT_EQ(quantile(x[0], 0.25).item<float>(), 1.5f);
  EXPECT_EQ(quantile(reshape(x[0], {1, 2}), 0.25, {.keep_dim = true}).shape(), (Shape{1, 1}));
}

TEST(Order, ElementsEqualToTheMedianOfAllShareItsGradient) {
  SKIP_WITHOUT_TEST_DEVICE();
  const Tensor x = tensor<double>({{2, 1, 2}, {3, 2, 1}}).to(test_device()).requires_grad(true);
  const std::vector<double> shares{1.0 / 3, 0, 1.0 / 3, 0, 1.0 / 3, 0};
  median(x).backward();
  EXPECT_EQ(x.grad().to_vector<double>(), shares);
  x.set_grad({});
  nanmedian(x).backward();
  EXPECT_EQ(x.grad().to_vector<double>(), shares);
  const Tensor y = tensor<double>({NAN, 1, INFINITY, NAN}).to(test_device()).requires_grad(true);
  median(y).backward();
  EXPECT_EQ(y.grad().to_vector<double>(), (std::vector<double>{0.5, 0, 0, 0.5}));
  const Tensor z = tensor<double>({INFINITY, INFINITY}).to(test_device()).requires_grad(true);
  const Tensor middle = median(z);
  middle.backward();
  EXPECT_EQ(middle.item<double>(), INFINITY);
  EXPECT_EQ(z.grad().to_vector<double>(), (std::vector<double>{0.5, 0.5}));
}

}  // namespace
}  // namespace minima::quantile_test
