#include "tests/simt/device/blas.h"

#include <minima/amp/autocast.h>
#include <minima/autograd/backward.h>
#include <minima/ops/ops.h>

#include <gtest/gtest.h>

// Where cuBLASLt supports it, the product for the weight's gradient also computes the bias's.

namespace minima::test {
namespace {

struct Counts {
  int computed, refused;
  friend bool operator==(const Counts&, const Counts&) = default;
};

/// Runs two backward passes into the same gradients and returns them; counts the requests to the product.
struct Trained {
  Tensor weight, bias;
  Counts asked;
};

Trained train(DType dtype, bool refuse, bool transposed_weight, Activation activation, bool autocast = false) {
  manual_seed(3);
  const DType stored = autocast ? float32 : dtype;
  const Tensor drawn = randn(transposed_weight ? Shape{5, 7} : Shape{7, 5}).to(stored);
  const Tensor weight = (transposed_weight ? transpose(drawn, 0, 1) : drawn).detach().requires_grad(true);
  const Tensor bias = zeros({7}, {.dtype = stored}).requires_grad(true);
  BlasAsked& asked = blas_sums_asked();
  asked = {.refuse = refuse};
  for (int pass = 0; pass < 2; ++pass) {
    const Tensor x = randn({3, 4, 5}).to(stored), by_y = randn({3, 4, 7}).to(stored);
    Tensor loss;
    {
      const amp::Autocast guard(DeviceType::cpu, {.dtype = dtype, .enabled = autocast});
      loss = sum(linear(x, weight, bias, activation).to(stored) * by_y);
    }
    loss.backward();
  }
  const Counts counts{asked.computed, asked.refused};
  asked = {};
  return {weight.grad().to(float64), bias.grad().to(float64), counts};
}

double distance(const Tensor& a, const Tensor& b) {
  return max(abs(a - b)).item<double>() / max(abs(b)).item<double>();
}

TEST(BiasGradient, ComesWithTheWeightsAndEqualsTheSum) {
  for (const DType dtype : {float32, float16, bfloat16})
    for (const bool transposed : {false, true})
      for (const Activation activation :
           {Activation::none, Activation::relu, Activation::gelu, Activation::gelu_tanh}) {
        const Trained fused = train(dtype, false, transposed, activation),
                      plain = train(dtype, true, transposed, activation);
        EXPECT_EQ(fused.asked, (Counts{2, 0})) << name(dtype);
        EXPECT_EQ(plain.asked, (Counts{0, 2})) << name(dtype);
        const double rounding = dtype == float32 ? 1e-6 : dtype == float16 ? 2e-3 : 1.6e-2;
        EXPECT_LE(distance(fused.bias, plain.bias), rounding) << name(dtype) << " transposed " << transposed;
        EXPECT_EQ(distance(fused.weight, plain.weight), 0) << name(dtype) << " transposed " << transposed;
      }
}

TEST(BiasGradient, UnderAutocastComesInTheDtypeOfTheMasterWeight) {
  const Trained fused = train(bfloat16, false, false, Activation::none, true),
                plain = train(bfloat16, true, false, Activation::none, true);
  EXPECT_EQ(fused.asked, (Counts{2, 0}));
  EXPECT_LE(distance(fused.bias, plain.bias), 1.6e-2);
  EXPECT_EQ(distance(fused.weight, plain.weight), 0);
}

TEST(BiasGradient, InFloat64IsASumOfItsOwn) {
  EXPECT_EQ(train(float64, false, false, Activation::none).asked, (Counts{0, 0}));
}

}  // namespace
}  // namespace minima::test
