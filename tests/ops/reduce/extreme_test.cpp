#include "tests/ops/checks/composed.h"
#include "tests/ops/checks/op_cases.h"
#include "tests/ops/reduce/recorded_dims.h"

#include <minima/autograd/backward.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace minima::extreme_test {
namespace {

using namespace test;

/// Value and index of the first element that beats all others, for every line along the dimensions.
struct Found {
  Doubles values, indices;
  Found(const Doubles& x, const std::vector<int>& dims, bool largest, bool keep_dim) {
    Shape kept = x.shape;
    for (const int dim : dims) kept[dim] = 1;
    values = indices = Doubles(kept);
    Doubles count(kept);
    each_index(x.shape, [&](const Shape& at) {
      Shape to = at;
      for (const int dim : dims) to[dim] = 0;
      const double v = x[at];
      const bool beats = std::isnan(v) || (largest ? v > values[to] : v < values[to]);
      if (count[to] == 0 || (beats && !std::isnan(values[to]))) {
        values[to] = v;
        indices[to] = count[to];
      }
      count[to] += 1;
    });
    if (keep_dim) return;
    Shape shape;
    for (int d = 0; d < x.shape.rank(); ++d)
      if (std::find(dims.begin(), dims.end(), d) == dims.end()) shape.push_back(x.shape[d]);
    values.shape = indices.shape = shape;
  }
};

template <bool largest>
auto reference(int dim, bool keep_dim) {
  return [=](const std::vector<Doubles>& in) {
    const Found found(in[0], {dim}, largest, keep_dim);
    return std::vector<Doubles>{found.values, found.indices};
  };
}
template <bool largest>
auto values_over(std::vector<int> dims, bool keep_dim) {
  return [=](const std::vector<Doubles>& in) { return Found(in[0], dims, largest, keep_dim).values; };
}
template <bool largest>
auto index_along(int dim, bool keep_dim) {
  return [=](const std::vector<Doubles>& in) { return Found(in[0], {dim}, largest, keep_dim).indices; };
}
std::vector<Tensor> both(ValuesAndIndices found) { return {found.values, found.indices}; }

const Tensor hollow = zeros({3, 0});

[[maybe_unused]] const bool max_cases =
    OpCases("max")
        .dtypes(all_dtypes())
        .result_dtype(1, always<int64>)
        .on([](In in) { return both(max(in[0], 0)); }, reference<true>(0, false), "dim 0")
        .inputs(distinct({7}))
        .inputs(distinct({5, 4}))
        .inputs(specials())
        .on([](In in) { return both(max(in[0], -1, true)); }, reference<true>(1, true), "dim -1, kept")
        .inputs(distinct({5, 4}))
        .inputs(distinct({0, 4}))
        .inputs(normal({300, 500}))
        .on([](In in) { return both(max(in[0], 1)); }, reference<true>(1, false), "dim 1")
        .inputs(distinct({2, 3, 2, 2}))
        .huge([](auto v) { max(ones({2, 3, 4}), v); })
        .error<ShapeError>([] { max(hollow, 1); },
                           "max: dimension 1 of float32 [3, 0] is empty, so there is nothing to choose from")
        .error<IndexError>([] { max(empty({2, 3}), 2); },
                           "max: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<ShapeError>([] { max(empty({0, 2}), 0); },
                           "max: dimension 0 of float32 [0, 2] is empty, so there is nothing to choose from")
        .error<ShapeError>([] { max(empty({0})); },
                           "max: dimension 0 of float32 [0] is empty, so there is nothing to choose from")
        .check();

[[maybe_unused]] const bool min_cases =
    OpCases("min")
        .dtypes(all_dtypes())
        .result_dtype(1, always<int64>)
        .on([](In in) { return both(min(in[0], 1)); }, reference<false>(1, false), "dim 1")
        .inputs(distinct({5, 4}))
        .inputs(distinct({0, 4}))
        .inputs(distinct({2, 3, 2, 2}))
        .inputs(normal({500, 300}))
        .on([](In in) { return both(min(in[0], 0)); }, reference<false>(0, false), "dim 0")
        .inputs(specials())
        .huge([](auto v) { min(ones({2, 3, 4}), v); })
        .error<IndexError>([] { min(empty({2, 3}), 2); },
                           "min: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<ShapeError>([] { min(empty({0, 2}), 0); },
                           "min: dimension 0 of float32 [0, 2] is empty, so there is nothing to choose from")
        .check();

[[maybe_unused]] const bool amax_cases =
    OpCases("amax")
        .also_calls("max")
        .dtypes(all_dtypes())
        .on([](In in) { return amax(in[0], {0, 2}); }, values_over<true>({0, 2}, false), "dims {0, 2}")
        .inputs(distinct({2, 3, 4}))
        .inputs(distinct({2, 0, 4}))
        .inputs(normal({200, 10, 100}))
        .on([](In in) { return amax(in[0]); }, values_over<true>({0}, false), "all")
        .inputs(distinct({9}))
        .inputs(specials())
        .huge([](auto v) { amax(ones({2, 3, 4}), {v}); })
        .with(
            recorded_dims("amax", "torch.amax(x, d)", [](const Tensor& x, const Shape& dims) { return amax(x, dims); }))
        .error<ShapeError>([] { max(hollow); },
                           "max: dimension 1 of float32 [3, 0] is empty, so there is nothing to choose from")
        .error<ShapeError>([] { amax(empty({2, 0}), {1}); },
                           "amax: dimension 1 of float32 [2, 0] is empty, so there is nothing to choose from")
        .error<IndexError>([] { amax(empty({2, 3}), {2}); },
                           "amax: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<ValueError>([] { amax(empty({2, 3}), {0, 0}); }, "amax: a dimension appears twice in [0, 0]")
        .check();

[[maybe_unused]] const bool amin_cases =
    OpCases("amin")
        .also_calls("min")
        .dtypes(all_dtypes())
        .on([](In in) { return amin(in[0], {1}, true); }, values_over<false>({1}, true), "dims {1}, kept")
        .inputs(distinct({4, 5}))
        .inputs(distinct({0, 5}))
        .inputs(normal({200, 300}))
        .on([](In in) { return min(in[0]); }, values_over<false>({0, 1}, false), "all")
        .inputs(distinct({4, 3}))
        .huge([](auto v) { amin(ones({2, 3, 4}), {v}); })
        .with(
            recorded_dims("amin", "torch.amin(x, d)", [](const Tensor& x, const Shape& dims) { return amin(x, dims); }))
        .error<IndexError>([] { amin(empty({2, 3}), {2}); },
                           "amin: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<ShapeError>([] { amin(empty({0})); },
                           "amin: dimension 0 of float32 [0] is empty, so there is nothing to choose from")
        .check();

[[maybe_unused]] const bool argmax_cases =
    OpCases("argmax")
        .dtypes(all_dtypes())
        .result_dtype(always<int64>)
        .no_gradient()
        .on([](In in) { return argmax(in[0], 1); }, index_along<true>(1, false), "dim 1")
        .inputs(whole({6, 9}, 0, 4))
        .inputs(normal({0, 4}))
        .inputs(normal({300, 500}))
        .on([](In in) { return argmax(in[0], 0, true); }, index_along<true>(0, true), "dim 0, kept")
        .inputs(whole({6, 9}, 0, 4))
        .inputs(specials())
        .huge([](auto v) { argmax(ones({2, 3, 4}), v); })
        .error<IndexError>([] { argmax(zeros({2}), 1); },
                           "argmax: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ShapeError>([] { argmax(empty({0})); },
                           "argmax: dimension 0 of float32 [0] is empty, so there is nothing to choose from")
        .check();

[[maybe_unused]] const bool argmin_cases =
    OpCases("argmin")
        .dtypes(all_dtypes())
        .result_dtype(always<int64>)
        .no_gradient()
        .on([](In in) { return argmin(in[0], 1); }, index_along<false>(1, false), "dim 1")
        .inputs(whole({6, 9}, 0, 4))
        .inputs(normal({0, 4}))
        .inputs(normal({300, 500}))
        .huge([](auto v) { argmin(ones({2, 3, 4}), v); })
        .error<IndexError>([] { argmin(empty({2}), 1); },
                           "argmin: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ShapeError>([] { argmin(empty({0, 2}), 0); },
                           "argmin: dimension 0 of float32 [0, 2] is empty, so there is nothing to choose from")
        .check();

TEST(Extreme, OfAllElementsCountsInRowMajorOrder) {
  const Tensor x = from_vector<float>({1, 7, 3, 0, 7, 0}, {2, 3});
  EXPECT_EQ(argmax(x).item<std::int64_t>(), 1);
  EXPECT_EQ(argmin(x).item<std::int64_t>(), 3);
  EXPECT_EQ(max(x).item<float>(), 7);
  EXPECT_EQ(min(x).item<float>(), 0);
}

TEST(Extreme, OfNothingButTheWorstIsTheFirst) {
  const Tensor low = full({3, 40}, -INFINITY), high = full({3, 40}, INFINITY);
  for (const Tensor& at : {argmax(low, 1), max(low, 1).indices, argmin(high, 1), min(high, 1).indices})
    EXPECT_EQ(sum(at).item<std::int64_t>(), 0);
}

TEST(Extreme, TakesScalars) {
  Tensor x = scalar_tensor(3.0).requires_grad(true);
  const auto [value, index] = max(x, 0);
  EXPECT_EQ(value.item<float>(), 3);
  EXPECT_EQ(index.item<std::int64_t>(), 0);
  value.backward();
  EXPECT_EQ(x.grad().item<float>(), 1);
  EXPECT_EQ(argmin(x, -1).item<std::int64_t>(), 0);
}

TEST(Extreme, GivesTheGradientToTheFirstOfEqualsAlongADimensionAndSharesItOverAll) {
  Tensor x = tensor<float>({2, 5, 5}).requires_grad(true);
  max(x, 0).values.backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{0, 1, 0}));
  x.zero_grad();
  max(x).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{0, 0.5, 0.5}));
}

TEST(Mean, OfManyHalvesStaysInRange) {
  EXPECT_EQ(mean(full({100, 1000}, 4, {.dtype = float16})).item<float>(), 4);
  EXPECT_TRUE(std::isnan(mean(zeros({0})).item<float>()));
}

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

}  // namespace
}  // namespace minima::extreme_test
