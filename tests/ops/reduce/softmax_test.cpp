#include <minima/ops/reduce/softmax.h>

#include "tests/ops/checks/op_cases.h"
#include "tests/support/expect_error.h"
#include "tests/support/sample.h"

#include <minima/autograd/backward.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/random/generator.h>

namespace minima::softmax_test {
namespace {

using namespace test;

/// Softmax (or its logarithm) by the definition.
std::vector<double> reference(const Shape& shape, std::vector<double> v, int dim, bool logarithm) {
  if (v.empty()) return v;
  std::int64_t inner = 1;
  for (int d = dim + 1; d < shape.rank(); ++d) inner *= shape[d];
  const std::int64_t length = shape.empty() ? 1 : shape[dim], outer = numel(shape) / (length * inner);
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::int64_t c = 0; c < inner; ++c) {
      const auto at = [&](std::int64_t i) -> double& {
        return v[static_cast<std::size_t>((o * length + i) * inner + c)];
      };
      double largest = -INFINITY, sum = 0;
      for (std::int64_t i = 0; i < length; ++i) largest = std::max(largest, at(i));
      for (std::int64_t i = 0; i < length; ++i) sum += std::exp(at(i) - largest);
      for (std::int64_t i = 0; i < length; ++i)
        at(i) = logarithm ? at(i) - largest - std::log(sum) : std::exp(at(i) - largest) / sum;
    }
  return v;
}

auto along(int dim, bool logarithm) {
  return [=](const std::vector<Doubles>& in) {
    return Doubles(in[0].shape, reference(in[0].shape, in[0].values, dim, logarithm));
  };
}

[[maybe_unused]] const bool softmax_cases =
    OpCases("softmax")
        .autocast("float32")
        .result_layout(ResultLayout::like_input)
        .gradient_cancels()
        .on([](In in) { return softmax(in[0], 0); }, along(0, false), "dim 0")
        .inputs(normal({}))
        .inputs(normal({9}))
        .inputs(normal({3, 4}))
        .inputs(normal({2, 157}))  // several warps for each row; and in packs
        .inputs(normal({2, 160}))
        .inputs(normal({2, 3, 2, 2}))
        .inputs(normal({300, 500}))
        .inputs(specials())
        .on([](In in) { return softmax(in[0], 1); }, along(1, false), "dim 1")
        .inputs(normal({2, 3, 4}))
        .inputs(normal({2, 600, 3}))
        .inputs(normal({2, 3, 1100}))
        .on([](In in) { return softmax(in[0], -1); }, along(1, false), "dim -1")
        .inputs(normal({3, 4}))
        .inputs(normal({0, 4}))
        .inputs(normal({300, 500}))
        .inputs(normal({5000, 10}))
        .huge([](auto v) { softmax(ones({2, 3, 4}), v); })
        .recorded("softmax", "lambda x: F.softmax(x, 1)", [](In in) { return softmax(in[0], 1); })
        .error<DTypeError>([] { softmax(empty({2}, {.dtype = DType::int64}), 0); },
                           "softmax: needs a floating tensor, got int64 [2]; convert it with to()")
        .error<IndexError>([] { softmax(empty({2}), 1); },
                           "softmax: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<IndexError>([] { softmax(empty(Shape{}), 1); },
                           "softmax: dimension 1 is out of range for a tensor of rank 0; use -1 to 0")
        .check();

[[maybe_unused]] const bool log_softmax_cases =
    OpCases("log_softmax")
        .autocast("float32")
        .result_layout(ResultLayout::like_input)
        .gradient_cancels()
        .tolerance(2)
        .on([](In in) { return log_softmax(in[0], 0); }, along(0, true), "dim 0")
        .inputs(normal({}))
        .inputs(normal({9}))
        .inputs(normal({2, 157}))
        .inputs(normal({2, 160}))
        .inputs(normal({2, 3, 2, 2}))
        .inputs(normal({300, 500}))
        .inputs(specials())
        .on([](In in) { return log_softmax(in[0], 1); }, along(1, true), "dim 1")
        .inputs(normal({2, 3, 4}))
        .inputs(normal({2, 600, 3}))
        .inputs(normal({2, 3, 1100}))
        .on([](In in) { return log_softmax(in[0], -1); }, along(1, true), "dim -1")
        .inputs(normal({3, 4}))
        .inputs(normal({0, 4}))
        .inputs(normal({300, 500}))
        .inputs(normal({5000, 10}))
        .huge([](auto v) { log_softmax(ones({2, 3, 4}), v); })
        .recorded("log_softmax", "lambda x: F.log_softmax(x, 1 if x.dim() == 2 else 0)",
                  [](In in) { return log_softmax(in[0], in[0].rank() == 2 ? 1 : 0); })
        .error<IndexError>([] { log_softmax(empty({2}), 1); },
                           "log_softmax: dimension 1 is out of range for a tensor of rank 1; use -1 to 0")
        .error<DTypeError>([] { log_softmax(zeros({2}, {.dtype = DType::int64}), 0); },
                           "log_softmax: needs a floating tensor, got int64 [2]; convert it with to()")
        .check();

TEST(Softmax, DoesNotOverflow) {
  const Tensor x = tensor<float>({1000, 999, -1000});
  expect_near(softmax(x, 0), {0.73105858, 0.26894142, 0}, 1e-6);
  expect_near(log_softmax(x, 0), {-0.31326169, -1.3132617, -2000.3133}, 1e-6);
}

/// A GPU cuts such rows into parts, in packs or not, also where they are columns.
TEST(Softmax, OfFewVeryLongRowsMatchesTheReference) {
  for (const std::int64_t length : {40'000, 34'567})
    for (const bool logarithm : {false, true})
      for (const DType dtype : {float64, float32}) {
        const Shape shape{2, length};
        Doubles x = draw(normal(shape), dtype, 3);
        for (std::int64_t i = 0; i < 9000; ++i) x[{1, i}] = -INFINITY;  // a whole part
        x[{1, 20'000}] = 5;
        const Doubles g = draw(normal(shape), dtype, 4);
        const std::vector<double> y = reference(shape, x.values, 1, logarithm);
        std::vector<double> dx(y.size());
        for (std::int64_t row = 0; row < 2; ++row) {
          double sum = 0;
          const auto begin = static_cast<std::size_t>(row * length), end = begin + static_cast<std::size_t>(length);
          for (std::size_t i = begin; i < end; ++i) sum += g.values[i] * (logarithm ? 1 : y[i]);
          for (std::size_t i = begin; i < end; ++i)
            dx[i] = logarithm ? g.values[i] - std::exp(y[i]) * sum : y[i] * (g.values[i] - sum);
        }
        for (const bool columns : {false, true}) {
          const auto given = [&](const Doubles& values) {
            const Tensor rows = lay_out(values, dtype, Form::row_major);
            return columns ? contiguous(transpose(rows, 0, 1)) : rows;
          };
          const auto found = [&](const Tensor& result) {
            return doubles_of(columns ? contiguous(transpose(result, 0, 1)) : result).values;
          };
          const Tensor input = given(x).requires_grad(true);
          const Tensor result = logarithm ? log_softmax(input, columns ? 0 : 1) : softmax(input, columns ? 0 : 1);
          result.backward(given(g));
          const double tolerance = dtype == float64 ? 1e-12 : 1e-5, floor = logarithm ? 1 : 1e-3;
          const auto compare = [&](const std::vector<double>& values, const std::vector<double>& expected) {
            for (std::size_t i = 0; i < values.size(); ++i)
              ASSERT_TRUE(values[i] == expected[i] ||
                          std::abs(values[i] - expected[i]) <= tolerance * (floor + std::abs(expected[i])))
                  << values[i] << " instead of " << expected[i] << " at " << i << ": " << name(dtype) << " length "
                  << length << (logarithm ? " logarithm" : "") << (columns ? " columns" : "");
          };
          compare(found(result.detach()), y);
          compare(found(input.grad()), dx);
        }
      }
}

TEST(Softmax, TreatsInfinitiesAndNanAsPyTorch) {
  const double inf = INFINITY, nan = NAN;
  for (std::int64_t dim : {0, 1}) {
    Tensor x = from_vector<double>({-inf, 0, -inf, -inf, inf, 1, nan, 1}, {4, 2});
    if (dim == 0) x = contiguous(transpose(x, 0, 1));
    const auto lines = [&](const Tensor& y) { return dim == 0 ? contiguous(transpose(y, 0, 1)) : y; };
    expect_near(lines(softmax(x, dim)), {0, 1, nan, nan, nan, nan, nan, nan}, 0);
    expect_near(lines(log_softmax(x, dim)), {-inf, 0, nan, nan, nan, nan, nan, nan}, 0);
  }
}

TEST(Softmax, TakesScalarsAndEmptyTensors) {
  EXPECT_EQ(softmax(scalar_tensor(3.0), 0).item<float>(), 1);
  EXPECT_EQ(log_softmax(scalar_tensor(3.0), -1).item<float>(), 0);
  EXPECT_EQ(softmax(empty({0, 3}), 1).shape(), (Shape{0, 3}));
  EXPECT_EQ(softmax(empty({3, 0}), 1).shape(), (Shape{3, 0}));
}

TEST(GumbelSoftmax, DrawsClassesWithTheirProbabilities) {
  RandomGenerator generator(3);
  const Tensor logits = log(tensor({0.5, 0.2, 0.3})), many = expand(logits, {20000, 3});
  const Tensor hard = gumbel_softmax(many, {.hard = true}, &generator);
  EXPECT_TRUE(all(sum(hard, 1) == 1).item<bool>());
  EXPECT_TRUE(allclose(mean(hard, 0), exp(logits), {.rtol = 0, .atol = 0.015}));
  const Tensor soft = gumbel_softmax(many, {.tau = 0.5}, &generator);
  EXPECT_TRUE(allclose(sum(soft, 1), ones({20000}), {.rtol = 1e-5, .atol = 1e-5}));
  EXPECT_LT(mean((amax(soft, 1) > 0.99).to(float32)).item<double>(), 0.6);
}

TEST(GumbelSoftmax, OfHardDrawsHasTheGradientOfSoftOnes) {
  const Tensor x = tensor<double>({0.1, 0.5, -0.3}), weights = tensor<double>({1, 2, 3});
  std::vector<Tensor> gradients;
  for (const bool hard : {false, true}) {
    RandomGenerator generator(5);
    const Tensor leaf = clone(x).requires_grad(true);
    sum(gumbel_softmax(leaf, {.tau = 0.7, .hard = hard}, &generator) * weights).backward();
    gradients.push_back(leaf.grad());
  }
  EXPECT_TRUE(allclose(gradients[0], gradients[1], {.rtol = 1e-10, .atol = 1e-12}));
  EXPECT_CONTAINS(message_of<ValueError>([&] { gumbel_softmax(x, {.tau = 0}); }), "tau must be positive");
}

[[maybe_unused]] const bool softmin_calls = FunctionCases("softmin")
                                                .huge([](auto v) { softmin(ones({2, 3, 4}), v); })
                                                .undefined([](const Tensor& none) { softmin(none, 0); })
                                                .check();

[[maybe_unused]] const bool gumbel_softmax_calls =
    FunctionCases("gumbel_softmax").undefined([](const Tensor& none) { gumbel_softmax(none); }).check();

}  // namespace
}  // namespace minima::softmax_test
