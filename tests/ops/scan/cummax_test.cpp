#include "tests/ops/checks/op_cases.h"

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/scan/scan.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace minima::cummax_test {
namespace {

using namespace test;

/// The definition: NaN stays, of equal elements the last counts.
auto running(int wanted, double sign) {
  return [=](const std::vector<Doubles>& in) {
    const Doubles& x = in[0];
    Doubles values(x.shape), indices(x.shape);
    const int dim = wanted < 0 ? wanted + x.shape.rank() : wanted;
    each_index(x.shape, [&](const Shape& at) {
      Shape before = at;
      --before[dim];
      const bool is_first = at[dim] == 0;
      const double best = is_first ? 0 : values[before];
      const bool is_new = is_first || std::isnan(x[at]) || (!std::isnan(best) && sign * x[at] >= sign * best);
      values[at] = is_new ? x[at] : best;
      indices[at] = is_new ? static_cast<double>(at[dim]) : indices[before];
    });
    return std::vector{values, indices};
  };
}
std::vector<Tensor> both(const ValuesAndIndices& result) { return {result.values, result.indices}; }

[[maybe_unused]] const bool cummax_cases =
    OpCases("cummax")
        .dtypes(all_dtypes())
        .result_dtype(1, always<int64>)
        .result_layout(ResultLayout::row_major)
        .without("hidden", "it is made of other operators")
        .without("large", "the tables of cumsum and gather have them")
        .on([](In in) { return both(cummax(in[0], 0)); }, running(0, 1), "dim 0")
        .inputs(distinct({9}))
        .inputs(distinct({50, 3}))
        .inputs(distinct({0, 4}))
        .inputs(specials())
        .on([](In in) { return both(cummax(in[0], -1)); }, running(-1, 1), "last")
        .inputs(whole({3, 90}, 0, 9))
        .inputs(distinct({2, 3, 4}))
        .inputs(distinct({2, 300}))
        .inputs(specials())
        .error<IndexError>([] { cummax(zeros({2}), 1); },
                           "cummax: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .check();

[[maybe_unused]] const bool cummin_cases =
    OpCases("cummin")
        .dtypes(all_dtypes())
        .result_dtype(1, always<int64>)
        .result_layout(ResultLayout::row_major)
        .without("hidden", "it is made of other operators")
        .without("large", "the tables of cumsum and gather have them")
        .on([](In in) { return both(cummin(in[0], 0)); }, running(0, -1), "dim 0")
        .inputs(distinct({50, 3}))
        .inputs(distinct({0, 4}))
        .inputs(whole({90, 3}, 0, 9))
        .inputs(specials())
        .error<IndexError>([] { cummin(zeros({2}), 1); },
                           "cummin: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .check();

TEST(Cummax, OfANumberIsTheNumber) {
  const auto [values, indices] = cummax(full({}, 3.0), 0);
  EXPECT_EQ(values.item<float>(), 3);
  EXPECT_EQ(indices.item<std::int64_t>(), 0);
}

}  // namespace
}  // namespace minima::cummax_test
