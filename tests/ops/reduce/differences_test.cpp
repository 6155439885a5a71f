#include <minima/ops/reduce/differences.h>

#include "tests/ops/checks/composed.h"
#include "tests/support/device.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace minima::differences_test {
namespace {

using namespace test;

using Lists = const std::vector<Doubles>&;

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

/// The slopes along the last dimension.
Reference slopes(double step, int edge_order) {
  return [=](const std::vector<Doubles>& in) {
    Doubles y(in[0].shape);
    const std::int64_t size = in[0].shape.back();
    for (std::int64_t start = 0; start + size <= static_cast<std::int64_t>(y.values.size()); start += size) {
      const double* x = in[0].values.data() + start;
      double* out = y.values.data() + start;
      for (std::int64_t i = 1; i + 1 < size; ++i) out[i] = (x[i + 1] - x[i - 1]) / (2 * step);
      out[0] = edge_order == 1 ? (x[1] - x[0]) / step : (-1.5 * x[0] + 2 * x[1] - 0.5 * x[2]) / step;
      const double* end = x + size - 1;
      out[size - 1] = edge_order == 1 ? (end[0] - end[-1]) / step : (1.5 * end[0] - 2 * end[-1] + 0.5 * end[-2]) / step;
    }
    return std::vector<Doubles>{y};
  };
}

[[maybe_unused]] const bool gradient_cases =
    OpCases("gradient")
        .tolerance(4)
        .without("large", "is made of views")
        .without("hidden", "is made of views")
        .without("random", "differences cancel")
        .on([](In in) { return gradient(in[0], {.dims = {-1}, .spacing = {0.5}}); }, slopes(0.5, 1), "last")
        .pytorch("lambda x: torch.gradient(x, spacing=0.5, dim=-1)")
        .inputs(normal({3, 5}))
        .inputs(normal({2}))
        .inputs(normal({0, 3}))
        .on([](In in) { return gradient(in[0], {.dims = {-1}, .edge_order = 2}); }, slopes(1, 2), "second order")
        .pytorch("lambda x: torch.gradient(x, dim=-1, edge_order=2)")
        .inputs(normal({3, 5}))
        .inputs(normal({2, 3}))
        .on([](In in) { return gradient(in[0])[1]; }, slopes(1, 1), "all")
        .pytorch("lambda x: torch.gradient(x)[1]")
        .inputs(normal({3, 4}))
        .error<IndexError>([] { gradient(sized({2}), {.dims = {1}}); },
                           "gradient: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ShapeError>([] { gradient(sized({1})); },
                           "gradient: needs more than 1 elements along dimension 0, got float32 [1]")
        .error<ValueError>([] { gradient(sized({2}), {.edge_order = 3}); },
                           "gradient: edge_order must be 1 or 2, got 3")
        .error<ValueError>([] { gradient(sized({2}), {.spacing = {1, 2}}); }, "gradient: needs one spacing or 1, got 2")
        .error<DTypeError>([] { gradient(sized({2}, int64)); },
                           "gradient: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

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
  Line operator()(const Line& x) const { return {std::accumulate(x.begin(), x.end(), 0.0)}; }
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

/// Differences of unsigned integers are negative, too, where x falls.
TEST(Trapezoid, TakesCoordinatesOfAnyDtype) {
  const Tensor y = tensor({1.0, 2.0, 3.0}), x = tensor({10.0, 5.0, 200.0});
  for (const DType dtype : {uint8, int32, int64}) {
    EXPECT_EQ(trapezoid(y, x.to(dtype)).item<float>(), 480) << str(dtype);
    EXPECT_EQ(cumulative_trapezoid(y, x.to(dtype)).to_vector<float>(), (std::vector<float>{-7.5, 480})) << str(dtype);
  }
  EXPECT_EQ(trapezoid(y, x == 5).item<float>(), -1);
}

}  // namespace
}  // namespace minima::differences_test
