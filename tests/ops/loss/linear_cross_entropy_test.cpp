#include "tests/ops/checks/op_cases.h"
#include "tests/support/device.h"

#include <minima/autograd/backward.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/loss/cross_entropy.h>
#include <minima/ops/loss/linear_cross_entropy.h>
#include <minima/ops/loss/token_loss.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/product/linear.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/storage/allocator.h>

#include <gtest/gtest.h>

#include <cmath>

namespace minima::linear_cross_entropy_test {
namespace {

using namespace test;

/// The mean, or the sum, over rows of log Σ exp(x·wᵀ + b) - the target's. in: x, weight, bias, target.
auto reference(bool mean, double smoothing = 0) {
  return [=](const std::vector<Doubles>& in) {
    const Doubles &x = in[0], &w = in[1], &b = in[2], &t = in[3];
    const auto classes = static_cast<std::size_t>(w.shape[0]), width = static_cast<std::size_t>(w.shape[1]);
    double loss = 0, counted = 0;
    for (std::size_t row = 0; row < t.values.size(); ++row) {
      if (t.values[row] < 0) continue;
      std::vector<double> logits(b.values);
      const double *of_row = &x.values[row * width], *of_class = w.values.data();
      double largest = -INFINITY, sum = 0;
      for (std::size_t c = 0; c < classes; ++c, of_class += width) {
        double product = 0;
        for (std::size_t d = 0; d < width; ++d) product += of_row[d] * of_class[d];
        logits[c] += product;
        largest = std::max(largest, logits[c]);
      }
      for (const double logit : logits) sum += std::exp(logit - largest);
      const double log_sum = largest + std::log(sum);
      loss += (1 - smoothing) * (log_sum - logits[static_cast<std::size_t>(t.values[row])]);
      for (const double logit : logits) loss += smoothing / static_cast<double>(classes) * (log_sum - logit);
      ++counted;
    }
    Doubles y(Shape{});
    y.values[0] = mean ? loss / counted : loss;
    return y;
  };
}

[[maybe_unused]] const bool cases =
    OpCases("linear_cross_entropy")
        .autocast("float32")  // its product runs in lower precision, like linear
        .tolerance(8)
        .gradient_cancels()
        .without("hidden", "keeps the rows of strided inputs, which it copies in any case")
        .without("empty", "the mean of nothing is NaN; the sum has its own row")
        .optional_input(2)
        .gradient_in_forward()
        .on([](In in) { return linear_cross_entropy(in[0], in[1], in[2], in[3]); }, reference(true), "mean")
        .inputs(normal({4, 3}), normal({5, 3}), normal({5}), given({4}, {1, 0, 4, -100}).as(int64))
        .inputs(normal({3, 2}), normal({150, 2}), normal({150}), given({3}, {1, 149, 77}).as(int64))
        .inputs(normal({2, 2, 3}), normal({2, 3}), normal({2}), given({2, 2}, {1, 0, 0, 1}).as(int64))
        .inputs(normal({150, 8}), normal({70000, 8}), normal({70000}), whole({150}, 0, 70000).as(int64))
        .on(
            [](In in) {
              return linear_cross_entropy(in[0], in[1], in[2], in[3],
                                          {.reduction = Reduction::sum, .label_smoothing = 0.1});
            },
            reference(false, 0.1), "sum, smoothed")
        .inputs(normal({3, 2}), normal({4, 2}), normal({4}), given({3}, {3, 0, 2}).as(int64))
        .inputs(normal({3, 2}), normal({150, 2}), normal({150}), given({3}, {1, 149, 77}).as(int64))
        .huge([](auto v) {
          linear_cross_entropy(ones({2, 3}), ones({4, 3}), {}, tensor<std::int64_t>({0, 1}), {.ignore_index = v});
        })
        .huge([](auto v) { linear_cross_entropy(ones({1, 3}), ones({4, 3}), {}, tensor<std::int64_t>({v})); })
        .error<ShapeError>(
            [] { linear_cross_entropy(zeros({2, 3}), zeros({5, 4}), {}, zeros({2}, {.dtype = int64})); },
            "linear_cross_entropy: x [..., D] and weight [C, D] do not match: x float32 [2, 3], weight float32 [5, 4]")
        .error<ShapeError>([] { linear_cross_entropy(zeros({2, 3}), zeros({5, 3}), {}, zeros({3}, {.dtype = int64})); },
                           "linear_cross_entropy: x float32 [2, 3] needs targets [2], got int64 [3]")
        .error<DTypeError>([] { linear_cross_entropy(zeros({2, 3}), zeros({5, 3}), {}, zeros({2})); },
                           "linear_cross_entropy: targets must be int64, got float32 [2]; convert them with to()")
        .error<ShapeError>(
            [] { linear_cross_entropy(zeros({2, 3}), zeros({5, 3}), zeros({4}), zeros({2}, {.dtype = int64})); },
            "linear_cross_entropy: bias must be [5], got float32 [4]")
        .error<IndexError>(
            [] { linear_cross_entropy(empty({2, 3}), empty({5, 3}), {}, from_vector<std::int64_t>({0, 5}, {2})); },
            "linear_cross_entropy: index[1] is 5, but dimension 0 has size 5")
        .error<DTypeError>(
            [] {
              linear_cross_entropy(zeros({2, 3}, {.dtype = DType::int64}), zeros({5, 3}, {.dtype = DType::int64}), {},
                                   from_vector<std::int64_t>({0, 4}, {2}));
            },
            "linear_cross_entropy: x and weight must have the same floating dtype, got int64 [2, 3] and int64 "
            "[5, 3]; convert them with to()")
        .error<DTypeError>(
            [] {
              linear_cross_entropy(empty({2, 3}), empty({5, 3}, {.dtype = DType::float64}), {},
                                   from_vector<std::int64_t>({0, 4}, {2}));
            },
            "linear_cross_entropy: x and weight must have the same floating dtype, got float32 [2, 3] and "
            "float64 [5, 3]; convert them with to()")
        .check();

void expect_the_two_steps(std::int64_t rows, std::int64_t width, std::int64_t classes, Device device) {
  RandomGenerator numbers(2);
  const auto input = [&](const Shape& shape) {
    return randn(shape, {.dtype = float64}, &numbers).to(device).requires_grad(true);
  };
  const Tensor x = input({rows, width}), w = input({classes, width}), b = input({classes});
  const Tensor target = randint(0, classes, {rows}, {.dtype = int64}, &numbers).to(device);
  for (const Reduction reduction : {Reduction::mean, Reduction::sum, Reduction::none}) {
    const CrossEntropyOptions options{.reduction = reduction};
    const Tensor fused = linear_cross_entropy(x, w, b, target, options),
                 plain = cross_entropy(linear(x, w, b), target, options);
    EXPECT_TRUE(allclose(fused.detach(), plain.detach()));
    const Tensor g = randn(fused.shape(), {.dtype = float64}, &numbers).to(device);
    const auto ours = grad({fused}, {x, w, b}, {g}), theirs = grad({plain}, {x, w, b}, {g});
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_TRUE(allclose(ours[i], theirs[i], {.rtol = 1e-9, .atol = 1e-12})) << allclose(ours[i], theirs[i]).message;
  }
}

TEST(LinearCrossEntropy, EqualsTheTwoStepsOverManyChunks) { expect_the_two_steps(230, 6, 80000, {}); }

TEST(LinearCrossEntropy, EqualsTheTwoStepsOverManyChunksOfRows) {
  SKIP_WITHOUT_TEST_DEVICE();
  expect_the_two_steps(8300, 2, 5, test_device());  // chunks have at most 8,192 rows on CUDA
}

TEST(LinearCrossEntropy, NeverStoresAllLogits) {
  const std::int64_t rows = 4096, classes = 32768;
  const Tensor x = randn({rows, 4}).requires_grad(true), w = randn({classes, 4}).requires_grad(true);
  const Tensor target = randint(0, classes, {rows});
  reset_peak();
  const std::int64_t before = memory_stats().allocated;
  linear_cross_entropy(x, w, {}, target).backward();
  EXPECT_LT(memory_stats().peak_allocated - before, rows * classes * 4 / 8);
}

TEST(LinearCrossEntropy, HalfTypesKeepSmallGradients) {
  // A mean over many rows has slopes below what float16 holds; scaled by the upstream gradient they are ordinary again.
  const std::int64_t rows = 4096;
  const Tensor x = full({rows, 1}, 1, {.dtype = float16}).requires_grad(true);
  const Tensor w = from_vector<float>({0.5f, -0.5f}, {2, 1}).to(float16);
  const Tensor loss = linear_cross_entropy(x, w, {}, zeros({rows}, {.dtype = int64}));
  loss.backward(full(Shape{}, 4096, {.dtype = float16}));
  EXPECT_NEAR(x.grad().to_vector<float>()[0], -1 / (1 + std::exp(1.0)), 1e-3);
}

[[maybe_unused]] const bool token_loss_calls =
    FunctionCases("token_loss")
        .undefined([](const Tensor& none) { token_loss(none, zeros({2}, {.dtype = int64})); })
        .undefined([](const Tensor& none) { token_loss(ones({2, 3}), none); })
        .check();
[[maybe_unused]] const bool linear_token_loss_calls =
    FunctionCases("linear_token_loss")
        .undefined([](const Tensor& none) { linear_token_loss(none, ones({3, 4}), {}, zeros({2}, {.dtype = int64})); })
        .undefined([](const Tensor& none) { linear_token_loss(ones({2, 4}), none, {}, zeros({2}, {.dtype = int64})); })
        .undefined([](const Tensor& none) { linear_token_loss(ones({2, 4}), ones({3, 4}), {}, none); })
        .check();

}  // namespace
}  // namespace minima::linear_cross_entropy_test
