#include "tests/ops/checks/op_cases.h"

#include <minima/autograd/backward.h>
#include <minima/autograd/gradcheck.h>
#include <minima/autograd/mode.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/scan.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace minima::scan_test {
namespace {

using namespace test;

auto scanned(int wanted, double start, double (*f)(double, double)) {
  return [=](const std::vector<Doubles>& in) {
    Doubles y(in[0].shape);
    const int dim = wanted < 0 ? wanted + y.shape.rank() : wanted;
    each_index(y.shape, [&](const Shape& at) {
      Shape before = at;
      --before[dim];
      y[at] = f(at[dim] == 0 ? start : y[before], in[0][at]);
    });
    return y;
  };
}
double plus(double a, double b) { return a + b; }
double multiply(double a, double b) { return a * b; }

[[maybe_unused]] const bool cumsum_cases =
    OpCases("cumsum")
        .autocast("float32")
        .dtypes(all_dtypes())
        .result_dtype(summed_dtype)
        .result_layout(ResultLayout::row_major)
        .on([](In in) { return cumsum(in[0], 0); }, scanned(0, 0, plus), "dim 0")
        .contraction(700)
        .inputs(normal({7}))
        .inputs(normal({5, 3}))
        .inputs(normal({0, 4}))
        .inputs(normal({700, 70}))
        .on([](In in) { return cumsum(in[0], -1); }, scanned(-1, 0, plus), "last")
        .contraction(1200)
        .inputs(normal({2, 3, 4}))
        .inputs(normal({2, 3, 2, 2}))
        .inputs(normal({40, 1200}))
        .huge([](auto v) { cumsum(ones({2, 3, 4}), v); })
        .recorded("cumsum", "lambda x: x.cumsum(1)", [](In in) { return cumsum(in[0], 1); })
        .error<IndexError>([] { cumsum(zeros({2}), 1); },
                           "cumsum: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<IndexError>([] { cumsum(empty(Shape{}), 1); },
                           "cumsum: dimension 1 is out of range for a tensor of rank 0; use -1 to 0")
        .check();

double log_add(double a, double b) {
  const double high = std::max(a, b);
  return std::isinf(high) ? high : high + std::log(std::exp(a - high) + std::exp(b - high));
}

[[maybe_unused]] const bool logcumsumexp_cases =
    OpCases("logcumsumexp")
        .result_layout(ResultLayout::row_major)
        .on([](In in) { return logcumsumexp(in[0], 0); }, scanned(0, -INFINITY, log_add), "dim 0")
        .pytorch("lambda x: torch.logcumsumexp(x, 0)")
        .contraction(70)
        .inputs(normal({7}))
        .inputs(normal({5, 3}))
        .inputs(normal({0, 4}))
        .inputs(uniform({70, 3}, -9, 9))
        .inputs(uniform({70, 3}, -80, 80).constant())
        .on([](In in) { return logcumsumexp(in[0], -1); }, scanned(-1, -INFINITY, log_add), "last")
        .pytorch("lambda x: torch.logcumsumexp(x, -1)")
        .contraction(1200)
        .inputs(normal({2, 3, 4}))
        .inputs(normal({2, 3, 1}))
        .inputs(given({4}, {-INFINITY, -INFINITY, 1, -INFINITY}).constant())
        .inputs(normal({40, 1200}))
        .huge([](std::int64_t n) { logcumsumexp(ones({2}), n); })
        .error<IndexError>([] { logcumsumexp(zeros({2}), 1); },
                           "logcumsumexp: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<DTypeError>([] { logcumsumexp(zeros({2}, {.dtype = int64}), 0); },
                           "logcumsumexp: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

/// Lines with two zeros, one zero (in the middle, at the end, at the beginning), only zeros, and none.
Draw with_zeros() {
  return given({6, 4}, {2, 0, 3, 0, 0.5, 0, 1, 2, 3, 4, 5, 0, 0, 1.5, 2, -1, 0, 0, 0, 0, 1, 2, -3, 4});
}

[[maybe_unused]] const bool cumprod_cases =
    OpCases("cumprod")
        .autocast("float32")
        .dtypes(all_dtypes())
        .result_dtype(summed_dtype)
        .result_layout(ResultLayout::row_major)
        .tolerance(30)
        .on([](In in) { return cumprod(in[0], 0); }, scanned(0, 1, multiply), "dim 0")
        .inputs(uniform({7}, 0.5, 2))
        .inputs(uniform({5, 3}, -2, -0.5))
        .inputs(with_zeros())
        .inputs(uniform({0, 4}, 0.5, 2))
        .inputs(uniform({300, 150}, 0.95, 1.05))
        .on([](In in) { return cumprod(in[0], -1); }, scanned(-1, 1, multiply), "last")
        .inputs(uniform({2, 3, 4}, 0.5, 2))
        .inputs(with_zeros())
        .inputs(whole({3, 6}, -1, 2).constant())
        .inputs(uniform({9, 600}, 0.97, 1.03))
        .huge([](auto v) { cumprod(ones({2, 3, 4}), v); })
        .recorded("cumprod", "lambda x: x.cumprod(1)", [](In in) { return cumprod(in[0], 1); })
        .error<IndexError>([] { cumprod(zeros({2}), 1); },
                           "cumprod: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<IndexError>([] { cumprod(empty(Shape{}), 1); },
                           "cumprod: dimension 1 is out of range for a tensor of rank 0; use -1 to 0")
        .check();

auto product_over(const Shape& dims, bool keep_dim) {
  return [=](const std::vector<Doubles>& in) { return fold(in[0], dims, keep_dim, 1, multiply); };
}

[[maybe_unused]] const bool prod_cases =
    OpCases("prod")
        .autocast("float32")
        .dtypes(all_dtypes())
        .result_dtype(summed_dtype)
        .without("hidden", "it is made of other operators")
        .tolerance(30)
        .on([](In in) { return prod(in[0], {0, 2}); }, product_over({0, 2}, false), "dims {0, 2}")
        .inputs(uniform({3, 2, 5}, -2, 2))
        .inputs(uniform({2, 3, 0}, -2, 2))
        .inputs(uniform({20, 50, 60}, 0.97, 1.03))
        .on([](In in) { return prod(in[0], {1}, true); }, product_over({1}, true), "dim 1, kept")
        .inputs(uniform({2, 7}, -2, 2))
        .inputs(given({3, 4}, {0, 1, 2, 3, 4, 0, 0, 7, 1, 2, 3, 0}))
        .inputs(with_zeros())
        .on([](In in) { return prod(in[0], {0}); }, product_over({0}, false), "dim 0")
        .inputs(with_zeros())
        .on([](In in) { return prod(in[0]); },
            [](const std::vector<Doubles>& in) { return fold(in[0], {0}, false, 1, multiply); }, "all")
        .inputs(uniform({11}, -2, 2))
        .huge([](auto v) { prod(ones({2, 3, 4}), {v}); })
        .recorded("prod.all", "torch.prod", [](In in) { return prod(in[0]); })
        .recorded("prod.1", "lambda x: x.prod(1)", [](In in) { return prod(in[0], {1}); })
        .error<IndexError>([] { prod(zeros({2}), {1}); },
                           "prod: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ValueError>([] { prod(empty({2, 3}), {0, 0}); }, "prod: a dimension appears twice in [0, 0]")
        .check();

TEST(Cumprod, ThirdDerivativeIsExactWhereElementsAreZero) {
  const auto second = [](const std::vector<Tensor>& in) {
    const EnableGrad recorded;
    const Tensor x = in[0].requires_grad() ? in[0] : in[0].detach().requires_grad(true);
    const Tensor first = grad({sum(cumprod(x, 0))}, {x}, {}, {.create_graph = true})[0];
    return grad({sum(first * first)}, {x}, {}, {.create_graph = true});
  };
  EXPECT_TRUE(gradcheck(second, {from_vector<double>({2, 0, 3, 0.5, -1}, {5}).requires_grad(true)}));
}

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
        .huge([](auto n) { cummax(ones({2, 3}), n); })
        .recorded("cummax", "lambda x: x.cummax(1).values", [](In in) { return cummax(in[0], 1).values; })
        .recorded("cummax.indices", "lambda x: x.cummax(1).indices", [](In in) { return cummax(in[0], 1).indices; })
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
        .huge([](auto n) { cummin(ones({2, 3}), n); })
        .recorded("cummin", "lambda x: x.cummin(0).values", [](In in) { return cummin(in[0], 0).values; })
        .recorded("cummin.indices", "lambda x: x.cummin(0).indices", [](In in) { return cummin(in[0], 0).indices; })
        .error<IndexError>([] { cummin(zeros({2}), 1); },
                           "cummin: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .check();

TEST(Cummax, OfANumberIsTheNumber) {
  const auto [values, indices] = cummax(full({}, 3.0), 0);
  EXPECT_EQ(values.item<float>(), 3);
  EXPECT_EQ(indices.item<std::int64_t>(), 0);
}

}  // namespace
}  // namespace minima::scan_test
