#include "tests/support/expect_error.h"

#include <minima/autograd/backward.h>
#include <minima/io/checkpoint/checkpoint.h>
#include <minima/nn/layers/bilinear.h>
#include <minima/nn/layers/distance.h>
#include <minima/nn/layers/embedding_bag.h>
#include <minima/nn/layers/fractional_pool.h>
#include <minima/nn/layers/padding.h>
#include <minima/nn/nn.h>
#include <minima/ops/ops.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <string>
#include <vector>

// tests/fixtures/layers/generate.py describes the fixture.

namespace minima::nn::recorded_test {
namespace {

using test::message_of;

void expect_close(const std::string& name, const Tensor& x, const Tensor& expected) {
  const Closeness close = allclose(x.detach(), expected, {.rtol = 1e-9, .atol = 1e-11});
  EXPECT_TRUE(close) << name << ": " << close.message;
}

const State& recorded() {
  static const State all = minima::load(MINIMA_FIXTURES "/layers/layers.safetensors");
  return all;
}

/// Compares a layer of one or two inputs with PyTorch's, in evaluation mode.
template <class M>
void check(const std::string& name, M layer) {
  SCOPED_TRACE(name);
  const State expected = recorded().sub(name);
  layer.to(float64);
  layer.load_state_dict(expected.sub("params"));
  layer.eval();
  std::vector<Tensor> inputs, leaves;
  std::vector<std::string> names;
  while (const Tensor* x = expected.find("in" + std::to_string(inputs.size()))) {
    inputs.push_back(clone(*x));
    if (!is_floating(x->dtype())) continue;
    leaves.push_back(inputs.back().requires_grad(true));
    names.push_back("grad" + std::to_string(inputs.size() - 1));
  }
  for (const NamedTensor& parameter : layer.named_parameters()) {
    leaves.push_back(parameter.tensor);
    names.push_back("grad." + parameter.name);
  }
  Tensor y;
  if constexpr (requires { layer.forward(inputs[0], inputs[0]); }) {
    if (inputs.size() == 2) y = layer(inputs[0], inputs[1]);
    else if constexpr (requires { layer.forward(inputs[0]); }) y = layer(inputs[0]);
  } else {
    y = layer(inputs[0]);
  }
  expect_close("y", y, expected.tensor("y"));
  const Tensor loss = sum(y * reshape(cos(arange(y.numel()).to(float64)), y.shape()));
  const std::vector<Tensor> gradients = grad({loss}, leaves);
  for (std::size_t i = 0; i < leaves.size(); ++i) expect_close(names[i], gradients[i], expected.tensor(names[i]));
}

TEST(FunctionLayers, ComputeWhatPyTorchsDo) {
  check("ConstantPad1d", ConstantPad1d({.amounts = {1, 2}, .value = 3.5}));
  check("ConstantPad2d", ConstantPad2d({.amounts = 2, .value = -1}));
  check("ZeroPad3d", ZeroPad3d({.amounts = {1, 0, 2, 1, 0, 3}}));
  check("ReflectionPad2d", ReflectionPad2d({.amounts = {1, 2, 0, 1}}));
  check("ReplicationPad3d", ReplicationPad3d({.amounts = 1}));
  check("CircularPad1d", CircularPad1d({.amounts = {2, 1}}));
  check("Tanhshrink", Tanhshrink());
  check("Softmin", Softmin({.dim = 1}));
  check("Softmax2d", Softmax2d());
  check("Threshold", Threshold(0.1, 2));
  check("Unflatten", Unflatten(1, {2, 3}));
  check("ChannelShuffle", ChannelShuffle(3));
  check("RReLU", RReLU());
  check("CosineSimilarity", CosineSimilarity({.dim = 0}));
  check("PairwiseDistance", PairwiseDistance({.p = 1, .keep_dim = true}));
  check("Bilinear", Bilinear({.in1 = 3, .in2 = 4, .out = 2}));
  check("EmbeddingBag", EmbeddingBag({.count = 7, .dim = 3, .mode = BagMode::sum, .padding = 2}));
}

TEST(FunctionLayers, PadOneToThreeDimensions) {
  const Shape one = {1, 0}, two = {1, 0, 2, 1}, three = {1, 0, 2, 1, 0, 2};
  check("ConstantPad1d_sides", ConstantPad1d({.amounts = one, .value = 0.5}));
  check("ConstantPad2d_sides", ConstantPad2d({.amounts = two, .value = 0.5}));
  check("ConstantPad3d_sides", ConstantPad3d({.amounts = three, .value = 0.5}));
  check("ZeroPad1d_sides", ZeroPad1d({.amounts = one}));
  check("ZeroPad2d_sides", ZeroPad2d({.amounts = two}));
  check("ZeroPad3d_sides", ZeroPad3d({.amounts = three}));
  check("ReflectionPad1d_sides", ReflectionPad1d({.amounts = one}));
  check("ReflectionPad2d_sides", ReflectionPad2d({.amounts = two}));
  check("ReflectionPad3d_sides", ReflectionPad3d({.amounts = three}));
  check("ReplicationPad1d_sides", ReplicationPad1d({.amounts = one}));
  check("ReplicationPad2d_sides", ReplicationPad2d({.amounts = two}));
  check("ReplicationPad3d_sides", ReplicationPad3d({.amounts = three}));
  check("CircularPad1d_sides", CircularPad1d({.amounts = one}));
  check("CircularPad2d_sides", CircularPad2d({.amounts = two}));
  check("CircularPad3d_sides", CircularPad3d({.amounts = three}));
}

TEST(FunctionLayers, PoolAtGivenSteps) {
  const Tensor samples = recorded().tensor("samples");
  check("FractionalMaxPool2d",
        FractionalMaxPool2d({.kernel = {2, 3}, .size = {3, 2}, .samples = slice(samples, 2, 0, 2)}));
  check("FractionalMaxPool3d", FractionalMaxPool3d({.kernel = 2, .size = {2, 3, 2}, .samples = samples}));
}

TEST(FunctionLayers, SoftminIsSoftmaxOfTheNegative) {
  const Tensor x = randn({3, 4});
  EXPECT_TRUE(allclose(softmin(x, 0), softmax(-x, 0)));
}

TEST(FunctionLayers, RReluDrawsSlopesInTraining) {
  RReLU layer({.lower = 0.2, .upper = 0.4});
  const Tensor y = layer(full({20000}, -1));
  EXPECT_NEAR(mean(y).item<double>(), -0.3, 0.002);
  EXPECT_GE(amin(y).item<double>(), -0.4);
  EXPECT_LE(amax(y).item<double>(), -0.2);
  EXPECT_TRUE(all(layer(ones({5})) == 1).item<bool>());
}

TEST(FunctionLayers, RefuseWhatTheyCannotDo) {
  EXPECT_CONTAINS(message_of<ValueError>([] { channel_shuffle(zeros({1, 4, 2}), 3); }),
                  "groups = 3 must divide the 4 channels");
  EXPECT_CONTAINS(message_of<ValueError>([] { rrelu(zeros({2}), 2, 1); }), "must be at most upper");
  EXPECT_CONTAINS(message_of<ShapeError>([] { bilinear(zeros({3}), zeros({3}), zeros({2, 3, 4})); }),
                  "weight [K, A, B]");
  EXPECT_CONTAINS(message_of<ValueError>([] { Bilinear({.in1 = 3, .in2 = 4}); }), "Bilinear: out must be at least 1");
  EXPECT_CONTAINS(message_of<ValueError>([] { EmbeddingBag({.count = 3, .dim = 2, .padding = 3}); }),
                  "is not one of 3 rows");
  EXPECT_CONTAINS(message_of<ShapeError>([] { Softmax2d()(zeros({2, 2})); }), "Softmax2d: needs x");
}

}  // namespace
}  // namespace minima::nn::recorded_test
