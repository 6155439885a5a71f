#include "simulated/tests/library/products.h"

#include <minima/autograd/backward.h>
#include <minima/ops/product/gemm/usage.h>
#include <minima/tensor/settings.h>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>

// Where cuBLASLt supports it, linear's bias and activation are the product's epilogue; elsewhere they follow it.

namespace minima::linear_epilogues_test {
namespace {

class LinearEpilogues : public LibraryOnSimulatedGpus {};

struct Case {
  DType dtype = float32;
  std::int64_t width = 24;
  Activation activation = Activation::none;
  bool recorded = false;
  bool with_bias = true;
};

struct Outcome {
  Tensor y, x_gradient;
};

Outcome run(const Case& by, Device device) {
  RandomGenerator generator(5);
  const auto drawn = [&](const Shape& shape) { return randn(shape, {}, &generator).to(by.dtype).to(device); };
  const Tensor x = drawn({2, 3, 16}).requires_grad(by.recorded), weight = drawn({by.width, 16});
  const Tensor bias = by.with_bias ? drawn({by.width}) : Tensor();
  const Tensor y = linear(x, weight, bias, by.activation);
  if (by.recorded) y.backward(ones(y.shape(), {.dtype = by.dtype, .device = device}));
  return {y, by.recorded ? x.grad() : y};
}

void expect_cpus_results(const Case& by) {
  const Outcome on_gpu = run(by, first_gpu), on_cpu = run(by, Device::cpu());
  EXPECT_LE(distance(on_gpu.y, on_cpu.y), rounding(by.dtype)) << name(by.dtype);
  EXPECT_LE(distance(on_gpu.x_gradient, on_cpu.x_gradient), 2 * rounding(by.dtype)) << name(by.dtype);
}

std::int64_t products_with_gelu() {
  return products_with(CUBLASLT_EPILOGUE_GELU_BIAS) + products_with(CUBLASLT_EPILOGUE_GELU_AUX_BIAS);
}

TEST_F(LinearEpilogues, GeluComesWithTheProduct) {
  for (const DType dtype : {float32, float16, bfloat16})
    for (const bool recorded : {false, true}) {
      const std::int64_t before = products_with_gelu();
      expect_cpus_results({.dtype = dtype, .activation = Activation::gelu_tanh, .recorded = recorded});
      EXPECT_EQ(products_with_gelu() - before, 1) << name(dtype);
    }
}

TEST_F(LinearEpilogues, GeluOfAnOddWidthIsKeptByAKernelOfItsOwn) {
  const auto products = [](const Case& by) {
    const std::int64_t before = products_with_gelu();
    expect_cpus_results(by);
    return products_with_gelu() - before;
  };
  EXPECT_EQ(products({.width = 21, .activation = Activation::gelu_tanh, .recorded = true}), 0);
  EXPECT_EQ(products({.width = 21, .activation = Activation::gelu_tanh}), 1);
  EXPECT_EQ(products({.dtype = float64, .activation = Activation::gelu_tanh, .recorded = true}), 0);
}

TEST_F(LinearEpilogues, AreKernelsOfTheirOwnWhereCublasLtRefuses) {
  std::int64_t width = 32;  // new ones: a refusal is remembered
  for (const cublasLtEpilogue_t epilogue : {CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_RELU_BIAS,
                                            CUBLASLT_EPILOGUE_GELU_BIAS, CUBLASLT_EPILOGUE_GELU_AUX_BIAS})
    refuse(epilogue, 100);
  for (const DType dtype : {float32, float16, bfloat16})
    for (const Activation activation : {Activation::none, Activation::relu, Activation::gelu, Activation::gelu_tanh})
      for (const bool with_bias : {false, true})
        for (const bool recorded : {false, true}) {
          SCOPED_TRACE(testing::Message() << "activation " << static_cast<int>(activation) << " bias " << with_bias);
          expect_cpus_results({dtype, width += 8, activation, recorded, with_bias});
        }
}

TEST_F(LinearEpilogues, AreCounted) {
  const auto counted = [](const Case& by) {
    const cublas::Usage before = cublas::usage();
    run(by, first_gpu);
    const cublas::Usage after = cublas::usage();
    return std::array{after.served - before.served, after.refused - before.refused, after.slower - before.slower};
  };
  using Counts = std::array<std::int64_t, 3>;
  const Case gelu{.dtype = bfloat16, .width = 1000, .activation = Activation::gelu_tanh};
  EXPECT_EQ(counted(gelu), (Counts{1, 0, 0}));
  EXPECT_EQ(counted(gelu), (Counts{0, 0, 0})) << "once per shape";
  EXPECT_EQ(counted({.width = 1000, .with_bias = false}), (Counts{0, 0, 0})) << "a product alone";
  refuse(CUBLASLT_EPILOGUE_GELU_BIAS, 1);
  EXPECT_EQ(counted({.dtype = bfloat16, .width = 1008, .activation = Activation::gelu_tanh}), (Counts{1, 1, 0}))
      << "the bias stays with the product";
  EXPECT_EQ(cublas::usage().refusal, "GELU_BIAS of bfloat16 [1008, 16]·[16, 6]");
}

TEST_F(LinearEpilogues, AreRefusedWhenTheyRunToo) {
  const std::int64_t refused = cublas::usage().refused;
  const Case by{.width = 1016, .activation = Activation::relu};
  run(by, first_gpu);
  const std::int64_t served = cublas::usage().served;
  for (const int algorithm : {66, 67, 68, 69, 70, 20, 21})
    simulated::fail_call("cublasLtMatmul.algorithm" + std::to_string(algorithm), 1, CUBLAS_STATUS_NOT_SUPPORTED);
  expect_cpus_results(by);
  EXPECT_GE(cublas::usage().refused, refused + 1);
  EXPECT_LE(cublas::usage().served, served);
}

TEST_F(LinearEpilogues, AreKernelsOfTheirOwnWhereTimingSaysSo) {
  autotune(true);
  for (const char* tile : {"tile 64", "tile 128"}) simulated::set_seconds(std::string(tile) + ", 1 parts, gelu", 1e-3);
  const std::int64_t slower = cublas::usage().slower;
  for (const bool recorded : {false, true}) {
    const Case by{.dtype = bfloat16, .width = 1024, .activation = Activation::gelu_tanh, .recorded = recorded};
    run(by, first_gpu);  // times both
    const std::int64_t before = products_with_gelu();
    expect_cpus_results(by);
    EXPECT_EQ(products_with_gelu(), before) << recorded;
  }
  EXPECT_EQ(cublas::usage().slower - slower, 2);
  autotune(false);
}

/// The simulation assumes that cuBLASLt refuses float64's epilogues.
TEST_F(LinearEpilogues, OfFloat64AreKernelsOfTheirOwn) {
  for (const Activation activation : {Activation::none, Activation::relu})
    expect_cpus_results({.dtype = float64, .activation = activation});
}

/// A bias that starts in the middle of another tensor.
TEST_F(LinearEpilogues, TakeABiasAtAnyAddress) {
  const Tensor x = randn({6, 16}), weight = randn({24, 16}), biases = randn({25});
  const Tensor expected = linear(x, weight, slice(biases, 0, 1, 25), Activation::relu);
  const Tensor y =
      linear(x.to(first_gpu), weight.to(first_gpu), slice(biases.to(first_gpu), 0, 1, 25), Activation::relu);
  EXPECT_LE(distance(y, expected), rounding(float32));
}

}  // namespace
}  // namespace minima::linear_epilogues_test
