#include "tests/nn/toy_modules.h"

#include <minima/autograd/backward.h>
#include <minima/nn/nn.h>
#include <minima/ops/ops.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

namespace variants_test {
namespace {

using namespace minima;
using namespace toy;

TEST(Conv1d, IsConv2dOfHeightOne) {
  nn::Conv1d line({.in = 2, .out = 4, .kernel = 3, .stride = 2, .padding = 1, .groups = 2});
  const Tensor x = randn({3, 2, 9});
  EXPECT_EQ(line.weight.shape(), (Shape{4, 1, 3}));
  const Tensor expected =
      conv2d(unsqueeze(x, 2), unsqueeze(line.weight, 2), line.bias, {.stride = {1, 2}, .padding = {0, 1}, .groups = 2});
  EXPECT_TRUE(identical(line(x), squeeze(expected, 2)));
  EXPECT_THROW(nn::Conv1d({.in = 3, .out = 4, .kernel = 3, .groups = 2}), ValueError);
}

TEST(ConvTranspose2d, IsTheGradientOfConv2d) {
  nn::ConvTranspose2d up({.in = 3, .out = 2, .kernel = 4, .stride = 2, .padding = 1, .bias = false});
  Tensor image = zeros({1, 2, 10, 8}).requires_grad(true);
  const Tensor x = randn({1, 3, 5, 4});
  const Tensor slope = grad({conv2d(image, up.weight, {}, {.stride = 2, .padding = 1})}, {image}, {x})[0];
  EXPECT_TRUE(allclose(up(x), slope));
  EXPECT_EQ(names(up.named_parameters()), (Names{"weight"}));
}

TEST(ConvTranspose1d, MakesSequencesLonger) {
  nn::ConvTranspose1d up({.in = 2, .out = 3, .kernel = 4, .stride = 2, .padding = 1});
  EXPECT_EQ(up(randn({5, 2, 7})).shape(), (Shape{5, 3, 14}));
}

TEST(Pooling1d, OfSequences) {
  const Tensor x = reshape(arange(8, {.dtype = float32}), {1, 1, 8});
  EXPECT_EQ(nn::MaxPool1d({.kernel = 2})(x).to_vector<float>(), (std::vector<float>{1, 3, 5, 7}));
  EXPECT_EQ(nn::AvgPool1d({.kernel = 4})(x).to_vector<float>(), (std::vector<float>{1.5f, 5.5f}));
  EXPECT_EQ(nn::AdaptiveAvgPool1d(2)(x).to_vector<float>(), (std::vector<float>{1.5f, 5.5f}));
  EXPECT_EQ(nn::AdaptiveMaxPool1d(2)(x).to_vector<float>(), (std::vector<float>{3, 7}));
  EXPECT_EQ(nn::AdaptiveMaxPool2d({1, 2})(reshape(x, {1, 1, 2, 4})).to_vector<float>(), (std::vector<float>{5, 7}));
}

TEST(Unbatched, LayersTakeOneSampleAsABatchOfOne) {
  const Tensor sequence = randn({2, 9}), image = randn({2, 9, 7});
  const auto agree = [](auto layer, const Tensor& x) {
    const Tensor y = layer(x);
    return y.rank() == x.rank() && identical(y, squeeze(layer(unsqueeze(x, 0)), 0));
  };
  EXPECT_TRUE(agree(nn::Conv1d({.in = 2, .out = 4, .kernel = 3}), sequence));
  EXPECT_TRUE(agree(nn::Conv2d({.in = 2, .out = 4, .kernel = 3}), image));
  EXPECT_TRUE(agree(nn::ConvTranspose1d({.in = 2, .out = 4, .kernel = 3}), sequence));
  EXPECT_TRUE(agree(nn::ConvTranspose2d({.in = 2, .out = 4, .kernel = 3}), image));
  EXPECT_TRUE(agree(nn::MaxPool1d({.kernel = 2}), sequence));
  EXPECT_TRUE(agree(nn::MaxPool2d({.kernel = 2}), image));
  EXPECT_TRUE(agree(nn::AvgPool1d({.kernel = 2}), sequence));
  EXPECT_TRUE(agree(nn::AvgPool2d({.kernel = 2}), image));
  EXPECT_TRUE(agree(nn::AdaptiveAvgPool1d(2), sequence));
  EXPECT_TRUE(agree(nn::AdaptiveAvgPool2d(2), image));
  EXPECT_TRUE(agree(nn::AdaptiveMaxPool1d(2), sequence));
  EXPECT_TRUE(agree(nn::AdaptiveMaxPool2d(2), image));
  // As in PyTorch, BatchNorm1d needs a batch: it reads [C, L] as C samples of L features.
  EXPECT_EQ(nn::BatchNorm1d({.features = 9})(sequence).shape(), (Shape{2, 9}));
  EXPECT_THROW(nn::BatchNorm1d({.features = 2})(sequence), ShapeError);
  EXPECT_THROW(nn::BatchNorm2d({.features = 2})(image), ShapeError);
}

TEST(Upsample, RepeatsNeighbours) {
  const Tensor x = from_vector<float>({1, 2, 3, 4}, {1, 1, 2, 2});
  EXPECT_EQ(nn::Upsample({.scale = {2}})(x)[0][0][0].to_vector<float>(), (std::vector<float>{1, 1, 2, 2}));
}

TEST(AlphaDropout, LeavesEvaluationAlone) {
  nn::AlphaDropout drop({.p = 0.5});
  nn::FeatureAlphaDropout features({.p = 0.5});
  const Tensor x = randn({50, 40});
  EXPECT_FALSE(identical(drop(x), x));
  drop.eval();
  features.eval();
  EXPECT_TRUE(identical(drop(x), x));
  EXPECT_TRUE(identical(features(x), x));
  EXPECT_THROW(nn::AlphaDropout({.p = 2}), ValueError);
}

TEST(ModuleDict, HoldsModulesByName) {
  struct M : nn::Module {
    nn::ModuleDict parts = child("parts", nn::ModuleDict({{"one", Shift(1)}, {"net", Net()}}));
    Tensor forward(const Tensor& x) { return parts["net"](parts["one"](x)); }
  };
  M m;
  EXPECT_EQ(names(m.named_parameters()), (Names{"parts.one.bias", "parts.net.a.bias", "parts.net.b.bias"}));
  EXPECT_EQ(m.parts.names(), (Names{"one", "net"}));
  EXPECT_EQ(m.parts.at<Shift>("one").bias.item<float>(), 1);
  EXPECT_TRUE(m.parts.contains("net"));
  EXPECT_FALSE(m.parts.contains("two"));
  EXPECT_THROW(m.parts["two"], IndexError);
  EXPECT_THROW(m.parts.insert("one", Shift(1)), ValueError);
}

TEST(ParameterList, NamesItsElementsAsPyTorch) {
  struct M : nn::Module {
    nn::ParameterList scales = child("scales", nn::ParameterList({values({1}), values({2})}));
    Tensor forward(const Tensor& x) { return x * scales[0] * scales[-1]; }
  };
  M m;
  EXPECT_EQ(names(m.named_parameters()), (Names{"scales.0", "scales.1"}));
  M copy = m;
  copy.load_state_dict(m.state_dict());
  EXPECT_EQ(names(copy.named_parameters()), (Names{"scales.0", "scales.1"}));
  EXPECT_TRUE(copy.scales[1].is_same(m.scales[1]));
  EXPECT_FALSE(nn::clone(m).scales[1].is_same(m.scales[1]));
  sum(m(values({3}))).backward();
  EXPECT_EQ(m.scales[0].grad().item<float>(), 6);
  EXPECT_THROW(m.scales[2], IndexError);
}

TEST(ParameterDict, NamesItsElementsAsPyTorch) {
  struct M : nn::Module {
    nn::ParameterDict scales = child("scales", nn::ParameterDict({{"left", values({1})}, {"right", values({2})}}));
    Tensor forward(const Tensor& x) { return x * scales["left"] * scales["right"]; }
  };
  M m;
  EXPECT_EQ(names(m.named_parameters()), (Names{"scales.left", "scales.right"}));
  EXPECT_FALSE(nn::clone(m).scales["left"].is_same(m.scales["left"]));
  sum(m(values({3}))).backward();
  EXPECT_EQ(m.scales["left"].grad().item<float>(), 6);
  m.scales.insert("both", values({4}));
  EXPECT_EQ(m.scales.names(), (Names{"left", "right", "both"}));
  EXPECT_TRUE(m.scales.contains("both"));
  EXPECT_EQ(m.scales.size(), 3u);
  EXPECT_THROW(m.scales.insert("both", values({4})), ValueError);
  EXPECT_THROW(m.scales["neither"], IndexError);
}

TEST(Freeze, TakesParametersByTheBeginningOfTheirNames) {
  nn::Sequential net(nn::Linear({.in = 1, .out = 2}), nn::Linear({.in = 2, .out = 1}));
  sum(net(ones({1, 1}))).backward();
  EXPECT_EQ(nn::freeze(net, "0."), 2);
  EXPECT_FALSE(net.parameters()[0].requires_grad());
  EXPECT_FALSE(net.parameters()[0].grad().defined());
  EXPECT_TRUE(net.parameters()[2].requires_grad());
  EXPECT_EQ(nn::unfreeze(net), 4);
  EXPECT_TRUE(net.parameters()[0].requires_grad());
}

}  // namespace
}  // namespace variants_test
