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
    if (row.op.starts_with("conv2d") || row.op.starts_with("linear") || row.op == "feed_forward")
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

}  // namespace
}  // namespace minima::profiler
