#include "simulated/tests/library/products.h"

#include <minima/autograd/backward.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

// In backward the product that makes the hidden gradient multiplies it by gelu's slope and sums it for the bias.

namespace minima::feed_forward_test {
namespace {

class FeedForwardEpilogues : public LibraryOnSimulatedGpus {};

struct Case {
  DType dtype = bfloat16;
  std::int64_t hidden = 24;
  Activation activation = Activation::gelu_tanh;
  bool with_bias = true;
};

/// The result and the gradients of all inputs.
std::vector<Tensor> run(const Case& by, Device device) {
  RandomGenerator generator(5);
  std::vector<Tensor> in;
  for (const Shape& shape : {Shape{2, 3, 16}, Shape{by.hidden, 16}, Shape{by.hidden}, Shape{8, by.hidden}, Shape{8}})
    in.push_back(randn(shape, {}, &generator).to(by.dtype).to(device).requires_grad(true));
  const Tensor none;
  Tensor y = feed_forward(in[0], in[1], by.with_bias ? in[2] : none, in[3], by.with_bias ? in[4] : none, by.activation);
  y.backward(ones(y.shape(), {.dtype = by.dtype, .device = device}));
  std::vector<Tensor> result{y};
  for (const Tensor& x : in)
    if (x.grad().defined()) result.push_back(x.grad());
  return result;
}

void expect_cpus_results(const Case& by) {
  const std::vector<Tensor> on_gpu = run(by, first_gpu), on_cpu = run(by, Device::cpu());
  ASSERT_EQ(on_gpu.size(), on_cpu.size());
  EXPECT_EQ(on_gpu.size(), by.with_bias ? 6u : 4u);
  for (std::size_t i = 0; i < on_gpu.size(); ++i)
    EXPECT_LE(distance(on_gpu[i], on_cpu[i]), 2 * rounding(by.dtype)) << "result " << i << " of " << name(by.dtype);
}

/// How many products of the case had the gradient of gelu as epilogue.
std::int64_t fused(const Case& by) {
  const cublasLtEpilogue_t epilogue = by.with_bias ? CUBLASLT_EPILOGUE_DGELU_BGRAD : CUBLASLT_EPILOGUE_DGELU;
  const std::int64_t before = products_with(epilogue);
  expect_cpus_results(by);
  return products_with(epilogue) - before;
}

TEST_F(FeedForwardEpilogues, ApplyGelusSlopeWithTheProduct) {
  for (const DType dtype : {float32, float16, bfloat16})
    for (const bool with_bias : {true, false})
      EXPECT_EQ(fused({.dtype = dtype, .with_bias = with_bias}), 1) << name(dtype) << ", bias " << with_bias;
}

TEST_F(FeedForwardEpilogues, AreKernelsOfTheirOwnWhereCublasLtHasNone) {
  EXPECT_EQ(fused({.activation = Activation::relu}), 0);
  EXPECT_EQ(fused({.activation = Activation::gelu}), 0);
  EXPECT_EQ(fused({.hidden = 21}), 0) << "its saved input must have a leading dimension of eighths";
  EXPECT_EQ(fused({.dtype = float64}), 0);
}

TEST_F(FeedForwardEpilogues, AreKernelsOfTheirOwnWhereCublasLtRefuses) {
  refuse(CUBLASLT_EPILOGUE_DGELU_BGRAD, 10);
  refuse(CUBLASLT_EPILOGUE_DGELU, 10);
  for (const bool with_bias : {true, false})  // of new sizes: a refusal is remembered
    EXPECT_EQ(fused({.hidden = 40, .with_bias = with_bias}), 0);
}

}  // namespace
}  // namespace minima::feed_forward_test
