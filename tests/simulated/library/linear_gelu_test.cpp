#include "tests/simt/device/blas.h"

#include <minima/autograd/backward.h>
#include <minima/ops/ops.h>

#include <gtest/gtest.h>

// Where cuBLASLt supports it, linear's gelu_tanh is the product's epilogue.

namespace minima::test {
namespace {

struct Outcome {
  Tensor y, x_gradient;
  int computed, refused;
};

Outcome run(DType dtype, std::int64_t width, bool refuse, bool recorded) {
  manual_seed(5);
  BlasAsked& asked = blas_gelu_asked();
  asked = {.refuse = refuse};
  const Tensor x = randn({2, 3, 16}).to(dtype).requires_grad(recorded);
  const Tensor weight = randn({width, 16}).to(dtype), bias = randn({width}).to(dtype);
  const Tensor y = linear(x, weight, bias, Activation::gelu_tanh);
  if (recorded) y.backward(ones(y.shape(), {.dtype = dtype}));
  const Outcome outcome{y.detach().to(float64), recorded ? x.grad().to(float64) : zeros({1}), asked.computed,
                        asked.refused};
  asked = {};
  return outcome;
}

double distance(const Tensor& a, const Tensor& b) { return max(abs(a - b)).item<double>(); }

TEST(LinearGelu, ComesWithTheProductAndEqualsAKernelOfItsOwn) {
  for (const DType dtype : {float32, float16, bfloat16})
    for (const bool recorded : {false, true}) {
      const Outcome fused = run(dtype, 24, false, recorded), plain = run(dtype, 24, true, recorded);
      EXPECT_EQ(fused.computed, 1) << name(dtype);
      EXPECT_EQ(plain.refused, 1) << name(dtype);
      // A separate kernel starts from the rounded sum.
      const double rounding = dtype == float32 ? 1e-6 : dtype == float16 ? 1e-2 : 8e-2;
      EXPECT_LE(distance(fused.y, plain.y), rounding) << name(dtype);
      EXPECT_EQ(distance(fused.x_gradient, plain.x_gradient), 0) << name(dtype) << ": from the same values before gelu";
    }
}

TEST(LinearGelu, OfAnOddWidthIsKeptByAKernelOfItsOwn) {
  EXPECT_EQ(run(float32, 21, false, true).computed, 0);
  EXPECT_EQ(run(float32, 21, false, false).computed, 1);
  EXPECT_EQ(run(float64, 24, false, true).computed, 0);
}

}  // namespace
}  // namespace minima::test
