#include "tests/support/expect_error.h"

#include <minima/autograd/backward.h>
#include <minima/nn/derivatives.h>
#include <minima/nn/nn.h>
#include <minima/nn/vectors.h>
#include <minima/ops/ops.h>
#include <minima/optim/averaging/averaging.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace minima::functional_test {
namespace {

using test::message_of;

Tensor doubles(const NestedValues& values) { return tensor(values, {.dtype = float64}); }
void expect_close(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.shape(), b.shape());
  const Closeness close = allclose(a.detach(), b.detach(), {.rtol = 1e-10, .atol = 1e-12});
  EXPECT_TRUE(close) << close.message;
}

const Tensor matrix = doubles({{1, -2, 0.5}, {3, 0.25, -1}});
Tensor curve(const Tensor& x) { return sin(mv(matrix, x)); }
double cosine_of_row(int row, const Tensor& x) { return std::cos(mv(matrix, x)[row].item<double>()); }

TEST(Derivatives, JacobianHasTheShapesOfOutputAndInput) {
  const Tensor x = doubles({0.3, -0.7, 1.1});
  const Tensor j = jacobian(curve, x);
  expect_close(j, unsqueeze(doubles({cosine_of_row(0, x), cosine_of_row(1, x)}), 1) * matrix);
  EXPECT_FALSE(j.requires_grad());
  const Tensor y = jacobian([](const Tensor& z) { return z * z; }, doubles({{1, 2}}));
  EXPECT_EQ(y.shape(), Shape({1, 2, 1, 2}));
  expect_close(reshape(y, {2, 2}), doubles({{2, 0}, {0, 4}}));
}

TEST(Derivatives, JacobianOfSeveralInputsKnowsWhatDoesNotDepend) {
  const Tensor a = doubles({1, 2}), b = doubles(3);
  const auto j = jacobian([](const std::vector<Tensor>& in) { return std::vector{in[0] * in[1], sum(in[0])}; }, {a, b});
  expect_close(j[0][0], doubles({{3, 0}, {0, 3}}));
  expect_close(j[0][1], a);
  expect_close(j[1][0], doubles({1, 1}));
  expect_close(j[1][1], doubles(0));
}

TEST(Derivatives, ProductsAreThoseOfTheJacobian) {
  const Tensor x = doubles({0.3, -0.7, 1.1}), v = doubles({1, 2, -1}), u = doubles({0.5, -2});
  const Tensor j = jacobian(curve, x);
  const ValueAndProduct forward = jvp(curve, x, v), backward = vjp(curve, x, u);
  expect_close(forward.value, curve(x));
  expect_close(forward.product, mv(j, v));
  expect_close(backward.product, mv(transpose(j, 0, 1), u));
  EXPECT_CONTAINS(message_of<ShapeError>([&] { jvp(curve, x, u); }), "jvp: v must have the shape [3]");
  EXPECT_CONTAINS(message_of<ShapeError>([&] { vjp(curve, x, v); }), "vjp: v must have the shape [2]");
}

TEST(Derivatives, HessianAndItsProductAreSecondDerivatives) {
  const TensorMap f = [](const Tensor& x) { return sum(x * x * x) + x[0] * x[1]; };
  const Tensor x = doubles({1, 2});
  const Tensor h = hessian(f, x);
  expect_close(h, doubles({{6, 1}, {1, 12}}));
  expect_close(hvp(f, x, doubles({1, -1})).product, doubles({5, -11}));
  EXPECT_CONTAINS(message_of<ShapeError>([&] { hessian(curve, doubles({1, 2, 3})); }),
                  "hessian: the function must have one");
}

TEST(Derivatives, OfLinearFunctionsAreConstant) {
  const Tensor x = doubles({1, 2});
  expect_close(hessian([](const Tensor& z) { return sum(z) * 2; }, x), zeros({2, 2}, {.dtype = float64}));
  expect_close(jacobian([](const Tensor& z) { return zeros_like(z.detach()); }, x), zeros({2, 2}, {.dtype = float64}));
}

TEST(Derivatives, AreThemselvesDifferentiable) {
  const Tensor x = doubles({0.5, 1.5}).requires_grad(true);
  const Tensor j = jacobian([](const Tensor& z) { return z * z * z; }, x, {.create_graph = true});
  sum(j).backward();
  expect_close(x.grad(), 6 * x.detach());
  const Tensor product =
      jvp([](const Tensor& z) { return z * z * z; }, x, ones_like(x.detach()), {.create_graph = true}).product;
  expect_close(grad({sum(product)}, {x})[0], 6 * x.detach());
}

TEST(Vectors, OfParametersGoThereAndBack) {
  nn::Linear layer({.in = 3, .out = 2});
  const Tensor vector = nn::parameters_to_vector(layer.parameters());
  EXPECT_EQ(vector.shape(), Shape({8}));
  EXPECT_TRUE(vector.requires_grad());
  nn::vector_to_parameters(arange(8).to(float32), layer.parameters());
  EXPECT_EQ(layer.weight[1][2].item<float>(), 5);
  EXPECT_EQ(layer.bias[1].item<float>(), 7);
  EXPECT_TRUE(layer.weight.is_leaf());
  EXPECT_CONTAINS(message_of<ShapeError>([&] { nn::vector_to_parameters(zeros({7}), layer.parameters()); }),
                  "8 elements");
  EXPECT_CONTAINS(message_of<ValueError>([] { nn::parameters_to_vector({}); }), "no parameters");
}

TEST(Vectors, AveragesTakeFloatingBuffersToo) {
  nn::Sequential net(nn::BatchNorm1d({.features = 2}));
  const std::vector<Tensor> tensors = nn::floating_tensors(net);
  EXPECT_EQ(tensors.size(), 4u);  // weight, bias, mean and variance; not the count
  optim::Ema ema(tensors, {.decay = 0.5});
  for (int i = 0; i < 3; ++i) net(full({4, 2}, 10) + randn({4, 2}));
  ema.update();
  const Tensor mean = net.buffers()[0];
  EXPECT_TRUE(allclose(ema.averages()[2], mean * 0.5, {.rtol = 1e-5, .atol = 0}));
}

}  // namespace
}  // namespace minima::functional_test
