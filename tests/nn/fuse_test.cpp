#include "tests/support/expect_error.h"

#include <minima/nn/fuse.h>
#include <minima/nn/nn.h>
#include <minima/ops/ops.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

namespace minima::nn::fuse_test {
namespace {

using test::message_of;

/// A norm with statistics and parameters that are not those it starts with.
template <class Norm>
Norm used(const BatchNormOptions& options, const Shape& shape) {
  Norm norm(options);
  norm.to(float64);
  for (int i = 0; i < 3; ++i) norm(randn(shape, {.dtype = float64}) * 2 + 1);
  if (norm.weight.defined()) {
    uniform_(norm.weight.detach(), 0.5, 2);
    uniform_(norm.bias.detach(), -1, 1);
  }
  norm.eval();
  return norm;
}

TEST(Fuse, FoldsANormIntoAConvolution) {
  for (const bool bias : {false, true})
    for (const bool affine : {false, true}) {
      Conv2d conv({.in = 4, .out = 6, .kernel = 3, .stride = 2, .padding = 1, .groups = 2, .bias = bias});
      conv.to(float64);
      conv.eval();
      BatchNorm2d norm = used<BatchNorm2d>({.features = 6, .affine = affine}, {4, 6, 3, 3});
      Conv2d fused = fuse_conv_bn_eval(conv, norm);
      const Tensor x = randn({2, 4, 8, 8}, {.dtype = float64});
      const Closeness close = allclose(fused(x).detach(), norm(conv(x)).detach(), {.rtol = 1e-9, .atol = 1e-11});
      EXPECT_TRUE(close) << close.message;
      EXPECT_FALSE(fused.is_training());
    }
}

TEST(Fuse, FoldsANormIntoALinearLayer) {
  Linear linear({.in = 4, .out = 5});
  linear.to(float64);
  linear.eval();
  BatchNorm1d norm = used<BatchNorm1d>({.features = 5}, {8, 5});
  const Tensor x = randn({3, 4}, {.dtype = float64});
  EXPECT_TRUE(allclose(fuse_linear_bn_eval(linear, norm)(x), norm(linear(x)), {.rtol = 1e-9, .atol = 1e-11}));
}

TEST(Fuse, RefusesWhatItCannotFold) {
  Conv2d conv({.in = 2, .out = 3, .kernel = 1});
  BatchNorm2d norm({.features = 3}), other({.features = 4}), without({.features = 3, .track_running_stats = false});
  EXPECT_CONTAINS(message_of<ValueError>([&] { fuse_conv_bn_eval(conv, norm); }), "evaluation mode");
  for (ModuleBase* module : {static_cast<ModuleBase*>(&conv), static_cast<ModuleBase*>(&norm),
                             static_cast<ModuleBase*>(&other), static_cast<ModuleBase*>(&without)})
    module->eval();
  EXPECT_CONTAINS(message_of<ShapeError>([&] { fuse_conv_bn_eval(conv, other); }), "has 3 outputs, the batch norm 4");
  EXPECT_CONTAINS(message_of<ValueError>([&] { fuse_conv_bn_eval(conv, without); }), "no running statistics");
}

}  // namespace
}  // namespace minima::nn::fuse_test
