#include "tests/simt/device/blas.h"

#include <minima/autograd/backward.h>
#include <minima/ops/gemm/blas_epilogue.h>
#include <minima/ops/ops.h>

#include <gtest/gtest.h>

// linear's gelu_tanh comes out of the product, where cuBLASLt can do it.

namespace minima::test {
namespace {

using namespace minima::detail;

alignas(16) float kept[8];

BlasProduct product() {
  BlasProduct p{};
  p.m = 8, p.n = 4, p.k = 8, p.ldc = 8, p.batch = 1;
  p.dtype = p.c_dtype = bfloat16;
  p.activation = BlasActivation::gelu;
  p.before = kept;
  return p;
}

template <class Change>
BlasProduct changed(const Change& change) {
  BlasProduct p = product();
  change(p);
  return p;
}

TEST(BlasEpilogue, GeluIsAskedForOnlyWhereItMayBe) {
  EXPECT_TRUE(may_apply_gelu(product()));
  EXPECT_TRUE(may_apply_gelu(changed([](BlasProduct& p) { p.bias = kept; })));
  EXPECT_TRUE(may_apply_gelu(changed([](BlasProduct& p) { p.before = nullptr, p.ldc = 9; }))) << "nothing is kept";
  EXPECT_FALSE(may_apply_gelu(changed([](BlasProduct& p) { p.ldc = 9; })));
  EXPECT_FALSE(may_apply_gelu(changed([](BlasProduct& p) { p.before = kept + 1; })));
  EXPECT_FALSE(may_apply_gelu(changed([](BlasProduct& p) { p.dtype = p.c_dtype = float64; })));
  EXPECT_FALSE(may_apply_gelu(changed([](BlasProduct& p) { p.accumulate = true; })));
  EXPECT_FALSE(may_apply_gelu(changed([](BlasProduct& p) { p.k = 0; })));
  EXPECT_TRUE(is_optional(product()));
  EXPECT_FALSE(is_optional(changed([](BlasProduct& p) { p.activation = BlasActivation::relu; })));
}

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
  const Outcome outcome{y.detach().to(float64), recorded ? x.grad().to(float64) : zeros({1}), asked.computed, asked.refused};
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
      // A kernel of its own starts from the rounded sum.
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
