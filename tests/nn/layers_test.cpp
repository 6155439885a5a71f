#include "tests/nn/toy_modules.h"
#include "tests/support/compare.h"

#include <minima/autograd/mode.h>
#include <minima/nn/nn.h>
#include <minima/ops/ops.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace layers_test {
namespace {

using namespace minima;
using toy::Names;
using toy::names;

template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// Uniform on ±bound: all values inside, both ends nearly reached.
void expect_spread(const Tensor& x, double bound) {
  double low = 0, high = 0;
  for (const double value : x.to_vector<double>()) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  EXPECT_LE(std::max(-low, high), bound * 1.000001);
  EXPECT_GE(std::min(-low, high), bound * 0.9);
}

void init_with_noise(const nn::ModuleBase& module) {
  for (const Tensor& parameter : module.parameters()) nn::init::normal_(parameter);
}

TEST(Linear, IsTheFunctionWithPyTorchsNames) {
  nn::Linear layer({.in = 3, .out = 2});
  EXPECT_EQ(names(layer.state_dict().tensors()), (Names{"weight", "bias"}));
  EXPECT_EQ(layer.weight.shape(), Shape({2, 3}));
  const Tensor x = from_vector<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_TRUE(test::compare_bitwise(layer(x), linear(x, layer.weight, layer.bias)));
  nn::Linear fused({.in = 3, .out = 2, .bias = false, .activation = Activation::relu});
  EXPECT_EQ(names(fused.state_dict().tensors()), (Names{"weight"}));
  EXPECT_TRUE(test::compare_bitwise(fused(x), linear(x, fused.weight, {}, Activation::relu)));
}

TEST(Linear, StartsAsPyTorchs) {
  const nn::Linear layer({.in = 100, .out = 200});
  expect_spread(layer.weight, 0.1);
  expect_spread(layer.bias, 0.1);
}

TEST(Linear, RefusesMissingSizesAndNamesTheOption) {
  EXPECT_EQ(error_of([] { nn::Linear({.out = 2}); }), "Linear: in must be at least 1, not 0");
  EXPECT_EQ(error_of([] { nn::Linear({.in = 2, .out = -1}); }), "Linear: out must be at least 1, not -1");
  EXPECT_EQ(error_of([] { nn::Linear({.in = INT64_MAX, .out = 1}); }),
            "Linear: in must be at most 281474976710656, not 9223372036854775807");
}

TEST(Conv2d, IsTheFunctionWithPyTorchsNames) {
  nn::Conv2d layer(
      {.in = 4, .out = 6, .kernel = {3, 2}, .stride = 2, .padding = {1, 0}, .dilation = {1, 2}, .groups = 2});
  EXPECT_EQ(names(layer.state_dict().tensors()), (Names{"weight", "bias"}));
  EXPECT_EQ(layer.weight.shape(), Shape({6, 2, 3, 2}));
  const Tensor x = randn({2, 4, 8, 8});
  EXPECT_TRUE(test::compare_bitwise(
      layer(x),
      conv2d(x, layer.weight, layer.bias, {.stride = 2, .padding = {1, 0}, .dilation = {1, 2}, .groups = 2})));
  EXPECT_EQ(names(nn::Conv2d({.in = 1, .out = 1, .kernel = 1, .bias = false}).state_dict().tensors()),
            (Names{"weight"}));
}

TEST(Conv2d, StartsAsPyTorchs) {
  const nn::Conv2d layer({.in = 16, .out = 128, .kernel = 3, .groups = 2});
  expect_spread(layer.weight, 1 / std::sqrt(8 * 9.0));
  expect_spread(layer.bias, 1 / std::sqrt(8 * 9.0));
}

TEST(Conv2d, RefusesImpossibleOptions) {
  EXPECT_EQ(error_of([] { nn::Conv2d({.in = 1, .out = 1}); }), "Conv2d: kernel must be at least 1, not 0");
  EXPECT_EQ(error_of([] { nn::Conv2d({.in = 1, .out = 1, .kernel = 3, .padding = -1}); }),
            "Conv2d: padding must be at least 0, not -1");
  EXPECT_EQ(error_of([] { nn::Conv2d({.in = 3, .out = 4, .kernel = 3, .groups = 2}); }),
            "Conv2d: groups = 2 must divide in = 3 and out = 4");
}

struct Mlp : nn::Module {
  nn::Linear a = child("a", nn::Linear({.in = 784, .out = 512}));
  nn::Linear b = child("b", nn::Linear({.in = 512, .out = 10}));
  Tensor forward(const Tensor& x) { return b(relu(a(x))); }
};

TEST(Mlp, OfTheDocumentationLearns) {
  manual_seed(1);
  Mlp net;
  EXPECT_EQ(names(net.named_parameters()), (Names{"a.weight", "a.bias", "b.weight", "b.bias"}));
  const Tensor x = randn({16, 784});
  const Tensor labels = randint(0, 10, {16});
  float first = 0, last = 0;
  for (int step = 0; step < 20; ++step) {
    net.zero_grad();
    const Tensor loss = cross_entropy(net(x), labels);
    loss.backward();
    NoGrad guard;
    for (const Tensor& parameter : net.parameters()) sub_(parameter, parameter.grad() * 0.1);
    (step == 0 ? first : last) = loss.item<float>();
  }
  EXPECT_GT(first, 2);
  EXPECT_LT(last, 0.2 * first);
}

TEST(Mlp, PutsTheModuleInFrontOfAnOperatorsError) {
  Mlp net;
  const std::string error = error_of([&] { net(zeros({2, 100})); });
  EXPECT_EQ(error.substr(0, 11), "a: linear: ") << error;
}

TEST(Mlp, AssignedLayerIsTrained) {
  Mlp net;
  net.b = nn::Linear({.in = 512, .out = 2, .bias = false});
  sum(net(zeros({1, 784}))).backward();
  EXPECT_EQ(names(net.named_parameters()), (Names{"a.weight", "a.bias", "b.weight"}));
  EXPECT_TRUE(net.parameters()[2].grad().defined());
}

TEST(Activations, AreTheFunctionsOfTheirName) {
  const Tensor x = tensor<float>({-2, -0.5, 0, 1, 3});
  const auto expect = [&](nn::Module&& module, const Tensor& y) {
    EXPECT_TRUE(test::compare_bitwise(module(x), y)) << module.type_name();
  };
  expect(nn::ReLU(), relu(x));
  expect(nn::GELU(), gelu(x));
  expect(nn::GELU({.tanh = true}), gelu_tanh(x));
  expect(nn::SiLU(), silu(x));
  expect(nn::Sigmoid(), sigmoid(x));
  expect(nn::Tanh(), tanh(x));
  expect(nn::Softmax(), softmax(x, 0));
  expect(nn::LogSoftmax({.dim = 0}), log_softmax(x, 0));
  expect(nn::Identity(), x);
}

TEST(LayerNorm, IsTheFunctionWithPyTorchsNamesAndStart) {
  nn::LayerNorm layer({.shape = {2, 3}});
  EXPECT_EQ(names(layer.state_dict().tensors()), (Names{"weight", "bias"}));
  EXPECT_EQ(layer.weight.to_vector<float>(), std::vector<float>(6, 1));
  EXPECT_EQ(layer.bias.to_vector<float>(), std::vector<float>(6, 0));
  init_with_noise(layer);
  const Tensor x = randn({4, 2, 3});
  EXPECT_TRUE(test::compare_bitwise(layer(x), layer_norm(x, {2, 3}, layer.weight, layer.bias)));
  EXPECT_EQ(names(nn::LayerNorm({.shape = {3}, .bias = false}).state_dict().tensors()), (Names{"weight"}));
  EXPECT_TRUE(nn::LayerNorm({.shape = {3}, .affine = false}).parameters().empty());
  EXPECT_EQ(error_of([] { nn::LayerNorm({}); }), "LayerNorm: shape is empty; give the last dimensions' sizes");
  EXPECT_EQ(error_of([] { nn::LayerNorm({.shape = {3, 0}}); }),
            "LayerNorm: every size of shape must be at least 1, not 0");
}

TEST(Dropout, DropsInTrainingOnly) {
  manual_seed(3);
  nn::Dropout layer({.p = 0.25});
  const Tensor x = ones({10000});
  int dropped = 0;
  for (const float value : layer(x).to_vector<float>()) {
    EXPECT_TRUE(value == 0 || std::abs(value - 1 / 0.75f) < 1e-6f) << value;
    dropped += value == 0;
  }
  EXPECT_NEAR(dropped, 2500, 200);
  layer.eval();
  EXPECT_TRUE(layer(x).is_same(x));
  EXPECT_EQ(error_of([] { nn::Dropout({.p = 1.5}); }), "Dropout: p must be between 0 and 1, not 1.5");
}

template <class Layer>
void expect_whole_channels_dropped(const Shape& shape) {
  manual_seed(4);
  Layer layer;
  const std::vector<float> y = layer(ones(shape)).template to_vector<float>();
  const std::size_t size = y.size() / 64;
  int dropped = 0;
  for (std::size_t channel = 0; channel < 64; ++channel) {
    for (std::size_t i = 1; i < size; ++i) EXPECT_EQ(y[channel * size + i], y[channel * size]);
    dropped += y[channel * size] == 0;
  }
  EXPECT_GT(dropped, 16);
  EXPECT_LT(dropped, 48);
}

TEST(FeatureDropout, DropsWholeChannels) {
  expect_whole_channels_dropped<nn::Dropout1d>({8, 8, 5});
  expect_whole_channels_dropped<nn::Dropout2d>({8, 8, 5, 2});
  expect_whole_channels_dropped<nn::Dropout3d>({8, 8, 3, 2, 2});
}

TEST(Embedding, ReadsRowsAndLeavesThePaddingRowAlone) {
  nn::Embedding layer({.count = 5, .dim = 3, .padding = 2});
  EXPECT_EQ(names(layer.state_dict().tensors()), (Names{"weight"}));
  EXPECT_TRUE(layer.weight.is_leaf());
  const Tensor y = layer(tensor<std::int64_t>({4, 2}));
  EXPECT_TRUE(test::compare_bitwise(y[0], layer.weight[4]));
  EXPECT_EQ(y[1].to_vector<float>(), (std::vector<float>{0, 0, 0}));
  sum(y).backward();
  EXPECT_EQ(layer.weight.grad()[2].to_vector<float>(), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(layer.weight.grad()[4].to_vector<float>(), (std::vector<float>{1, 1, 1}));
  EXPECT_EQ(error_of([] { nn::Embedding({.count = 5, .dim = 3, .padding = 5}); }),
            "Embedding: padding = 5 is out of range for 5 rows");
}

TEST(Embedding, TiesItsTableToALinearLayer) {
  struct Model : nn::Module {
    nn::Embedding tokens = child("tokens", nn::Embedding({.count = 7, .dim = 4}));
    nn::Linear head = child("head", nn::Linear({.in = 4, .out = 7, .bias = false}));
    Model() { head.weight = tokens.weight; }
    Tensor forward(const Tensor& index) { return head(tokens(index)); }
  };
  Model model;
  EXPECT_EQ(names(model.named_parameters()), (Names{"tokens.weight"}));
  EXPECT_EQ(names(model.state_dict().tensors()), (Names{"tokens.weight", "head.weight"}));
  Model copy = clone(model);
  EXPECT_TRUE(copy.head.weight.is_same(copy.tokens.weight));
  sum(model(tensor<std::int64_t>({1}))).backward();
  EXPECT_TRUE(model.head.weight.grad().defined());
}

TEST(Flatten, KeepsTheBatch) {
  EXPECT_EQ(nn::Flatten()(zeros({2, 3, 4, 5})).shape(), Shape({2, 60}));
  EXPECT_EQ(nn::Flatten({.first = 0, .last = 1})(zeros({2, 3, 4})).shape(), Shape({6, 4}));
}

TEST(BatchNorm, HasPyTorchsNamesAndStart) {
  const nn::BatchNorm2d layer({.features = 3});
  EXPECT_EQ(names(layer.state_dict().tensors()),
            (Names{"weight", "bias", "running_mean", "running_var", "num_batches_tracked"}));
  EXPECT_EQ(layer.weight.to_vector<float>(), (std::vector<float>{1, 1, 1}));
  EXPECT_EQ(layer.bias.to_vector<float>(), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(layer.running_mean.to_vector<float>(), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(layer.running_var.to_vector<float>(), (std::vector<float>{1, 1, 1}));
  EXPECT_EQ(layer.num_batches_tracked.dtype(), int64);
  EXPECT_TRUE(nn::BatchNorm1d({.features = 3, .affine = false, .track_running_stats = false}).state_dict().empty());
}

TEST(BatchNorm, UsesTheBatchInTrainingAndTheAveragesInEvaluation) {
  nn::BatchNorm1d layer({.features = 1, .momentum = 0.5});
  const Tensor x = from_vector<float>({1, 3}, {2, 1});
  const std::vector<float> trained = layer(x).to_vector<float>();
  EXPECT_NEAR(trained[0], -1, 1e-4);
  EXPECT_NEAR(trained[1], 1, 1e-4);
  EXPECT_FLOAT_EQ(layer.running_mean.item<float>(), 1);   // (1 - 0.5) · 0 + 0.5 · 2
  EXPECT_FLOAT_EQ(layer.running_var.item<float>(), 1.5);  // (1 - 0.5) · 1 + 0.5 · 2, the unbiased variance
  EXPECT_EQ(layer.num_batches_tracked.item<int>(), 1);
  layer.eval();
  EXPECT_NEAR(layer(x).to_vector<float>()[1], 2 / std::sqrt(1.5), 1e-4);
  EXPECT_EQ(layer.num_batches_tracked.item<int>(), 1);
}

TEST(BatchNorm, WithoutTrackingAlwaysUsesTheBatch) {
  nn::BatchNorm1d layer({.features = 1, .track_running_stats = false});
  layer.eval();
  EXPECT_NEAR(layer(from_vector<float>({1, 3}, {2, 1})).to_vector<float>()[1], 1, 1e-4);
}

TEST(BatchNorm, RefusesOtherShapesAndLeavesItsCountAlone) {
  nn::BatchNorm2d layer({.features = 3});
  EXPECT_EQ(error_of([&] { layer(zeros({2, 3})); }),
            "batch_norm: BatchNorm2d takes x [N, C, H, W], not float32 [2, 3]");
  EXPECT_EQ(error_of([&] { layer(zeros({2, 4, 1, 1})); }),
            "batch_norm: the layer has 3 channels, but x is float32 [2, 4, 1, 1]");
  EXPECT_NE(error_of([&] { layer(zeros({1, 3, 1, 1})); }), "no error");
  EXPECT_EQ(layer.num_batches_tracked.item<int>(), 0);
  EXPECT_EQ(error_of([] { nn::BatchNorm2d({}); }), "BatchNorm: features must be at least 1, not 0");
}

TEST(CrossEntropyLoss, IsTheFunctionAndMovesItsWeights) {
  const Tensor logits = from_vector<float>({1, 2, 0, -1, 0, 3}, {2, 3});
  const Tensor target = tensor<std::int64_t>({1, 2});
  const Tensor weight = tensor<float>({1, 2, 3});
  nn::CrossEntropyLoss loss({.weight = weight, .label_smoothing = 0.1});
  EXPECT_TRUE(test::compare_bitwise(loss(logits, target),
                                    cross_entropy(logits, target, {.weight = weight, .label_smoothing = 0.1})));
  EXPECT_EQ(names(loss.named_buffers()), (Names{"weight"}));
  loss.to(float64);
  EXPECT_EQ(loss(cast(logits, float64), target).dtype(), float64);
}

}  // namespace
}  // namespace layers_test
