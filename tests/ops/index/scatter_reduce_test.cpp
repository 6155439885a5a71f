#include <minima/ops/creation/creation.h>
#include <minima/ops/index/scatter.h>

#include "tests/ops/checks/composed.h"
#include "tests/ops/index/places.h"

#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace minima::scatter_reduce_test {
namespace {

using namespace test;
using namespace test::places_of_elements;
using Lists = const std::vector<Doubles>&;

/// All elements that meet at a target, x's first unless it is left out.
template <class F>
auto reduced(bool include_self, const F& f) {
  return [=](Lists in) {
    Doubles y = in[0];
    std::map<std::vector<std::int64_t>, Line> lists;
    each_index(in[1].shape, [&](const Shape& at) {
      Shape to = at;
      to[1] = static_cast<std::int64_t>(in[1][at]);
      lists[{to.begin(), to.end()}].push_back(in[2][at]);
    });
    for (auto& [to, list] : lists) {
      double& target = y[Shape(to.data(), static_cast<int>(to.size()))];
      if (include_self) list.push_back(target);
      target = f(list);
    }
    return y;
  };
}
double sum_of(const Line& x) {
  double sum = 0;
  for (const double value : x) sum += value;
  return sum;
}
double product_of(const Line& x) {
  double product = 1;
  for (const double value : x) product *= value;
  return product;
}
double mean_of(const Line& x) { return sum_of(x) / static_cast<double>(x.size()); }
double largest(const Line& x) { return *std::max_element(x.begin(), x.end()); }
double smallest(const Line& x) { return *std::min_element(x.begin(), x.end()); }

OpCases scattering(OpCases cases, ScatterMode mode, double (*f)(const Line&), const std::string& name) {
  for (const bool include_self : {true, false})
    cases
        .on([=](In in) { return scatter_reduce(in[0], 1, in[1], in[2], mode, include_self); }, reduced(include_self, f),
            include_self ? "with x" : "without x")
        .pytorch("lambda x, i, s: x.scatter_reduce(1, i, s, '" + name +
                 "', include_self=" + (include_self ? "True" : "False") + ")")
        .inputs(whole({3, 4}, -6, 7), places({2, 3}, {0, 3, 0, 1, 1, 1}), distinct({2, 3}))
        .inputs(whole({3, 4}, -6, 7), places({0, 3}, {}), distinct({0, 3}));
  return cases.error<DTypeError>(
      [] { scatter_reduce(sized({2}, boolean), 0, at({0}), sized({1}, boolean), ScatterMode::sum); },
      "scatter_reduce: bool is not supported, got bool [2]; convert it with to()");
}

[[maybe_unused]] const bool scatter_sum_cases =
    scattering(composed(OpCases("scatter_reduce")).dtypes(numeric_dtypes()), ScatterMode::sum, sum_of, "sum")
        .huge([](auto n) { scatter_reduce(ones({2}), n, at({0}), ones({1}), ScatterMode::sum); })
        .huge([](auto n) { scatter_reduce(ones({2}), 0, at({n}), ones({1}), ScatterMode::amax); })
        .error<IndexError>([] { scatter_reduce(sized({2}), 1, at({0}), sized({1}), ScatterMode::sum); },
                           "scatter_reduce: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<IndexError>([] { scatter_reduce(sized({2}), 0, at({2}), sized({1}), ScatterMode::amax); },
                           "scatter_reduce: index[0] is 2, but dimension 0 has size 2")
        .error<ShapeError>([] { scatter_reduce(sized({2}), 0, at({0}), sized({2}), ScatterMode::sum); },
                           "scatter_reduce: the source [2] and the index [1] must have the same shape and the rank of "
                           "x [2], and must not be larger except in dimension 0")
        .error<DTypeError>([] { scatter_reduce(sized({2}, int64), 0, at({0}), sized({1}, int64), ScatterMode::mean); },
                           "scatter_reduce: the mean needs a floating tensor, got int64 [2]; convert it with to()")
        .check();
[[maybe_unused]] const bool scatter_mean_cases =
    scattering(composed(OpCases("scatter_reduce mean")), ScatterMode::mean, mean_of, "mean").check();
[[maybe_unused]] const bool scatter_amax_cases =
    scattering(composed(OpCases("scatter_reduce amax")).dtypes(numeric_dtypes()), ScatterMode::amax, largest, "amax")
        .check();
[[maybe_unused]] const bool scatter_amin_cases =
    scattering(composed(OpCases("scatter_reduce amin")).dtypes(numeric_dtypes()), ScatterMode::amin, smallest, "amin")
        .check();
[[maybe_unused]] const bool scatter_prod_cases =
    scattering(composed(OpCases("scatter_reduce prod")).dtypes(numeric_dtypes()), ScatterMode::prod, product_of, "prod")
        .inputs(given({2, 2}, {0, 2, 3, 0}), places({2, 5}, {1, 1, 1, 0, 1, 0, 0, 1, 0, 0}),
                given({2, 5}, {2, 0, 3, 0, 1, 0, 0, 2, 3, -1}))
        .check();

/// An operator made of scatter_reduce, which has the other tables.
OpCases reducing(const char* name) {
  OpCases cases(name);
  return cases.without("large", "is made of scatter_reduce")
      .without("hidden", "is made of scatter_reduce")
      .without("random", "is made of scatter_reduce");
}

[[maybe_unused]] const bool index_reduce_cases =
    reducing("index_reduce")
        .also_calls("scatter_reduce")
        .on([](In in) { return index_reduce(in[0], 0, in[1], in[2], ScatterMode::mean); },
            [](const std::vector<Doubles>& in) {
              Doubles y = in[0];
              const std::size_t width = y.shape.rank() > 1 ? static_cast<std::size_t>(y.shape[1]) : 1;
              std::vector<double> counts(static_cast<std::size_t>(y.shape[0]), 1);
              for (std::size_t k = 0; k < in[1].values.size(); ++k) {
                const auto row = static_cast<std::size_t>(in[1].values[k]);
                ++counts[row];
                for (std::size_t j = 0; j < width; ++j) y.values[row * width + j] += in[2].values[k * width + j];
              }
              for (std::size_t i = 0; i < y.values.size(); ++i) y.values[i] /= counts[i / width];
              return y;
            },
            "mean")
        .pytorch("lambda x, i, s: torch.index_reduce(x, 0, i, s, 'mean')")
        .inputs(normal({3, 4}), given({2}, {2, 0}).as(int64), normal({2, 4}))
        .inputs(normal({3}), given({4}, {2, 0, 2, 2}).as(int64), normal({4}))
        .inputs(normal({3, 0}), given({1}, {1}).as(int64), normal({1, 0}))
        .on([](In in) { return index_reduce(in[0], -1, in[1], in[2], ScatterMode::mean, false); },
            [](const std::vector<Doubles>& in) {
              Doubles y = in[0];
              for (std::size_t i = 0; i < 2; ++i)
                for (std::size_t target = 0; target < 3; ++target) {
                  double total = 0, count = 0;
                  for (std::size_t k = 0; k < 2; ++k)
                    if (in[1].values[k] == static_cast<double>(target)) total += in[2].values[i * 2 + k], ++count;
                  if (count > 0) y.values[i * 3 + target] = total / count;
                }
              return y;
            },
            "mean of the source")
        .pytorch("lambda x, i, s: torch.index_reduce(x, -1, i, s, 'mean', include_self=False)")
        .inputs(normal({2, 3}), given({2}, {2, 0}).as(int64), normal({2, 2}))
        .huge([](auto n) { index_reduce(ones({2}), n, zeros({1}, {.dtype = int64}), ones({1}), ScatterMode::sum); })
        .error<IndexError>([] { index_reduce(sized({2}), 1, sized({2}, int64), sized({2}), ScatterMode::sum); },
                           "index_reduce: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<ShapeError>(
            [] { index_reduce(sized({2, 3}), 0, sized({2}, int64), sized({3, 3}), ScatterMode::sum); },
            "index_reduce: needs an index int64 [K] and a source with K slices along dimension 0 of float32 [2, 3], "
            "got int64 [2] and float32 [3, 3]")
        .error<DTypeError>(
            [] {
              index_reduce(ones({2}, {.dtype = boolean}), 0, zeros({1}, {.dtype = int64}),
                           ones({1}, {.dtype = boolean}), ScatterMode::sum);
            },
            "scatter_reduce: bool is not supported, got bool [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool index_reduce_prod_cases =
    reducing("index_reduce prod")
        .also_calls("scatter_reduce")
        .dtypes(numeric_dtypes())
        .on([](In in) { return index_reduce(in[0], 0, in[1], in[2], ScatterMode::prod); },
            [](const std::vector<Doubles>& in) {
              Doubles y = in[0];
              const auto width = static_cast<std::size_t>(y.shape[1]);
              for (std::size_t k = 0; k < in[2].values.size(); ++k)
                y.values[static_cast<std::size_t>(in[1].values[k / width]) * width + k % width] *= in[2].values[k];
              return y;
            })
        .pytorch("lambda x, i, s: torch.index_reduce(x, 0, i, s, 'prod')")
        .inputs(whole({3, 4}, -3, 4), given({4}, {2, 0, 2, 2}).as(int64), whole({4, 4}, -2, 3))
        .inputs(whole({3, 0}, -3, 4), given({1}, {1}).as(int64), whole({1, 0}, -2, 3))
        .error<DTypeError>(
            [] {
              index_reduce(ones({2}, {.dtype = boolean}), 0, zeros({1}, {.dtype = int64}),
                           ones({1}, {.dtype = boolean}), ScatterMode::prod);
            },
            "scatter_reduce: bool is not supported, got bool [2]; convert it with to()")
        .check();

}  // namespace

TEST(ScatterReduce, InfiniteExtremesShareTheGradient) {
  for (const bool include_self : {true, false}) {
    const Tensor x = tensor({-INFINITY, -INFINITY, 1.0F}).requires_grad(true);
    const Tensor source = tensor({2.0F, INFINITY, INFINITY}).requires_grad(true);
    const Tensor y = scatter_reduce(x, 0, at({0, 2, 2}), source, ScatterMode::amax, include_self);
    EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{2, -INFINITY, INFINITY}));
    y.backward(tensor({1.0F, 10.0F, 100.0F}));
    EXPECT_EQ(x.grad().to_vector<float>(), (std::vector<float>{0, 10, 0}));
    EXPECT_EQ(source.grad().to_vector<float>(), (std::vector<float>{1, 50, 50}));
  }
}

}  // namespace minima::scatter_reduce_test
