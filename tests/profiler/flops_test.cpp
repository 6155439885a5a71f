#include "examples/resnet/network.h"

#include <minima/io/text/json.h>
#include <minima/minima.h>
#include <minima/models/language/gpt2.h>
#include <minima/profiler/profile.h>

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

// FLOPs of training steps compared with those of torch.utils.flop_counter.FlopCounterMode, which counts products,
// convolutions and attention: fixtures/flops.json, written by generate_flops.py.

namespace minima::profiler::flops_test {
namespace {

constexpr Roof roof{.bytes_per_second = 1e10, .flops_per_second = 1e11, .call_seconds = 1e-7};

struct Flops {
  double forward = 0, backward = 0, attention = 0;
};
/// Of products and convolutions, and of attention.
template <class Step> Flops flops_of(const Step& step) {
  Profile profile;
  step();
  Flops result;
  for (const Row& row : profile.report(roof).by_op())
    if (row.op.starts_with("conv") || row.op.starts_with("linear") || row.op == "feed_forward")
      (row.backward ? result.backward : result.forward) += row.flops;
    else if (row.op.find("attention") != std::string::npos) result.attention += row.flops;
  return result;
}

Json pytorch(const std::string& network) {
  std::ifstream file(MINIMA_FIXTURES "/flops.json");
  std::stringstream text;
  text << file.rdbuf();
  return Json::parse(text.str()).at(network);
}

void expect_equal(const Flops& flops, const Json& expected) {
  const double forward = expected.at("forward").number(), step = expected.at("step").number();
  EXPECT_NEAR(flops.forward, forward, 1e-3 * forward);
  EXPECT_NEAR(flops.forward + flops.backward, step, 1e-3 * step);
}

TEST(Flops, OfAResNet50AreThoseThatPyTorchCounts) {
  ResNet network(50);
  const Tensor x = zeros({2, 3, 64, 64}), y = zeros({2}, {.dtype = int64});
  const Flops flops = flops_of([&] { cross_entropy(network(x), y).backward(); });
  expect_equal(flops, pytorch("resnet50"));
}

TEST(Flops, OfAGptAreThoseThatPyTorchCounts) {
  models::GPT2 network({.vocabulary = 512, .positions = 128, .width = 96, .layers = 2, .heads = 3, .dropout = 0});
  const Tensor text = zeros({2, 128}, {.dtype = int64});
  const Flops flops = flops_of([&] { network.loss(text, text).mean().backward(); });
  const Json counts = pytorch("gpt2").at("step_by_op");
  const double products = counts.at("aten.addmm").number() + counts.at("aten.mm").number();
  EXPECT_NEAR(flops.forward + flops.backward, products, 1e-3 * products);
  // Of causal attention PyTorch counts all pairs, ours the half that is not masked; and backward has a fifth product,
  // the scores, which it computes again.
  const double attention = counts.at("aten.bmm").number() / 2 * (2 + 5) / (2 + 4);
  EXPECT_NEAR(flops.attention, attention, 1e-3 * attention);
}

/// Three levels (Ronneberger et al. 2015), without biases, which PyTorch does not count.
struct UNet : nn::Module {
  nn::Conv2d a = child("a", nn::Conv2d({.in = 3, .out = 8, .kernel = 3, .padding = 1, .bias = false}));
  nn::Conv2d b = child("b", nn::Conv2d({.in = 8, .out = 16, .kernel = 3, .padding = 1, .bias = false}));
  nn::Conv2d c = child("c", nn::Conv2d({.in = 16, .out = 32, .kernel = 3, .padding = 1, .bias = false}));
  nn::ConvTranspose2d up1 =
      child("up1", nn::ConvTranspose2d({.in = 32, .out = 16, .kernel = 2, .stride = 2, .bias = false}));
  nn::Conv2d d = child("d", nn::Conv2d({.in = 32, .out = 16, .kernel = 3, .padding = 1, .bias = false}));
  nn::ConvTranspose2d up2 =
      child("up2", nn::ConvTranspose2d({.in = 16, .out = 8, .kernel = 2, .stride = 2, .bias = false}));
  nn::Conv2d e = child("e", nn::Conv2d({.in = 16, .out = 8, .kernel = 3, .padding = 1, .bias = false}));
  nn::Conv2d out = child("out", nn::Conv2d({.in = 8, .out = 2, .kernel = 1, .bias = false}));
  Tensor forward(const Tensor& x) override {
    const Tensor full = relu(a(x)), half = relu(b(max_pool2d(full, {.kernel = 2})));
    const Tensor low = relu(c(max_pool2d(half, {.kernel = 2})));
    return out(relu(e(cat({up2(relu(d(cat({up1(low), half}, 1)))), full}, 1))));
  }
};

TEST(Flops, OfAUNetAreThoseThatPyTorchCounts) {
  UNet network;
  const Tensor x = zeros({2, 3, 32, 32});
  const Flops flops = flops_of([&] { sum(network(x)).backward(); });
  expect_equal(flops, pytorch("unet"));
}

// PyTorch counts nothing for an LSTM, so these are counted by hand.
TEST(Flops, OfAnLstmAreThoseCountedByHand) {
  EXPECT_EQ(pytorch("lstm").at("step").number(), 0) << "if it counts some now, compare with those";
  constexpr double steps = 5, rows = 3, in = 12, hidden = 16, gates = steps * rows * 4 * hidden;
  nn::LSTM network({.in = 12, .hidden = 16, .bias = false});
  const Tensor x = zeros({5, 3, 12});
  Profile profile;
  sum(network(x).y).backward();
  double flops = 0;
  const Report report = profile.report(roof);
  for (const Row& row : report.rows)
    if (row.op == "lstm" || row.op == "recurrent_gradient" || row.op.starts_with("linear")) flops += row.flops;
  // Forward: x and h by their weights. Backward: gradients of h and of both weights, x needs none. What lies between
  // the products is taken as 30 for each gate and direction.
  const double forward = 2 * gates * (in + hidden), backward = 2 * gates * (hidden + hidden + in), between = 60 * gates;
  EXPECT_NEAR(flops, forward + backward + between, 1e-3 * flops) << report.text(50);
}

}  // namespace
}  // namespace minima::profiler::flops_test
