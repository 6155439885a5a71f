#include "tests/support/expect_error.h"

#include <minima/autograd/backward.h>
#include <minima/nn/clone.h>
#include <minima/nn/lazy/lazy.h>
#include <minima/nn/nn.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

namespace minima::nn::lazy_test {
namespace {

using test::message_of;

struct Net : Module {
  LazyConv2d conv = child("conv", LazyConv2d({.out = 6, .kernel = 3, .groups = 3}));
  LazyBatchNorm2d norm = child("norm", LazyBatchNorm2d(BatchNormOptions{}));
  LazyLinear fc = child("fc", LazyLinear({.out = 4}));
  Tensor forward(const Tensor& x) override { return fc(flatten(relu(norm(conv(x))), 1)); }
};

TEST(Lazy, TakesSizesFromTheFirstBatch) {
  Net net;
  EXPECT_TRUE(net.parameters().empty());
  EXPECT_FALSE(net.fc.is_materialised());
  EXPECT_EQ(net(randn({2, 9, 6, 6})).shape(), Shape({2, 4}));
  EXPECT_EQ(net.conv.weight.shape(), Shape({6, 3, 3, 3}));
  EXPECT_EQ(net.conv.options.in, 9);
  EXPECT_EQ(net.norm.running_mean.shape(), Shape({6}));
  EXPECT_EQ(net.fc.weight.shape(), Shape({4, 96}));
  EXPECT_EQ(net.parameters().size(), 6u);
  EXPECT_EQ(net.state_dict().tensors().size(), 9u);
  EXPECT_EQ(net.state_dict().tensors()[0].name, "conv.weight");
  sum(net(randn({2, 9, 6, 6}))).backward();
  EXPECT_TRUE(net.conv.weight.grad().defined());
}

TEST(Lazy, IsAnOrdinaryLayerFromThenOn) {
  Sequential net(LazyLinear({.out = 3}), ReLU());
  net(zeros({1, 5}));
  Sequential copy = clone(net);
  const Tensor x = randn({2, 5});
  EXPECT_TRUE(all(copy(x) == net(x)).item<bool>());
  Sequential plain(Linear({.in = 5, .out = 3}), ReLU());
  plain.load_state_dict(net.state_dict());
  EXPECT_TRUE(all(plain(x) == net(x)).item<bool>());
  EXPECT_THROW(net(zeros({1, 6})), ShapeError);
}

TEST(Lazy, EveryKindOfLayerReadsItsDimension) {
  const auto inputs = [](auto layer, const Shape& shape) {
    layer(randn(shape));
    return layer.options;
  };
  EXPECT_EQ(inputs(LazyConv1d({.out = 2, .kernel = 2}), {3, 8}).in, 3);
  EXPECT_EQ(inputs(LazyConv3d({.out = 2, .kernel = 2}), {1, 4, 3, 3, 3}).in, 4);
  EXPECT_EQ(inputs(LazyConvTranspose1d({.out = 2, .kernel = 2}), {1, 3, 8}).in, 3);
  EXPECT_EQ(inputs(LazyConvTranspose2d({.out = 2, .kernel = 2}), {5, 4, 4}).in, 5);
  EXPECT_EQ(inputs(LazyConvTranspose3d({.out = 2, .kernel = 2}), {1, 2, 3, 3, 3}).in, 2);
  EXPECT_EQ(inputs(LazyBatchNorm1d({.momentum = 0.2}), {4, 7}).features, 7);
  EXPECT_EQ(inputs(LazyBatchNorm3d({.momentum = 0.2}), {2, 3, 2, 2, 2}).features, 3);
  EXPECT_EQ(inputs(LazyInstanceNorm1d({.affine = true}), {2, 3, 5}).features, 3);
  EXPECT_EQ(inputs(LazyInstanceNorm2d({.affine = true}), {3, 5, 5}).features, 3);
  EXPECT_EQ(inputs(LazyInstanceNorm3d({.affine = true}), {2, 4, 3, 3, 3}).features, 4);
}

TEST(Lazy, ComputesInTheDtypeOfTheBatch) {
  LazyLinear layer({.out = 2});
  EXPECT_EQ(layer(randn({3, 4}, {.dtype = float64})).dtype(), float64);
}

TEST(Lazy, RefusesWhatLeavesNothingToFind) {
  EXPECT_CONTAINS(message_of<ValueError>([] { LazyLinear({.in = 4, .out = 2}); }), "takes its number of inputs");
  EXPECT_CONTAINS(message_of<ValueError>([] { LazyLinear(LinearOptions{}); }), "Linear: out must be at least 1");
  EXPECT_CONTAINS(message_of<ShapeError>([] { LazyConv2d({.out = 2, .kernel = 1})(zeros({4, 4})); }),
                  "the first batch has shape");
}

}  // namespace
}  // namespace minima::nn::lazy_test
