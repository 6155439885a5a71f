#include "examples/resnet/network.h"
#include "examples/tiny_gpt/network.h"

#include <minima/minima.h>
#include <minima/profiler/profile.h>

#include <gtest/gtest.h>

// FLOPs of training steps compared with those of torch.utils.flop_counter.FlopCounterMode (PyTorch 2.15), which counts
// products and convolutions.

namespace minima::profiler {
namespace {

constexpr Roof roof{.bytes_per_second = 1e10, .flops_per_second = 1e11, .call_seconds = 1e-7};

struct Flops {
  double forward = 0, backward = 0;
};
/// Of products and convolutions.
template <class Step> Flops flops_of(const Step& step) {
  Profile profile;
  step();
  Flops result;
  for (const Row& row : profile.report(roof).by_op())
    if (row.op.starts_with("conv") || row.op.starts_with("linear") || row.op == "feed_forward")
      (row.backward ? result.backward : result.forward) += row.flops;
  return result;
}

TEST(Flops, OfAResNet50AreThoseThatPyTorchCounts) {
  ResNet network(50);
  const Tensor x = zeros({2, 3, 64, 64}), y = zeros({2}, {.dtype = int64});
  const Flops flops = flops_of([&] { cross_entropy(network(x), y).backward(); });
  EXPECT_NEAR(flops.forward, 1'342'767'104, 1e-3 * 1'342'767'104);
  EXPECT_NEAR(flops.forward + flops.backward, 3'989'766'144, 1e-3 * 3'989'766'144);
}

TEST(Flops, OfAGptAreThoseThatPyTorchCounts) {
  Gpt network({.vocabulary = 512, .context = 128, .width = 96, .depth = 2, .heads = 3, .dropout = 0});
  const Tensor text = zeros({2, 128}, {.dtype = int64});
  const Flops flops = flops_of([&] { network.loss(text, text).backward(); });
  // Without attention, of which PyTorch counts masked pairs, too; backward has two products for each one of forward.
  const double head = 2.0 * 256 * 96 * 512, products = 113'246'208;
  EXPECT_NEAR(flops.forward + flops.backward, 3 * (products + head), 1e-3 * 3 * (products + head));
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
  EXPECT_NEAR(flops.forward, 13'795'328, 1e-3 * 13'795'328);
  EXPECT_NEAR(flops.forward + flops.backward, 40'501'248, 1e-3 * 40'501'248);
}

// PyTorch counts nothing for an LSTM on the CPU, so these are counted by hand.
TEST(Flops, OfAnLstmAreThoseCountedByHand) {
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
}  // namespace minima::profiler
