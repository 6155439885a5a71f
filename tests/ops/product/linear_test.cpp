#include "tests/ops/checks/op_cases.h"
#include "tests/support/engines.h"

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/product/linear.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/storage/allocator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace minima::linear_test {
namespace {

using namespace test;

double plain(double x) { return x; }
double rectified(double x) { return std::max(x, 0.0); }
double gaussian(double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }
double by_tanh(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}

/// activation(x · weightᵀ + bias), the bias left out where there are two inputs only.
auto reference(double (*activation)(double)) {
  return [activation](const std::vector<Doubles>& in) {
    const std::int64_t out = in[1].shape[0], k = in[1].shape[1];
    Shape shape = in[0].shape;
    shape[shape.rank() - 1] = out;
    Doubles y(shape);
    for (std::int64_t i = 0; i < y.numel(); ++i) {
      double sum = in.size() > 2 ? in[2].values[static_cast<std::size_t>(i % out)] : 0;
      for (std::int64_t l = 0; l < k; ++l)
        sum += in[0].values[static_cast<std::size_t>(i / out * k + l)] *
               in[1].values[static_cast<std::size_t>(i % out * k + l)];
      y.values[static_cast<std::size_t>(i)] = activation(sum);
    }
    return y;
  };
}

template <Activation activation>
Tensor call(In in) {
  return linear(in[0], in[1], in.size() > 2 ? in[2] : Tensor(), activation);
}
template <Activation activation>
Tensor by_eigen(In in) {
  const EigenOnly guard;
  return call<activation>(in);
}

[[maybe_unused]] const bool cases =
    OpCases("linear")
        .autocast("lower precision")
        .result_layout(ResultLayout::row_major)
        .optional_input(2)
        .on(call<Activation::none>, reference(plain))
        .pytorch("F.linear")
        .inputs(normal({3, 4}), normal({5, 4}), normal({5}))
        .inputs(normal({4}), normal({3, 4}), normal({3}))
        .inputs(normal({2, 3, 4}), normal({2, 4}), normal({2}))
        .inputs(normal({0, 4}), normal({5, 4}), normal({5}))
        .inputs(normal({3, 0}), normal({5, 0}), normal({5}))
        .inputs(normal({3, 4}), normal({0, 4}), normal({0}))
        .inputs(normal({300, 100}), normal({150, 100}), normal({150}))
        .contraction(100)
        .on(call<Activation::none>, reference(plain), "without bias")
        .inputs(normal({3, 4}), normal({5, 4}))
        .contraction(4)
        .on(call<Activation::relu>, reference(rectified), "relu")
        .inputs(normal({3, 4}), normal({5, 4}), normal({5}))
        .inputs(normal({2, 2, 3}), normal({5, 3}))
        .inputs(normal({300, 100}), normal({150, 100}), normal({150}))
        .inputs(normal({0, 4}), normal({5, 4}), normal({5}))
        .contraction(100)
        .on(call<Activation::gelu>, reference(gaussian), "gelu")
        .inputs(normal({3, 4}), normal({5, 4}), normal({5}))
        .inputs(normal({2, 2, 3}), normal({5, 3}))
        .inputs(normal({300, 100}), normal({150, 100}), normal({150}))
        .inputs(normal({0, 4}), normal({5, 4}), normal({5}))
        .contraction(100)
        .on(call<Activation::gelu_tanh>, reference(by_tanh), "gelu_tanh")
        .inputs(normal({3, 4}), normal({8, 4}), normal({8}))
        .inputs(normal({2, 2, 3}), normal({5, 3}))
        .inputs(normal({60, 50}), normal({70, 50}), normal({70}))
        .contraction(50)
        .on(by_eigen<Activation::none>, reference(plain), "by Eigen")
        .inputs(normal({300, 100}), normal({150, 100}), normal({150}))
        .contraction(100)
        .on(by_eigen<Activation::gelu>, reference(gaussian), "gelu by Eigen")
        .inputs(normal({3, 4}), normal({5, 4}), normal({5}))
        .contraction(4)
        .tolerance(4)  // gelu's slope has a zero, near which the rounding of the sum shows
        .error<ShapeError>(
            [] { linear(sized({32, 100}), sized({512, 784})); },
            "linear: x [32, 100] has 100 features in its last dimension, but weight [512, 784] takes 784")
        .error<ShapeError>(
            [] { linear(sized({32, 512}), sized({512, 784})); },
            "linear: x [32, 512] has 512 features in its last dimension, but weight [512, 784] takes 784; "
            "transpose weight?")
        .error<ShapeError>([] { linear(sized({2, 3}), sized({3})); },
                           "linear: weight must be [out, in], got float32 [3]")
        .error<ShapeError>([] { linear(sized({}), sized({2, 3})); },
                           "linear: x must be [..., in], got a scalar; weight is [2, 3]")
        .error<ShapeError>([] { linear(sized({2, 3}), sized({4, 3}), sized({3})); },
                           "linear: bias must be [4] for weight [4, 3], got [3]")
        .error<DTypeError>([] { linear(sized({2, 3}), sized({4, 3}, float64)); },
                           "linear: dtypes differ: x float32 [2, 3], weight float64 [4, 3]; convert them with to()")
        .error<DTypeError>(
            [] { linear(sized({2, 3}), sized({4, 3}), sized({4}, float64)); },
            "linear: dtypes differ: x float32 [2, 3], weight float32 [4, 3], bias float64 [4]; convert them "
            "with to()")
        .error<ShapeError>([] { linear(empty(Shape{}), empty({4, 3})); },
                           "linear: x must be [..., in], got a scalar; weight is [4, 3]")
        .error<ValueError>([] { linear(Tensor(), empty({2, 3})); }, "linear: argument 0 is undefined")
        .error<ValueError>([] { linear(empty({2, 3}), Tensor()); }, "linear: argument 1 is undefined")
        .check();

Tensor ones(const Shape& shape) {
  const Tensor x = sized(shape);
  fill_(x, 1);
  return x;
}

TEST(Linear, AddsTheWeightGradientIntoItsPlace) {
  const Tensor x = ones({4, 3});
  Tensor weight = ones({2, 3}).requires_grad(true);
  sum(linear(x, weight)).backward();
  const void* place = weight.grad().raw_data();
  sum(linear(x, weight)).backward();
  EXPECT_EQ(weight.grad().raw_data(), place);
  EXPECT_EQ(weight.grad().to_vector<float>(), std::vector<float>(6, 8));
  weight.zero_grad();
  sum(linear(x, weight)).backward();
  EXPECT_EQ(weight.grad().raw_data(), place);
  EXPECT_EQ(weight.grad().to_vector<float>(), std::vector<float>(6, 4));
}

TEST(Linear, AddsIntoTheGradientOfATransposedWeight) {
  const Tensor x = ones({4, 3});
  Tensor weight = transpose(ones({3, 2}), 0, 1).detach();
  weight.requires_grad(true);
  for (int i = 0; i < 2; ++i) sum(linear(x, weight)).backward();
  EXPECT_EQ(weight.grad().strides(), (Shape{1, 2}));
  EXPECT_EQ(weight.grad().to_vector<float>(), std::vector<float>(6, 8));
}

TEST(Linear, ComputesOnlyTheGradientsThatAreWanted) {
  Tensor x = ones({4, 3}).requires_grad(true);
  const Tensor weight = ones({2, 3});
  const Tensor y = linear(x, weight);
  EXPECT_EQ(calls_of(detail::engine_for(float32), [&] { sum(y).backward(); }), 1);
}

TEST(Linear, LeavesAGradientThatOthersHoldAlone) {
  Tensor x = ones({2, 3}).requires_grad(true);
  const Tensor y = linear(x, ones({2, 3}) * -1.0, {}, Activation::relu), g = ones({2, 2});
  y.backward(g);
  EXPECT_EQ(g.to_vector<float>(), std::vector<float>(4, 1));
  EXPECT_EQ(x.grad().to_vector<float>(), std::vector<float>(6, 0));
}

TEST(Linear, MakesNoCopyOfAHalfWeight) {
  for (const DType half : {float16, bfloat16})
    for (const std::int64_t rows : {1, 40}) {
      const Tensor weight = zeros({1000, 700}, {.dtype = half}), other = zeros({700, 1000}, {.dtype = half});
      Tensor x = zeros({rows, 700}, {.dtype = half});
      x.requires_grad(true);
      reset_peak();
      const std::int64_t before = memory_stats().allocated;
      sum(linear(x, weight)).backward();
      linear(x, transpose(other, 0, 1));
      matmul(x, other);
      matmul(weight, zeros({700}, {.dtype = half}));
      matmul(weight, transpose(x, 0, 1));
      EXPECT_LT(memory_stats().peak_allocated - before, 700 * 1000 / 2) << rows << " rows";
    }
}

[[maybe_unused]] const bool bilinear_calls =
    FunctionCases("bilinear")
        .undefined([](const Tensor& none) { bilinear(none, ones({2, 2}), ones({2, 2})); })
        .undefined([](const Tensor& none) { bilinear(ones({2, 2}), none, ones({2, 2})); })
        .undefined([](const Tensor& none) { bilinear(ones({2, 2}), ones({2, 2}), none); })
        .check();

}  // namespace
}  // namespace minima::linear_test
