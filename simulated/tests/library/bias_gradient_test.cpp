#include "simulated/tests/library/products.h"

#include <minima/amp/autocast.h>
#include <minima/autograd/backward.h>
#include <minima/tensor/settings.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

// Where cuBLASLt supports it, the product for the weight's gradient also computes the bias's.

namespace minima::bias_gradient_test {
namespace {

class BiasGradient : public LibraryOnSimulatedGpus {};

struct Case {
  DType dtype = float32;
  std::int64_t features = 7, rows = 12;
  bool transposed_weight = false;
  Activation activation = Activation::none;
  bool autocast = false;
};

struct Trained {
  Tensor weight, bias;  ///< gradients
  std::int64_t fused;   ///< products that computed both
};

/// Two backward passes into the same gradients.
Trained train(const Case& by, Device device) {
  RandomGenerator generator(3);
  const DType stored = by.autocast ? float32 : by.dtype;
  const auto drawn = [&](const Shape& shape) { return randn(shape, {}, &generator).to(stored).to(device); };
  const Tensor values = drawn(by.transposed_weight ? Shape{5, by.features} : Shape{by.features, 5});
  const Tensor weight = (by.transposed_weight ? transpose(values, 0, 1) : values).detach().requires_grad(true);
  const Tensor bias = zeros({by.features}, {.dtype = stored, .device = device}).requires_grad(true);
  const std::int64_t before = products_with(CUBLASLT_EPILOGUE_BGRADA) + products_with(CUBLASLT_EPILOGUE_BGRADB);
  for (int pass = 0; pass < 2; ++pass) {
    const Tensor x = drawn({by.rows, 5}), by_y = drawn({by.rows, by.features});
    Tensor loss;
    {
      const amp::Autocast guard(device.type, {.dtype = by.dtype, .enabled = by.autocast});
      loss = sum(linear(x, weight, bias, by.activation).to(stored) * by_y);
    }
    loss.backward();
  }
  return {weight.grad(), bias.grad(),
          products_with(CUBLASLT_EPILOGUE_BGRADA) + products_with(CUBLASLT_EPILOGUE_BGRADB) - before};
}

void expect_cpus_gradients(const Case& by, std::int64_t fused) {
  const Trained on_gpu = train(by, first_gpu), on_cpu = train(by, Device::cpu());
  EXPECT_EQ(on_gpu.fused, fused) << name(by.dtype);
  EXPECT_LE(distance(on_gpu.bias, on_cpu.bias), rounding(by.dtype)) << name(by.dtype);
  EXPECT_LE(distance(on_gpu.weight, on_cpu.weight), rounding(by.dtype)) << name(by.dtype);
}

TEST_F(BiasGradient, ComesWithTheWeights) {
  for (const DType dtype : {float32, float16, bfloat16})
    for (const bool transposed : {false, true})
      for (const Activation activation : {Activation::none, Activation::relu, Activation::gelu, Activation::gelu_tanh})
        expect_cpus_gradients({.dtype = dtype, .transposed_weight = transposed, .activation = activation}, 2);
}

TEST_F(BiasGradient, UnderAutocastComesInTheDtypeOfTheMasterWeight) {
  expect_cpus_gradients({.dtype = bfloat16, .autocast = true}, 2);
}

TEST_F(BiasGradient, InFloat64IsASumOfItsOwn) { expect_cpus_gradients({.dtype = float64}, 0); }

TEST_F(BiasGradient, IsASumOfItsOwnWhereCublasLtRefuses) {
  refuse(CUBLASLT_EPILOGUE_BGRADA, 2), refuse(CUBLASLT_EPILOGUE_BGRADB, 2);  // the first pass writes, the second adds
  for (const bool transposed : {false, true})
    expect_cpus_gradients({.features = 11, .transposed_weight = transposed}, 0);
}

/// The epilogue takes the sum over k in one piece, so few tiles would leave most multiprocessors idle.
TEST_F(BiasGradient, OfManyRowsAndFewTilesIsASumOfItsOwn) {
  expect_cpus_gradients({.dtype = bfloat16, .rows = 4096}, 0);
}

TEST_F(BiasGradient, ComesWithTheWeightsWhereTimingSaysSo) {
  autotune(true);
  for (const auto& [rows, fused] : {std::pair<std::int64_t, std::int64_t>{20, 2}, {4104, 0}}) {
    const Case by{.dtype = bfloat16, .features = 16, .rows = rows};
    train(by, first_gpu);  // times both
    expect_cpus_gradients(by, fused);
    for (const char* plan : {"tile 64, 1 parts", "tile 128, 1 parts"})
      simulated::set_seconds(plan, 1e-3);  // only products without sums can be cut into parts
  }
  autotune(false);
}

}  // namespace
}  // namespace minima::bias_gradient_test
