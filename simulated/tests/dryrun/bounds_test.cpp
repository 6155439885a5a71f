#include "simulated/dryrun/dry_run.h"

#include "examples/resnet/network.h"

#include <minima/minima.h>
#include <minima/models/language/gpt2.h>

#include <gtest/gtest.h>

#include <functional>

// Parts of the benchmarks' networks ask this of an H200 today, forward and backward under bfloat16, at true size.
// Bounds only fall.

namespace minima::bounds_test {

using simulated::DryRun;
using simulated::DryRunReport;

namespace {

struct Bounds {
  std::int64_t launches = 0;
  double gigabytes = 0;
  std::int64_t layout_copies = 0, casts = 0, strided_loops = 0, one_thread_grids = 0, calls = 0;
};

/// Forward under autocast and backward, with gradients that were cleared.
DryRunReport run(DryRun& dry, nn::ModuleBase& network, const std::function<Tensor()>& forward) {
  return dry.run(network, [&] {
    network.zero_grad();
    Tensor y;
    {
      const amp::Autocast guard(Device::cuda().type, {.dtype = bfloat16});
      y = forward();
    }
    y.backward(y.numel() == 1 ? Tensor() : y.detach());
    return y;
  });
}

void expect_at_most(const DryRunReport& report, const Bounds& bounds) {
  EXPECT_LE(report.launches, bounds.launches);
  EXPECT_LE(report.bytes / 1e9, bounds.gigabytes);
  EXPECT_LE(report.layout_copies, bounds.layout_copies);
  EXPECT_LE(report.casts, bounds.casts);
  EXPECT_LE(report.strided_loops, bounds.strided_loops);
  EXPECT_LE(report.one_thread_grids, bounds.one_thread_grids);
  EXPECT_LE(report.calls, bounds.calls);
  EXPECT_EQ(report.synchronisations, 0);
  EXPECT_EQ(report.allocations, 0);
  EXPECT_EQ(report.page_moves, 0);
  EXPECT_EQ(report.fallbacks.size(), 0u);
}

TEST(DryRunBounds, GptBlock) {
  const Device device = Device::cuda();
  DryRun dry(device);
  models::GPT2 net({.vocabulary = 50304, .layers = 1, .dropout = 0});
  nn::AnyModule block = net.transformer.h[0];
  block->to(device);
  Tensor x = zeros({64, 1024, 768}, {.device = device});
  x.requires_grad(true);
  const DryRunReport report = run(dry, *block, [&] { return block(x); });
  expect_at_most(report,
                 {.launches = 39, .gigabytes = 12.2, .layout_copies = 0, .casts = 10, .strided_loops = 0, .calls = 85});
}

TEST(DryRunBounds, LanguageModelHead) {
  const Device device = Device::cuda();
  DryRun dry(device);
  nn::Embedding tokens({.count = 50304, .dim = 768});
  tokens.to(device);
  Tensor h = zeros({65536, 768}, {.device = device});
  h.requires_grad(true);
  const Tensor next = zeros({65536}, {.dtype = int64, .device = device});
  const DryRunReport report = run(dry, tokens, [&] { return linear_cross_entropy(h, tokens.weight, {}, next); });
  expect_at_most(report,
                 {.launches = 89, .gigabytes = 41.0, .layout_copies = 1, .casts = 2, .strided_loops = 3, .calls = 85});
}

TEST(DryRunBounds, ResNetBottleneck) {
  const Device device = Device::cuda();
  DryRun dry(device);
  Bottleneck block(256, 64, 1);
  block.to(device);
  Tensor x = channels_last(zeros({256, 256, 56, 56}, {.dtype = bfloat16, .device = device}));
  x.requires_grad(true);
  const DryRunReport report = run(dry, block, [&] { return block(x); });
  expect_at_most(report,
                 {.launches = 41, .gigabytes = 12.5, .layout_copies = 0, .casts = 6, .strided_loops = 3, .calls = 98});
}

}  // namespace
}  // namespace minima::bounds_test
