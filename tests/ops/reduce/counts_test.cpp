#include <minima/ops/reduce/histogram.h>

#include "tests/ops/checks/composed.h"
#include "tests/support/device.h"

#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima::counts_test {
namespace {

using namespace test;
using Lists = const std::vector<Doubles>&;

[[maybe_unused]] const bool bincount_cases =
    composed(OpCases("bincount"))
        .dtypes({uint8, int8, int32, int64, float16, bfloat16, float32, float64})
        .on([](In in) { return bincount(in[0], in[1], 3); },
            [](Lists in) {
              const auto& x = in[0].values;
              const double most = x.empty() ? 0 : *std::max_element(x.begin(), x.end()) + 1;
              Doubles y(Shape{static_cast<std::int64_t>(std::fmax(3, most))});
              for (std::size_t i = 0; i < x.size(); ++i) y[Shape{static_cast<std::int64_t>(x[i])}] += in[1].values[i];
              return y;
            },
            "weights")
        .inputs(given({6}, {0, 4, 1, 4, 4, 0}).as(int64), whole({6}, -3, 4))
        .inputs(given({0}, {}).as(int64), normal({0}))
        .huge([](auto n) { bincount(zeros({2}, {.dtype = int64}), n); })
        .huge([](auto n) { bincount(full({2}, n, {.dtype = int64})); })
        .undefined([](const Tensor& none) { bincount(none); })
        .error<ShapeError>([] { bincount(zeros({2}, {.dtype = int64}), sized({3})); },
                           "bincount: needs a weight for each element of x, got float32 [3] for int64 [2]")
        .error<DTypeError>([] { bincount(sized({2})); },
                           "bincount: x must be an int64 vector, got float32 [2]; convert it with to()")
        .error<DTypeError>([] { bincount(zeros({2}, {.dtype = int64}), sized({2}, boolean)); },
                           "bincount: weights must not be bool, got bool [2]; convert them with to()")
        .error<ValueError>([] { bincount(full({2}, -1, {.dtype = int64})); },
                           "bincount: x must not have negative elements, got -1")
        .error<ValueError>([] { bincount(zeros({2}, {.dtype = int64}), INT64_MAX); },
                           "bincount: there is no room for 9223372036854775807 counts")
        .error<ValueError>([] { bincount(zeros({2}, {.dtype = int64}), -1); },
                           "bincount: min_length must not be negative, got -1")
        .check();

TEST(Counts, OfClassesWithoutWeightsAreWholeNumbers) {
  SKIP_WITHOUT_TEST_DEVICE();
  const Tensor counts = bincount(tensor<std::int64_t>({2, 0, 2}).to(test_device()), 5);
  EXPECT_EQ(counts.dtype(), int64);
  EXPECT_EQ(counts.to_vector<std::int64_t>(), (std::vector<std::int64_t>{1, 0, 2, 0, 0}));
}

auto counted(std::int64_t bins, double low, double high) {
  return [=](Lists in) {
    Doubles y(Shape{bins});
    double least = low, most = high;
    if (low == high) {
      least = *std::min_element(in[0].values.begin(), in[0].values.end());
      most = *std::max_element(in[0].values.begin(), in[0].values.end());
    }
    if (least == most) --least, ++most;
    for (const double x : in[0].values)
      if (x >= least && x <= most)
        y[{std::min(bins - 1, static_cast<std::int64_t>(
                                  std::floor((x - least) / (most - least) * static_cast<double>(bins))))}] += 1;
    return y;
  };
}

TEST(Histc, CountsManyAndSkipsNaN) {
  manual_seed(1);
  const Tensor x = transpose(randn({600, 500}), 0, 1);
  fill_(x[7], NAN);
  fill_(x[8], INFINITY);
  for (const std::int64_t bins : {1, 100, 5000}) {
    std::vector<float> expected(static_cast<std::size_t>(bins));
    for (const float value : contiguous(x).to_vector<float>())
      if (value >= -1 && value <= 2)
        ++expected[std::min(static_cast<std::size_t>(bins - 1),
                            static_cast<std::size_t>((value + 1) / 3 * static_cast<float>(bins)))];
    EXPECT_EQ(histc(x, bins, -1, 2).to_vector<float>(), expected) << bins;
  }
}

TEST(Bincount, CountsMany) {
  const Tensor x = remainder(arange(std::int64_t{300007}), 5000);
  const std::vector<std::int64_t> counts = bincount(x).to_vector<std::int64_t>();
  ASSERT_EQ(counts.size(), 5000u);
  for (std::size_t i = 0; i < counts.size(); ++i) EXPECT_EQ(counts[i], i < 7 ? 61 : 60) << i;
}

[[maybe_unused]] const bool histc_cases =
    composed(OpCases("histc"))
        .no_gradient()
        .on([](In in) { return histc(in[0], 4, -2, 2); }, counted(4, -2, 2), "limits")
        .pytorch("lambda x: torch.histc(x, 4, -2, 2)")
        .inputs(given({3, 4}, {-3, -2, -1.5, -1, -0.5, 0, 0.5, 1, 1.75, 2, 2.5, NAN}))
        .inputs(normal({0}))
        .on([](In in) { return histc(in[0], 3); }, counted(3, 0, 0), "extremes")
        .pytorch("lambda x: torch.histc(x, 3)")
        .inputs(given({5}, {0, 1, 2.5, 2.75, 3}))
        .huge([](auto n) { histc(ones({3}), n); })
        .error<ValueError>([] { histc(sized({2}), 0); }, "histc: bins must be positive, got 0")
        .error<ValueError>([] { histc(sized({2}), 3, 2, 1); },
                           "histc: the limits must be finite and in order, got 2 and 1")
        .error<DTypeError>([] { histc(sized({2}, int64)); },
                           "histc: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

TEST(Bincount, CountsEachOfManyNumbers) {
  for (const std::int64_t bins : {5, 9000}) {
    const Tensor x = randint(0, bins, {10001}), counts = bincount(x, bins);
    std::vector<std::int64_t> expected(static_cast<std::size_t>(bins));
    for (std::int64_t i = 0; i < x.numel(); ++i) ++expected[static_cast<std::size_t>(x[i].item<std::int64_t>())];
    for (std::int64_t b = 0; b < bins; ++b)
      EXPECT_EQ(counts[b].item<std::int64_t>(), expected[static_cast<std::size_t>(b)]) << b;
  }
}

}  // namespace
}  // namespace minima::counts_test
