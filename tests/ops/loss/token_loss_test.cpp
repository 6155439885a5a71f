#include <minima/ops/loss/token_loss.h>

#include <minima/autograd/backward.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/product/linear.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/storage/allocator.h>
#include <minima/tensor/tensor.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace minima::token_loss_test {
namespace {

TEST(TokenLosses, AreThoseOfStoredLogitsAndWideInHalfTypes) {
  RandomGenerator generator(9);
  const Tensor x = randn({2, 5, 4}, {}, &generator), w = randn({3, 4}, {}, &generator);
  const Tensor targets = from_vector<std::int64_t>({0, 2, -100, 1, 1, -100, 0, 0, 2, -100}, {2, 5});
  const TokenLoss fused = linear_token_loss(x, w, {}, targets),
                  stored = token_loss(matmul(x, transpose(w, 0, 1)), targets);
  EXPECT_EQ(fused.count.item<double>(), 7);
  EXPECT_EQ(stored.count.item<double>(), 7);
  EXPECT_NEAR(fused.sum.item<float>(), stored.sum.item<float>(), 1e-5);
  EXPECT_NEAR(fused.mean().item<float>(), stored.sum.item<float>() / 7, 1e-6);
  // 200,000 nats do not fit float16.
  const Tensor many = zeros({100000, 1}, {.dtype = float16}), flat = zeros({8, 1}, {.dtype = float16});
  const TokenLoss half = linear_token_loss(many, flat, {}, zeros({100000}, {.dtype = int64}));
  EXPECT_EQ(half.sum.dtype(), float32);
  EXPECT_NEAR(half.mean().item<float>(), std::log(8), 1e-4);
  EXPECT_THROW(token_loss(x, zeros({2, 4}, {.dtype = int64})), ShapeError);
}

/// Σ over the rows whose target counts of log Z - y_t + z log² Z, for y = c · tanh((W x + b) / c); inputs as in
/// linear_token_loss.
double capped_loss(const Tensor& x, const Tensor& w, const Tensor& b, const Tensor& targets,
                   const TokenLossOptions& options) {
  const std::int64_t rows = x.size(0), width = x.size(1), classes = w.size(0);
  double loss = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t target = targets.data<std::int64_t>()[row];
    if (target == options.ignore_index) continue;
    double sum = 0, own = 0;
    for (std::int64_t c = 0; c < classes; ++c) {
      double y = b.data<double>()[c];
      for (std::int64_t d = 0; d < width; ++d) y += x.data<double>()[row * width + d] * w.data<double>()[c * width + d];
      if (options.soft_cap > 0) y = options.soft_cap * std::tanh(y / options.soft_cap);
      sum += std::exp(y);
      if (c == target) own = y;
    }
    loss += std::log(sum) - own + options.z_loss * std::log(sum) * std::log(sum);
  }
  return loss;
}

TEST(TokenLosses, HaveASquaredLogarithmAndASoftCap) {
  RandomGenerator generator(5);
  for (const auto& [rows, classes] : {std::pair<std::int64_t, std::int64_t>{7, 5}, {520, 8200}})  // one part, and two
    for (const TokenLossOptions& options :
         {TokenLossOptions{.z_loss = 0.3}, {.soft_cap = 1.5}, {.z_loss = 0.2, .soft_cap = 2}}) {
      const auto input = [&](const Shape& shape) {
        return randn(shape, {.dtype = float64}, &generator).requires_grad(true);
      };
      if (rows > 7 && options.z_loss * options.soft_cap == 0) continue;  // the reference takes its time
      const Tensor x = input({rows, 2}), w = input({classes, 2}), b = input({classes});
      Tensor targets = randint(0, classes, {rows}, {.dtype = int64}, &generator);
      targets.data<std::int64_t>()[rows / 2] = -100;
      const TokenLoss loss = linear_token_loss(x, w, b, targets, options);
      const double expected = capped_loss(x, w, b, targets, options);
      EXPECT_NEAR(loss.sum.item<double>(), expected, 1e-11 * expected);
      EXPECT_NEAR(token_loss(linear(x, w, b), targets, options).sum.item<double>(), expected, 1e-11 * expected);
      EXPECT_EQ(loss.count.item<double>(), static_cast<double>(rows - 1));
      loss.sum.backward();
      for (const Tensor& parameter : {x, w, b}) {
        double* const value = parameter.data<double>();
        const std::int64_t at = parameter.numel() - 1;
        constexpr double step = 1e-5;
        const double before = *(value + at);
        value[at] = before + step;
        const double above = capped_loss(x, w, b, targets, options);
        value[at] = before - step;
        const double below = capped_loss(x, w, b, targets, options);
        value[at] = before;
        EXPECT_NEAR(parameter.grad().data<double>()[at], (above - below) / (2 * step), 1e-6 * std::sqrt(expected));
      }
    }
}

TEST(TokenLosses, IgnoreTheLogarithmsOfPadding) {
  Tensor logits = zeros({3, 4});
  fill_(narrow(logits, 0, 1, 1), std::numeric_limits<float>::infinity());
  logits.requires_grad(true);
  const TokenLoss loss = token_loss(logits, tensor<std::int64_t>({1, -100, 2}), {.z_loss = 1});
  const double log_sum = std::log(4);
  EXPECT_NEAR(loss.sum.item<float>(), 2 * (log_sum + log_sum * log_sum), 1e-6);
  EXPECT_THROW(linear_token_loss(zeros({2, 3}), zeros({4, 2}), {}, zeros({2}, {.dtype = int64}), {.z_loss = 1}),
               ShapeError);
}

TEST(TokenLosses, WithAnOptionNeverStoreAllLogits) {
  const std::int64_t rows = 4096, classes = 32768;
  const Tensor x = randn({rows, 4}).requires_grad(true), w = randn({classes, 4}).requires_grad(true);
  const Tensor target = randint(0, classes, {rows});
  reset_peak();
  const std::int64_t before = memory_stats().allocated;
  linear_token_loss(x, w, {}, target, {.z_loss = 1e-4}).sum.backward();
  EXPECT_LT(memory_stats().peak_allocated - before, rows * classes * 4);
}

}  // namespace
}  // namespace minima::token_loss_test
