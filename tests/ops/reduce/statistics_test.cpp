#include <minima/ops/reduce/statistics.h>

#include "tests/ops/checks/composed.h"
#include "tests/ops/checks/op_cases.h"
#include "tests/ops/reduce/recorded_dims.h"

#include <minima/autograd/backward.h>
#include <minima/ops/creation/creation.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <vector>

namespace minima::statistics_test {
namespace {

using namespace test;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// f(elements) for every line along the dimensions; keep_dim decides the shape.
template <class F>
auto over(std::vector<int> dims, bool keep_dim, F f) {
  return [=](const std::vector<Doubles>& in) {
    const Doubles& x = in[0];
    const auto is_reduced = [&](int d) { return dims.empty() || std::find(dims.begin(), dims.end(), d) != dims.end(); };
    Shape kept, shape;
    for (int d = 0; d < x.shape.rank(); ++d) {
      kept.push_back(is_reduced(d) ? 1 : x.shape[d]);
      if (!is_reduced(d) || keep_dim) shape.push_back(kept[d]);
    }
    Doubles result(kept);
    std::map<std::vector<std::int64_t>, std::vector<double>> lines;
    each_index(kept, [&](const Shape& at) { lines[{at.begin(), at.end()}]; });
    each_index(x.shape, [&](const Shape& at) {
      Shape to = at;
      for (int d = 0; d < at.rank(); ++d) to[d] = is_reduced(d) ? 0 : at[d];
      lines[{to.begin(), to.end()}].push_back(x[at]);
    });
    each_index(kept, [&](const Shape& at) { result[at] = f(lines[{at.begin(), at.end()}]); });
    result.shape = shape;
    return result;
  };
}

double mean_of(const std::vector<double>& x) {
  double sum = 0;
  for (const double v : x) sum += v;
  return sum / static_cast<double>(x.size());
}
double variance(const std::vector<double>& x, double correction) {
  const double mean = mean_of(x);
  double sum = 0;
  for (const double v : x) sum += (v - mean) * (v - mean);
  return sum / std::fmax(static_cast<double>(x.size()) - correction, 0);
}
double unbiased(const std::vector<double>& x) { return variance(x, 1); }
double biased(const std::vector<double>& x) { return variance(x, 0); }
double deviation(const std::vector<double>& x) { return std::sqrt(unbiased(x)); }

[[maybe_unused]] const bool var_cases =
    OpCases("var")
        .without("hidden", "it is made of other operators")
        .on([](In in) { return var(in[0]); }, over({}, false, unbiased), "all")
        .inputs(normal({4, 5}))
        .inputs(normal({2, 3, 2, 2}))
        .inputs(normal({300, 200}))
        .on([](In in) { return var(in[0], {1}, 0, true); }, over({1}, true, biased), "dim 1, biased")
        .inputs(normal({4, 5, 3}))
        .inputs(normal({0, 5}))
        .on([](In in) { return var(in[0], {0, -1}); }, over({0, 2}, false, unbiased), "dims 0 and 2")
        .inputs(normal({3, 2, 4}))
        .huge([](auto v) { var(ones({2, 3, 4}), {v}); })
        .with(recorded_dims("var", "torch.var(x, d)", [](const Tensor& x, const Shape& dims) { return var(x, dims); }))
        .error<DTypeError>([] { var(zeros({3}, {.dtype = DType::int64})); },
                           "var: needs a floating tensor, got int64 [3]; convert it with to()")
        .error<IndexError>([] { var(empty({2}), {1}); },
                           "var: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<DTypeError>([] { var(zeros({2}, {.dtype = DType::int64})); },
                           "var: needs a floating tensor, got int64 [2]; convert it with to()")
        .error<ValueError>([] { var(empty({2, 2}), {0, -2}); }, "var: a dimension appears twice in [0, -2]")
        .check();

[[maybe_unused]] const bool std_cases =
    OpCases("std")
        .without("hidden", "it is made of other operators")
        .on([](In in) { return minima::std(in[0], {1}); }, over({1}, false, deviation))
        .inputs(normal({4, 5}))
        .inputs(normal({0, 5}))
        .inputs(normal({300, 200}))
        .inputs(uniform({3, 30}, -3000, 3000))  // variances that float16 does not hold
        .inputs(uniform({3, 30}, -1e-4, 1e-4))
        .huge([](auto v) { minima::std(ones({2, 3, 4}), {v}); })
        .with(recorded_dims("std", "torch.std(x, d)",
                            [](const Tensor& x, const Shape& dims) { return minima::std(x, dims); }))
        .error<IndexError>([] { minima::std(empty({2}), {1}); },
                           "std: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<DTypeError>([] { minima::std(zeros({2}, {.dtype = DType::int64})); },
                           "std: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool var_mean_cases =
    OpCases("var_mean")
        .without("hidden", "it is made of other operators")
        .on(
            [](In in) {
              const auto [v, m] = var_mean(in[0], {0}, 0);
              return std::vector{v, m};
            },
            [](const std::vector<Doubles>& in) {
              return std::vector{over({0}, false, biased)(in), over({0}, false, mean_of)(in)};
            })
        .inputs(normal({4, 5}))
        .inputs(normal({5, 0}))
        .inputs(normal({300, 200}))
        .huge([](auto v) { var_mean(ones({2, 3, 4}), {v}); })
        .error<IndexError>([] { var_mean(empty({2}), {1}); },
                           "var_mean: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<DTypeError>([] { var_mean(zeros({2}, {.dtype = DType::int64})); },
                           "var_mean: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

auto norm_of(double p) {
  return [p](const std::vector<double>& x) {
    double sum = 0, largest = 0, smallest = infinity;
    for (const double v : x) {
      sum += p == 0 ? v != 0 : std::pow(std::fabs(v), p);
      largest = std::fmax(largest, std::fabs(v));
      smallest = std::fmin(smallest, std::fabs(v));
    }
    if (p == infinity) return largest;
    if (p == -infinity) return smallest;
    return p == 0 ? sum : std::pow(sum, 1 / p);
  };
}
[[maybe_unused]] const bool norm_cases = [] {
  OpCases cases("norm");
  cases.autocast("float32");
  cases.without("hidden", "it is made of other operators");
  for (const double p : {2.0, 1.0, 3.0, infinity, -infinity}) {
    cases.on([=](In in) { return norm(in[0], p, {1}); }, over({1}, false, norm_of(p)), "p " + std::to_string(p))
        .inputs(normal({4, 5}));
    if (std::isfinite(p)) cases.inputs(normal({3, 0})).inputs(normal({300, 200}));
  }
  cases.on([](In in) { return norm(in[0]); }, over({}, false, norm_of(2)), "all").inputs(normal({2, 3, 4}));
  return cases.tolerance(4)
      .huge([](auto v) { norm(ones({2, 3, 4}), 2, {v}); })
      .with(recorded_dims("norm", "torch.linalg.vector_norm(x, 2, d)",
                          [](const Tensor& x, const Shape& dims) { return norm(x, 2, dims); }))
      .with(recorded_dims("norm1", "torch.linalg.vector_norm(x, 1, d)",
                          [](const Tensor& x, const Shape& dims) { return norm(x, 1, dims); }))
      .with(recorded_dims("norm3", "torch.linalg.vector_norm(x, 3, d)",
                          [](const Tensor& x, const Shape& dims) { return norm(x, 3, dims); }))
      .with(recorded_dims("norminf", "torch.linalg.vector_norm(x, inf, d)",
                          [](const Tensor& x, const Shape& dims) { return norm(x, infinity, dims); }))
      .error<IndexError>([] { norm(empty({2}), 2, {1}); },
                         "norm: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
      .error<DTypeError>([] { norm(zeros({2}, {.dtype = DType::int64}), 2); },
                         "norm: needs a floating tensor, got int64 [2]; convert it with to()")
      .error<ShapeError>([] { norm(empty({0}), std::numeric_limits<double>::infinity()); },
                         "norm: no elements have no norm for p = inf; x float32 [0] over dimensions [0]")
      .check();
}();

double logsumexp_of(const std::vector<double>& x) {
  double largest = -infinity, sum = 0;
  for (const double v : x) largest = std::fmax(largest, v);
  for (const double v : x) sum += std::exp(v - largest);
  return x.empty() ? -infinity : largest + std::log(sum);
}
[[maybe_unused]] const bool logsumexp_cases =
    OpCases("logsumexp")
        .autocast("float32")
        .without("hidden", "it is made of other operators")
        .on([](In in) { return logsumexp(in[0], {1}); }, over({1}, false, logsumexp_of))
        .inputs(normal({4, 5}))
        .inputs(normal({4, 0}).constant())
        .inputs(normal({300, 200}))
        .on([](In in) { return logsumexp(in[0], {}, true); }, over({}, true, logsumexp_of), "all, kept")
        .inputs(normal({3, 2, 2}))
        .huge([](auto v) { logsumexp(ones({2, 3, 4}), {v}); })
        .with(recorded_dims("logsumexp", "torch.logsumexp(x, d)",
                            [](const Tensor& x, const Shape& dims) { return logsumexp(x, dims); }))
        .error<IndexError>([] { logsumexp(empty({2}), {1}); },
                           "logsumexp: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<DTypeError>([] { logsumexp(zeros({2}, {.dtype = DType::int64}), {0}); },
                           "logsumexp: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

OpCases truth(OpCases cases, DTypeRule rule) {
  cases.dtypes(all_dtypes()).result_dtype(rule).no_gradient();
  return cases;
}
double all_of(const std::vector<double>& x) {
  return std::all_of(x.begin(), x.end(), [](double v) { return v != 0; });
}
double any_of(const std::vector<double>& x) {
  return std::any_of(x.begin(), x.end(), [](double v) { return v != 0; });
}
double nonzeros(const std::vector<double>& x) {
  return static_cast<double>(std::count_if(x.begin(), x.end(), [](double v) { return v != 0; }));
}
template <class F, class G>
OpCases& rows(OpCases& cases, F f, G g) {
  return cases.on([=](In in) { return f(in[0], Shape{1}); }, over({1}, false, g), "dim 1")
      .inputs(whole({6, 3}, 0, 2))
      .inputs(whole({4, 0}, 0, 2))
      .inputs(whole({300, 200}, 0, 2))
      .on([=](In in) { return f(in[0], Shape{}); }, over({}, false, g), "all")
      .inputs(whole({2, 2}, 0, 2))
      .inputs(whole({0}, 0, 2));
}
[[maybe_unused]] const bool all_cases = [] {
  OpCases cases = truth(OpCases("all"), always<DType::boolean>);
  return rows(
             cases, [](const Tensor& x, const Shape& dims) { return all(x, dims); }, all_of)
      .huge([](auto v) { all(ones({2, 3, 4}), {v}); })
      .error<IndexError>([] { all(empty({2}), {1}); },
                         "all: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
      .check();
}();
[[maybe_unused]] const bool any_cases = [] {
  OpCases cases = truth(OpCases("any"), always<DType::boolean>);
  return rows(
             cases, [](const Tensor& x, const Shape& dims) { return any(x, dims); }, any_of)
      .huge([](auto v) { any(ones({2, 3, 4}), {v}); })
      .error<IndexError>([] { any(empty({2}), {1}); },
                         "any: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
      .check();
}();
[[maybe_unused]] const bool count_nonzero_cases = [] {
  OpCases cases = truth(OpCases("count_nonzero"), always<DType::int64>);
  return rows(
             cases, [](const Tensor& x, const Shape& dims) { return count_nonzero(x, dims); }, nonzeros)
      .huge([](auto v) { count_nonzero(ones({2, 3, 4}), {v}); })
      .error<IndexError>([] { count_nonzero(empty({2}), {1}); },
                         "count_nonzero: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
      .check();
}();

TEST(Statistics, TheNormOfZerosHasDerivativeZero) {
  for (const double p : {1.0, 2.0, 3.0}) {
    Tensor x = zeros({3}).requires_grad(true);
    norm(x, p).backward();
    for (const float slope : x.grad().to_vector<float>()) EXPECT_EQ(slope, 0) << "p " << p;
  }
}

TEST(Statistics, LogsumexpKeepsInfinities) {
  EXPECT_EQ(logsumexp(full({3}, -infinity)).item<double>(), -infinity);
  EXPECT_EQ(logsumexp(from_vector<double>({1, infinity}, {2})).item<double>(), infinity);
  EXPECT_NEAR(logsumexp(full({2}, 1e4, {.dtype = float64})).item<double>(), 1e4 + std::log(2), 1e-9);
}

// The squares are out of float32's range, the results and their gradients are not.
TEST(Statistics, DeviationsAndNormsNearTheEndsOfTheRangeAreExact) {
  for (const double unit : {1e-25, 1e20}) {
    Tensor x = from_vector<double>({unit, 2 * unit, 3 * unit, 4 * unit}, {4}).to(float32).requires_grad(true);
    const Tensor deviation = minima::std(x);
    deviation.backward();
    EXPECT_NEAR(deviation.item<double>() / unit, std::sqrt(5.0 / 3), 1e-6);
    const std::vector<float> slopes = x.grad().to_vector<float>();
    for (int i = 0; i < 4; ++i)
      EXPECT_NEAR(slopes[static_cast<std::size_t>(i)], (i - 1.5) / std::sqrt(15), 1e-6) << unit << " at " << i;
    EXPECT_NEAR(norm(x.detach()).item<double>() / unit, std::sqrt(30.0), 1e-5);
  }
  // The sum of the squares is out of range, their mean is not.
  std::vector<float> many(1000, 1e19f);
  std::fill_n(many.begin(), 500, -1e19f);
  EXPECT_NEAR(var(from_vector(many, {1000}), {}, 0).item<double>() / 1e38, 1, 1e-6);
}

TEST(Statistics, TheVarianceOfOneNumberIsNan) { EXPECT_TRUE(std::isnan(var(ones({1})).item<double>())); }

[[maybe_unused]] const bool std_mean_cases =
    composed(OpCases("std_mean"))
        .gradient_cancels()
        .on(
            [](In in) {
              const auto [deviation, average] = std_mean(in[0], {-1});
              return std::vector{deviation, average};
            },
            over_lines(-1, false,
                       [](const std::vector<Line>& x, std::vector<Line>& y) {
                         y = {{std::sqrt(variance(x[0], 1))}, {mean_of(x[0])}};
                       }))
        .pytorch("lambda x: torch.std_mean(x, -1)")
        .inputs(normal({3, 4}))
        .inputs(normal({0, 4}))
        .huge([](auto n) { std_mean(ones({2}), n); })
        .error<IndexError>([] { std_mean(sized({2}), 1); },
                           "std_mean: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<DTypeError>([] { std_mean(sized({2}, int64)); },
                           "std_mean: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

[[maybe_unused]] const bool renorm_cases =
    OpCases("renorm")
        .autocast("float32")
        .tolerance(4)
        .without("large", "is made of norm")
        .without("hidden", "is made of norm")
        .without("random", "norms overflow")
        .on([](In in) { return renorm(in[0], 2, 0, 1.5); },
            [](const std::vector<Doubles>& in) {
              Doubles y = in[0];
              const std::int64_t rows = y.shape[0];
              const std::size_t width = rows == 0 ? 0 : y.values.size() / static_cast<std::size_t>(rows);
              for (std::size_t row = 0; row * width < y.values.size(); ++row) {
                double size = 0;
                for (std::size_t i = 0; i < width; ++i) size += y.values[row * width + i] * y.values[row * width + i];
                size = std::sqrt(size);
                if (size > 1.5)
                  for (std::size_t i = 0; i < width; ++i) y.values[row * width + i] *= 1.5 / (size + 1e-7);
              }
              return y;
            })
        .pytorch("lambda x: torch.renorm(x, 2, 0, 1.5)")
        .inputs(normal({4, 3}))
        .inputs(normal({2, 2, 3}))
        .inputs(normal({0, 3}))
        .huge([](auto n) { renorm(ones({2, 2}), 2, n, 1); })
        .error<IndexError>([] { renorm(sized({2, 2}), 2, 2, 1); },
                           "renorm: dimension 2 is out of range for a tensor of rank 2; use -2 to 1")
        .error<ShapeError>([] { renorm(sized({2}), 2, 0, 1); }, "renorm: needs two dimensions or more, got float32 [2]")
        .error<ValueError>([] { renorm(sized({2, 2}), 0, 0, 1); }, "renorm: p must be positive, got 0")
        .error<ValueError>([] { renorm(sized({2, 2}), 2, 0, -1); },
                           "renorm: the largest norm must not be negative, got -1")
        .error<DTypeError>([] { renorm(sized({2, 2}, int64), 2, 0, 1); },
                           "renorm: needs a floating tensor, got int64 [2, 2]; convert it with to()")
        .check();

}  // namespace
}  // namespace minima::statistics_test
