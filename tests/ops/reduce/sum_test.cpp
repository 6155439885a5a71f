#include "tests/ops/checks/composed.h"
#include "tests/ops/checks/op_cases.h"
#include "tests/ops/reduce/recorded_dims.h"
#include "tests/support/device.h"

#include <minima/ops/creation/creation.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace minima::sum_test {
namespace {

using namespace test;

double plus(double a, double b) { return a + b; }

/// All choices of dimensions; the reference sums over `resolved`.
OpCases& over(OpCases& table, bool mean_of, const Shape& given, const Shape& resolved, bool keep_dim,
              const std::vector<Shape>& shapes) {
  table.on([=](In in) { return mean_of ? mean(in[0], given, keep_dim) : sum(in[0], given, keep_dim); },
           [=](const std::vector<Doubles>& in) {
             Doubles result = fold(in[0], resolved, keep_dim, 0, plus);
             double count = 1;
             for (const std::int64_t dim : resolved) count *= static_cast<double>(in[0].shape[static_cast<int>(dim)]);
             for (double& value : result.values) value /= mean_of ? count : 1;
             return result;
           },
           str("dims ", given, keep_dim ? " kept" : ""));
  std::int64_t terms = 1;
  for (const Shape& shape : shapes) {
    table.inputs(normal(shape));
    terms = std::max(terms, numel(shape));
  }
  return table.contraction(static_cast<double>(terms));
}

OpCases reduction(OpCases table, bool mean_of) {
  table.result_layout(ResultLayout::row_major);
  over(table, mean_of, {}, {}, false, {{}});
  over(table, mean_of, {}, {0, 1}, false, {{3, 4}, {0, 3}, {150, 300}});
  over(table, mean_of, {0}, {0}, false, {{3, 4}, {5}, {3, 0}, {600, 80}});
  over(table, mean_of, {-1}, {1}, true, {{3, 4}, {80, 600}});
  over(table, mean_of, {0, 2, 3}, {0, 2, 3}, false, {{2, 2, 2, 3}, {4, 16, 30, 30}});
  over(table, mean_of, {1, -1}, {1, 2}, true, {{2, 3, 4}});
  return table;
}

[[maybe_unused]] const bool cases[] = {
    reduction(OpCases("sum").autocast("float32"), false)
        .dtypes(all_dtypes())
        .result_dtype(summed_dtype)
        .huge([](auto v) { sum(ones({2, 3, 4}), {v}); })
        .with(recorded_dims("sum", "x.sum(d)", [](const Tensor& x, const Shape& dims) { return sum(x, dims); }))
        .error<IndexError>([] { sum(empty({2, 3}), {2}); },
                           "sum: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<ValueError>([] { sum(empty({2, 3}), {1, -1}); }, "sum: a dimension appears twice in [1, -1]")
        .error<IndexError>([] { sum(empty({2}), {1}); },
                           "sum: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ValueError>([] { sum(empty({2}), {0, 0}); }, "sum: a dimension appears twice in [0, 0]")
        .check(),
    reduction(OpCases("mean"), true)
        .huge([](auto v) { mean(ones({2, 3, 4}), {v, 0}); })
        .with(recorded_dims("mean", "x.mean(d)", [](const Tensor& x, const Shape& dims) { return mean(x, dims); }))
        .error<DTypeError>([] { mean(empty({2}, {.dtype = int64})); },
                           "mean: needs a floating tensor, got int64 [2]; convert it with to()")
        .error<IndexError>([] { mean(empty({2}), {1}); },
                           "mean: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .check(),
    OpCases("sum_to")
        .autocast("float32")
        .dtypes(all_dtypes())
        .result_dtype(summed_dtype)
        .on([](In in) { return sum_to(in[0], {3, 1}); },
            [](const std::vector<Doubles>& in) {
              Doubles result = fold(in[0], {0, 2}, true, 0, plus);
              result.shape = {3, 1};
              return result;
            },
            "[3, 1]")
        .inputs(normal({2, 3, 4}))
        .inputs(normal({0, 3, 4}))
        .inputs(normal({90, 3, 200}))
        .contraction(90 * 200)
        .on([](In in) { return sum_to(in[0], {3, 1}); },
            [](const std::vector<Doubles>& in) { return Doubles({3, 1}, in[0].values); }, "nothing to sum")
        .inputs(normal({3, 1}))
        .inputs(normal({1, 3, 1}))
        .huge([](auto v) { sum_to(ones({2, 3, 4}), {v}); })
        .error<ShapeError>([] { sum_to(empty({2, 3}), {2}); },
                           "sum_to: [2] does not broadcast to the shape of x float32 [2, 3]")
        .error<ShapeError>([] { sum_to(empty({2, 3}), {1, 2, 3}); },
                           "sum_to: [1, 2, 3] does not broadcast to the shape of x float32 [2, 3]")
        .error<ShapeError>([] { sum_to(empty({2, 3}), {3, 2}); },
                           "sum_to: [3, 2] does not broadcast to the shape of x float32 [2, 3]")
        .error<ShapeError>([] { sum_to(empty({2, 3}), {6}); },
                           "sum_to: [6] does not broadcast to the shape of x float32 [2, 3]")
        .check(),
};

/// A number for each line of the last dimension.
template <class F>
Reference per_line(const F& f) {
  return over_lines(-1, false, [=](const std::vector<Line>& x, std::vector<Line>& y) { y = {{f(x[0])}}; });
}
double total_without_nan(const Line& x) {
  double sum = 0;
  for (const double value : x) sum += std::isnan(value) ? 0 : value;
  return sum;
}
double mean_without_nan(const Line& x) {
  const auto count = std::count_if(x.begin(), x.end(), [](double value) { return !std::isnan(value); });
  return total_without_nan(x) / static_cast<double>(count);
}
const Draw with_nan = given({2, 3}, {1, NAN, 3, NAN, NAN, -2});

[[maybe_unused]] const bool nansum_cases =
    composed(OpCases("nansum"))
        .dtypes(all_dtypes())
        .result_dtype(summed_dtype)
        .on([](In in) { return nansum(in[0], {-1}); }, per_line(total_without_nan), "last")
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
        .on([](In in) { return nanmean(in[0], {-1}); }, per_line(mean_without_nan))
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

}  // namespace
}  // namespace minima::sum_test
