#include <minima/ops/sort/sort.h>

#include "tests/ops/sort/ranks.h"

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace minima::sort_test {
namespace {

using namespace test;

/// By the definition: a stable sort of each line, NaN last (first when descending); the first `count` of it, or all.
auto reference(int wanted, bool descending, std::int64_t count = -1) {
  return [=](const std::vector<Doubles>& in) {
    const Doubles& x = in[0];
    const int dim = wanted < 0 ? wanted + x.shape.rank() : wanted;
    Shape lines = x.shape, results = x.shape;
    const std::int64_t length = x.shape[dim];
    lines[dim] = 1;
    results[dim] = count < 0 ? length : count;
    Doubles values(results), indices(results);
    each_index(lines, [&](const Shape& start) {
      const auto element = [&](std::int64_t i) {
        Shape at = start;
        at[dim] = i;
        return x[at];
      };
      std::vector<std::int64_t> order;
      for (std::int64_t i = 0; i < length; ++i) order.push_back(i);
      const auto before = [&](std::int64_t a, std::int64_t b) {
        const double left = element(descending ? b : a), right = element(descending ? a : b);
        return std::isnan(right) ? !std::isnan(left) : left < right;
      };
      std::stable_sort(order.begin(), order.end(), before);
      for (std::int64_t i = 0; i < results[dim]; ++i) {
        Shape at = start;
        at[dim] = i;
        indices[at] = static_cast<double>(order[static_cast<std::size_t>(i)]);
        values[at] = element(order[static_cast<std::size_t>(i)]);
      }
    });
    return std::vector{values, indices};
  };
}

const Tensor x34 = zeros({3, 4});

[[maybe_unused]] const bool sort_cases =
    OpCases("sort")
        .dtypes(all_dtypes())
        .result_dtype(1, always<int64>)
        .result_layout(ResultLayout::row_major)
        .without("large",
                 "Sort.OfManyLinesIsThatOfEach is one, which the simulation of kernels leaves out for its time")
        .without("hidden", "it is made of other operators")
        .on([](In in) { return both(sort(in[0], 0)); }, reference(0, false), "dim 0")
        .inputs(distinct({9}))
        .inputs(distinct({5, 3}))
        .inputs(distinct({0, 4}))
        .inputs(specials())
        .on([](In in) { return both(sort(in[0], -1, true)); }, reference(-1, true), "last, descending")
        .inputs(distinct({2, 3, 4}))
        .inputs(distinct({4, 0}))
        .inputs(whole({7, 70}, 0, 9))
        .inputs(specials())
        .huge([](auto v) { sort(ones({2, 3, 4}), v); })
        .recorded("sort", "lambda x: tuple(torch.sort(x, dim=1, stable=True))",
                  [](In in) { return both(sort(in[0], 1)); })
        .recorded("sort.descending", "lambda x: tuple(torch.sort(x, dim=0, descending=True, stable=True))",
                  [](In in) { return both(sort(in[0], 0, true)); })
        .error<IndexError>([] { sort(x34, 2); },
                           "sort: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<IndexError>([] { sort(empty({2}), -2); },
                           "sort: dimension -2 is out of range for a tensor of rank 1; use -1 to 0")
        .error<IndexError>([] { sort(empty(Shape{}), 1); },
                           "sort: dimension 1 is out of range for a tensor of rank 0; use -1 to 0")
        .check();

[[maybe_unused]] const bool argsort_cases =
    OpCases("argsort")
        .dtypes(all_dtypes())
        .result_dtype(always<int64>)
        .result_layout(ResultLayout::row_major)
        .without("large",
                 "Sort.OfManyLinesIsThatOfEach is one, which the simulation of kernels leaves out for its time")
        .no_gradient()
        .on([](In in) { return argsort(in[0], 0, true); },
            [](const std::vector<Doubles>& in) { return reference(0, true)(in)[1]; }, "descending")
        .inputs(normal({9}))
        .inputs(normal({5, 3}))
        .inputs(normal({0}))
        .inputs(specials())
        .huge([](auto v) { argsort(ones({2, 3, 4}), v); })
        .error<ValueError>([] { argsort(Tensor()); }, "argsort: argument 0 is undefined")
        .error<IndexError>([] { argsort(empty({2}), 1); },
                           "argsort: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .check();

[[maybe_unused]] const bool topk_cases =
    OpCases("topk")
        .dtypes(all_dtypes())
        .result_dtype(1, always<int64>)
        .result_layout(ResultLayout::row_major)
        .without("large",
                 "Sort.OfManyLinesIsThatOfEach is one, which the simulation of kernels leaves out for its time")
        .without("hidden", "it is made of other operators")
        .on([](In in) { return both(topk(in[0], 3)); }, reference(-1, true, 3), "3 largest")
        .inputs(distinct({9}))
        .inputs(distinct({2, 4, 5}))
        .inputs(distinct({0, 4}))
        .inputs(specials())
        .on([](In in) { return both(topk(in[0], 2, 0, false)); }, reference(0, false, 2), "2 smallest of dim 0")
        .inputs(distinct({5, 3}))
        .huge([](auto v) { topk(ones({2, 3, 4}), v); })
        .huge([](auto v) { topk(ones({2, 3, 4}), 1, v); })
        .huge([](auto v) { topk(endless(), v); })
        .recorded("topk", "lambda x: tuple(torch.topk(x, 3, 1))", [](In in) { return both(topk(in[0], 3, 1)); })
        .error<ShapeError>([] { topk(x34, 5); },
                           "topk: k must be from 0 to 4, the size of dimension 1 of x float32 [3, 4], got 5")
        .error<ValueError>([] { topk(x34, -1); }, "topk: k must not be negative, got -1")
        .error<ShapeError>([] { topk(empty({3}), 4); },
                           "topk: k must be from 0 to 3, the size of dimension 0 of x float32 [3], got 4")
        .error<IndexError>([] { topk(empty({3}), 2, 1); },
                           "topk: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ShapeError>([] { topk(empty(Shape{}), 2); },
                           "topk: k must be from 0 to 1, the size of dimension 0 of x float32 [], got 2")
        .error<ShapeError>([] { topk(empty(Shape{}), 0); }, "topk: k must be 1 for a tensor without dimensions, got 0")
        .check();

[[maybe_unused]] const bool kthvalue_cases =
    choosing(OpCases("kthvalue"))
        .on([](In in) { return both(kthvalue(in[0], 2)); },
            of_rank(-1, false, [](const Line&) { return std::size_t{1}; }))
        .pytorch("lambda x: torch.kthvalue(x, 2)")
        .inputs(distinct({3, 5}))
        .inputs(distinct({0, 4}))
        .inputs(specials())
        .huge([](auto n) { kthvalue(ones({3}), n); })
        .huge([](auto n) { kthvalue(ones({3}), 1, n); })
        .error<IndexError>([] { kthvalue(sized({2}), 1, 1); },
                           "kthvalue: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ValueError>([] { kthvalue(sized({2}), 3); },
                           "kthvalue: k must be between 1 and the size of dimension 0, got 3 for float32 [2]")
        .error<ShapeError>([] { kthvalue(sized({0}), 1); },
                           "kthvalue: dimension 0 has no elements to choose from, got float32 [0]")
        .check();

TEST(Sort, OfManyLinesIsThatOfEach) {
  const Doubles x = draw(whole({300, 1500}, 0, 500), float32, 5);
  const Tensor indices = argsort(lay_out(x, float32, Form::row_major), 1);
  EXPECT_EQ(doubles_of(indices).values, reference(1, false)({x})[1].values);
}

/// Lines with ties, NaN and infinities, and integers near and far from each other, are sorted by their digits.
TEST(Sort, OfLongLinesIsStable) {
  for (const std::int64_t length : {1000, 5000})
    for (const DType dtype : {float32, float64, bfloat16, int64, DType::int32})
      for (const double scale : {1.0, 1e15}) {
        Doubles x = draw(whole({2, length}, -40, 40), float32, 7);
        for (double& value : x.values) value *= is_floating(dtype) || dtype == int64 ? scale : 1;
        if (is_floating(dtype))
          for (std::size_t i = 0; i < x.values.size(); i += 97)
            x.values[i] =
                i % 2 == 0 ? std::numeric_limits<double>::quiet_NaN() : -std::numeric_limits<double>::infinity();
        for (const bool descending : {false, true}) {
          const Tensor indices = argsort(lay_out(x, dtype, Form::row_major), 1, descending);
          EXPECT_EQ(doubles_of(indices).values, reference(1, descending)({x})[1].values) << str(dtype) << ' ' << scale;
        }
      }
}

/// Ascending and descending lines, ties and NaN.
TEST(Topk, OfLongLinesIsTheBeginningOfTheirOrder) {
  constexpr std::int64_t length = 1003;
  Doubles x(Shape{5, length});
  const Doubles random = draw(whole({length}, 0, 60), float32, 5);
  for (std::int64_t i = 0; i < length; ++i) {
    const double drawn = random[{i}];
    x[{0, i}] = drawn;
    x[{1, i}] = static_cast<double>(i);
    x[{2, i}] = static_cast<double>(-i);
    x[{3, i}] = 7;
    x[{4, i}] = drawn < 3 ? std::numeric_limits<double>::quiet_NaN() : drawn;
  }
  for (const DType dtype : {float32, float64})
    for (const bool largest : {false, true})
      for (const std::int64_t k : {1, 10, 200, 600, 1002}) {
        const std::vector<double> expected = reference(1, largest, k)({x})[1].values;
        EXPECT_EQ(doubles_of(topk(lay_out(x, dtype, Form::row_major), k, 1, largest).indices).values, expected)
            << name(dtype) << " k " << k << (largest ? " largest" : " smallest");
        const Tensor columns = transpose(lay_out(x, dtype, Form::row_major), 0, 1);
        EXPECT_EQ(doubles_of(contiguous(transpose(topk(columns, k, 0, largest).indices, 0, 1))).values, expected)
            << name(dtype) << " k " << k << " of columns";
      }
}

/// Lines so long that a GPU cuts them into parts: ties between parts go to the lowest position, too.
TEST(Topk, OfVeryLongLinesIsTheBeginningOfTheirOrder) {
  constexpr std::int64_t length = 9001;
  Doubles x = draw(whole({2, length}, 0, 90), float32, 5);
  for (std::int64_t i = 0; i < length; i += 100) x[{1, i}] = std::numeric_limits<double>::quiet_NaN();
  for (const DType dtype : {float32, float64, uint8})
    for (const bool largest : {false, true}) {
      Doubles numbers = x;
      if (dtype == uint8)
        for (double& value : numbers.values) value = std::isnan(value) ? 255 : value;
      EXPECT_EQ(doubles_of(topk(lay_out(numbers, dtype, Form::row_major), 150, 1, largest).indices).values,
                reference(1, largest, 150)({numbers})[1].values)
          << name(dtype) << (largest ? " largest" : " smallest");
    }
}

TEST(Sort, KnowsLargeIntegersAndBothZeros) {
  constexpr std::int64_t large = std::numeric_limits<std::int64_t>::max();
  const Tensor numbers = from_vector<std::int64_t>({large, large - 1, -large - 1, large, 0}, {5});
  EXPECT_EQ(argsort(numbers).to_vector<std::int64_t>(), (std::vector<std::int64_t>{2, 4, 1, 0, 3}));
  const Tensor zeros = from_vector<float>({0.0F, -0.0F, 0.0F, -1.0F}, {4});
  EXPECT_EQ(argsort(zeros).to_vector<std::int64_t>(), (std::vector<std::int64_t>{3, 0, 1, 2}));
}

}  // namespace
}  // namespace minima::sort_test
