#include <minima/nn/norm/conv_norm.h>

#include "tests/support/engines.h"
#include "tests/support/expect_error.h"

#include <minima/amp/autocast.h>
#include <minima/autograd/backward.h>
#include <minima/autograd/mode.h>
#include <minima/nn/containers/sequential.h>
#include <minima/nn/layers/activation.h>
#include <minima/nn/layers/pooling.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/pointwise/activation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/observer.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace minima::nn::conv_norm_test {
namespace {

using test::message_of;
using Names = std::vector<std::string>;

/// The operators that f calls on this thread, but for copies.
template <class F>
Names operators_of(F&& f) {
  struct Listener final : Observer {
    void begin(const char* op, Cost) override {
      if (const std::string name = op; name != "copy") names.push_back(name);
    }
    void end() noexcept override {}
    Names names;
  } listener;
  Observer* const previous = set_observer(&listener);
  f();
  set_observer(previous);
  return listener.names;
}

const Names fused{"conv2d_batch_norm"};

struct Layers {
  Conv2d conv;
  BatchNorm2d norm;
  Layers(const Conv2dOptions& options, bool affine = true)
      : conv(options), norm({.features = options.out, .affine = affine}) {
    const NoGrad guard;
    uniform_(norm.running_mean, -1, 1);
    uniform_(norm.running_var, 0.5, 2);
    if (affine) {
      uniform_(norm.weight, 0.5, 2);
      uniform_(norm.bias, -1, 1);
    }
    conv.eval();
    norm.eval();
  }

  /// The definition in float64, by separate operators.
  Tensor reference(const Tensor& x, const Tensor& residual, bool relu) const {
    const NoGrad guard;
    const auto wide = [](const Tensor& t) { return t.defined() ? t.detach().to(float64) : t; };
    const auto spread = [&](const Tensor& t) { return reshape(wide(t), {1, -1, 1, 1}); };
    const Conv2dOptions& o = conv.options;
    Tensor y = conv2d(wide(x), wide(conv.weight), wide(conv.bias),
                      {.stride = o.stride, .padding = o.padding, .dilation = o.dilation, .groups = o.groups});
    y = (y - spread(norm.running_mean)) / sqrt(spread(norm.running_var) + norm.options.eps);
    if (norm.weight.defined()) y = y * spread(norm.weight) + spread(norm.bias);
    if (residual.defined()) y = y + wide(residual);
    return relu ? minima::relu(y) : y;
  }
};

void expect_close(const Tensor& got, const Tensor& expected, const std::string& what) {
  ASSERT_EQ(got.dtype(), float32);
  const Closeness close = allclose(got.to(float64), expected, {.rtol = 1e-4, .atol = 1e-4});
  EXPECT_TRUE(close) << what << ": " << close.message;
}

struct Case {
  Shape x;
  Conv2dOptions options;
};

const std::vector<Case> cases{
    {{2, 3, 23, 20}, {.in = 3, .out = 16, .kernel = 7, .stride = 2, .padding = 3}},
    {{1, 16, 30, 41}, {.in = 16, .out = 24, .kernel = 3, .padding = 1, .bias = false}},
    {{3, 16, 9, 8}, {.in = 16, .out = 32, .kernel = {1, 3}, .stride = {2, 1}, .dilation = {1, 2}}},
    {{2, 8, 12, 12}, {.in = 8, .out = 16, .kernel = 3, .padding = 1, .groups = 4}},
    {{2, 6, 7, 7}, {.in = 6, .out = 6, .kernel = 3, .padding = 1, .groups = 6, .bias = false}},
    {{1, 64, 57, 56}, {.in = 64, .out = 256, .kernel = 1}},                  // in bands of rows, of two sizes
    {{9, 64, 56, 56}, {.in = 64, .out = 64, .kernel = 3, .padding = 1}},     // the same of several images
    {{2, 24, 4, 3}, {.in = 24, .out = 520, .kernel = 3, .padding = 1}},      // few positions: products
    {{1, 128, 20, 20}, {.in = 128, .out = 192, .kernel = 3, .padding = 1}},  // weights reordered in parts
    {{2, 8, 9, 10}, {.in = 8, .out = 16, .kernel = 1, .stride = 2}},         // pixels are skipped
    {{0, 8, 6, 6}, {.in = 8, .out = 8, .kernel = 3}},
    {{2, 5, 6, 7}, {.in = 5, .out = 7, .kernel = 2, .bias = false}},
};

TEST(ConvNorm, GivesTheDefinitionInOneOperator) {
  const NoGrad guard;
  for (const Case& c : cases)
    for (const bool eigen : {false, true})
      for (const bool affine : {false, true}) {
        if (eigen && numel(c.x) > 100'000) continue;
        const Layers layers(c.options, affine);
        const std::string what = str("x ", c.x, eigen ? " by Eigen" : "", affine ? "" : " without weight");
        for (const Tensor& x : {randn(c.x), channels_last(randn(c.x))}) {
          Tensor y, z, residual;
          const auto run = [&] {
            EXPECT_EQ(operators_of([&] { y = conv_norm(layers.conv, layers.norm, x); }), fused) << what;
            residual = randn(y.shape());
            EXPECT_EQ(operators_of([&] { z = conv_norm_relu(layers.conv, layers.norm, x, residual); }), fused) << what;
          };
          if (eigen) {
            const test::EigenOnly only;
            run();
          } else {
            run();
          }
          expect_close(y, layers.reference(x, {}, false), what);
          expect_close(z, layers.reference(x, residual, true), what);
          expect_close(conv_norm_relu(layers.conv, layers.norm, x, channels_last(residual)),
                       layers.reference(x, residual, true), what);
          expect_close(conv_norm_relu(layers.conv, layers.norm, x), layers.reference(x, {}, true), what);
          EXPECT_TRUE(y.layout().is_channels_last());
        }
      }
}

TEST(ConvNorm, KeepsNaN) {
  const NoGrad guard;
  const Layers layers({.in = 8, .out = 8, .kernel = 1});
  const Tensor x = randn({1, 8, 4, 4}), residual = zeros({1, 8, 4, 4});
  fill_(select(select(x, 2, 1), 2, 2), std::numeric_limits<double>::quiet_NaN());
  fill_(select(select(residual, 2, 3), 2, 0), std::numeric_limits<double>::quiet_NaN());
  const std::vector<float> y = conv_norm_relu(layers.conv, layers.norm, x, residual).to_vector<float>();
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(std::isnan(y[i]), i % 16 == 6 || i % 16 == 12) << i;
}

TEST(ConvNorm, SeesEveryChangeOfItsTensors) {
  const Inference guard;
  const Layers layers({.in = 16, .out = 64, .kernel = 3, .padding = 1});
  const Tensor x = randn({1, 16, 12, 12});
  const auto check = [&](const char* what) {
    expect_close(conv_norm_relu(layers.conv, layers.norm, x), layers.reference(x, {}, true), what);
  };
  check("at first");
  layers.conv.weight.data<float>()[5] += 3;  // no version counts this
  check("a write through a pointer");
  mul_(layers.conv.weight, -1);
  check("in place");
  layers.conv.weight.set_data(randn({64, 16, 3, 3}));
  check("other data");
  layers.norm.running_var.data<float>()[0] = 9;
  fill_(layers.norm.bias, 0.5);
  check("the norm");
}

TEST(ConvNorm, CallsBothLayersWhereOneOperatorWouldDiffer) {
  Layers layers({.in = 8, .out = 8, .kernel = 3, .padding = 1});
  const Tensor x = randn({2, 8, 5, 5});
  const auto names = [&] { return operators_of([&] { conv_norm_relu(layers.conv, layers.norm, x); }); };
  const Names two{"conv2d", "batch_norm_relu"};
  EXPECT_EQ(names(), two);  // recorded
  const NoGrad guard;
  EXPECT_EQ(names(), fused);
  {
    int calls = 0;
    ForwardHookHandle hook =
        layers.conv.add_forward_hook([&](ModuleBase&, const std::vector<Tensor>&, std::vector<Tensor>&) { ++calls; });
    EXPECT_EQ(names(), two);
    EXPECT_EQ(calls, 1);
    hook.remove();
  }
  {
    const amp::Autocast autocast(DeviceType::cpu, {.enabled = true});
    const Names in_half = names();
    EXPECT_EQ(in_half.back(), "batch_norm_relu");
  }
  layers.norm.train();
  EXPECT_EQ(operators_of([&] { conv_norm_relu(layers.conv, layers.norm, x); }).at(1), "batch_norm_relu");
  layers.norm.eval();
  struct Doubled final : Conv2d {
    using Conv2d::Conv2d;
    Tensor forward(const Tensor& in) override { return Conv2d::forward(in) * 2; }
  };
  const Doubled doubled({.in = 8, .out = 8, .kernel = 1});
  const Tensor expected = layers.norm(doubled(x));
  EXPECT_TRUE(identical(conv_norm(doubled, layers.norm, x), expected));
  layers.conv.to(float64);
  layers.norm.to(float64);
  EXPECT_EQ(operators_of([&] { conv_norm_relu(layers.conv, layers.norm, x.to(float64)); }).back(), "batch_norm_relu");
}

TEST(ConvNorm, RefusesAResidualOfAnotherShape) {
  const NoGrad guard;
  const Layers layers({.in = 8, .out = 8, .kernel = 3});
  const Tensor x = randn({2, 8, 5, 5});
  EXPECT_CONTAINS(message_of<ShapeError>([&] { conv_norm_relu(layers.conv, layers.norm, x, x); }),
                  "residual must have the shape of x float32 [2, 8, 3, 3], got float32 [2, 8, 5, 5]");
}

TEST(SequentialOfNorms, IsOneOperatorForConvolutionNormAndReLU) {
  const Layers layers({.in = 3, .out = 8, .kernel = 3}), second({.in = 8, .out = 4, .kernel = 1});
  Sequential net(layers.conv, layers.norm, ReLU(), MaxPool2d({.kernel = 2}), second.conv, second.norm);
  net.eval();
  const Tensor x = randn({2, 3, 8, 8});
  Tensor y;
  const Tensor recorded = net(x);
  const NoGrad guard;
  EXPECT_EQ(operators_of([&] { y = net(x); }), (Names{"conv2d_batch_norm", "max_pool2d", "conv2d_batch_norm"}));
  const Closeness close = allclose(y, recorded.detach(), {.rtol = 1e-4, .atol = 1e-5});
  EXPECT_TRUE(close) << close.message;
}

TEST(SequentialOfNorms, TrainsNormAndReLUAsOneOperator) {
  BatchNorm1d norm({.features = 4});
  Sequential net(norm, ReLU());
  Tensor x = randn({6, 4}), same = x.detach();
  x.requires_grad(true);
  same.requires_grad(true);
  EXPECT_EQ(operators_of([&] { sum(square(net(x))).backward(); }).at(0), "batch_norm_relu");
  const Tensor gradient = norm.weight.grad();
  EXPECT_EQ(norm.num_batches_tracked.item<int>(), 1);
  BatchNorm1d apart({.features = 4});
  sum(square(relu(apart(same)))).backward();
  EXPECT_TRUE(allclose(x.grad(), same.grad(), {1e-5, 1e-6}));
  EXPECT_TRUE(allclose(gradient, apart.weight.grad(), {1e-5, 1e-6}));
  EXPECT_TRUE(identical(norm.running_var, apart.running_var));
}

TEST(SequentialOfNorms, RunsHooksAndNamesTheModuleAtFault) {
  Sequential net(Conv2d({.in = 2, .out = 4, .kernel = 1}), BatchNorm2d({.features = 4}), ReLU());
  net.eval();
  const NoGrad guard;
  int calls = 0;
  ForwardHookHandle hook = net.at<BatchNorm2d>(1).add_forward_hook(
      [&](ModuleBase&, const std::vector<Tensor>&, std::vector<Tensor>&) { ++calls; });
  net(randn({1, 2, 3, 3}));
  EXPECT_EQ(calls, 1);
  hook.remove();
  Sequential wrong(Conv2d({.in = 2, .out = 4, .kernel = 1}), BatchNorm2d({.features = 5}), ReLU());
  wrong.eval();
  EXPECT_CONTAINS(message_of<ShapeError>([&] { wrong(randn({1, 2, 3, 3})); }), "1: batch_norm");
  Sequential large(Conv2d({.in = 2, .out = 4, .kernel = 5}), BatchNorm2d({.features = 4}), ReLU());
  large.eval();
  EXPECT_CONTAINS(message_of<ShapeError>([&] { large(randn({1, 2, 3, 3})); }),
                  "module 0: conv2d: the kernel of weight");
  Sequential floating(ReLU(), BatchNorm2d({.features = 2}), ReLU());
  EXPECT_CONTAINS(message_of<DTypeError>([&] { floating(zeros({1, 2, 3, 3}, {.dtype = int64})); }),
                  "module 1: batch_norm_relu: x must be floating");
}

/// A network of one's own, whose fused call knows the names of its layers.
struct Residual : Module {
  Conv2d conv = child("conv", Conv2d({.in = 2, .out = 2, .kernel = 3}));
  BatchNorm2d norm = child("norm", BatchNorm2d({.features = 2}));
  Tensor forward(const Tensor& x) override { return conv_norm_relu(conv, norm, x, x); }
};

TEST(ConvNorm, NamesTheModuleAtFault) {
  Residual net;
  net.eval();
  const NoGrad guard;
  EXPECT_CONTAINS(message_of<ShapeError>([&] { net(randn({1, 2, 2, 2})); }), "conv: conv2d: the kernel");
  EXPECT_CONTAINS(message_of<ShapeError>([&] { net(randn({1, 2, 5, 5})); }), "norm: batch_norm_relu: residual");
  const Conv2d conv({.in = 2, .out = 2, .kernel = 1});
  for (const double eps : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
    net.norm.options.eps = eps;
    EXPECT_CONTAINS(message_of<ValueError>([&] { conv_norm(conv, net.norm, randn({1, 2, 5, 5})); }), "eps");
  }
  net.norm.options.eps = 0;
  net.norm.running_var = {};
  EXPECT_CONTAINS(message_of<ValueError>([&] { conv_norm(conv, net.norm, randn({1, 2, 5, 5})); }), "running_var");
}

}  // namespace
}  // namespace minima::nn::conv_norm_test
