#include "simulated/dryrun/dry_run.h"

#include <minima/distributed/pretend.h>
#include <minima/distributed/sharding/sharding.h>
#include <minima/minima.h>
#include <minima/nn/init/defer.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

// A rank of a pretended group, in a dry run, holds and sends what the formulas of docs/distributed.md say. The formulas
// are those that tests/distributed/sharding_costs_test.cpp compares with real processes.

namespace minima::sharding_dry_run_test {
namespace {

void expect_near(const char* what, double found, double expected, double ranks) {
  EXPECT_NEAR(found, expected, 0.03 * expected) << what << " on " << ranks << " ranks";
}

TEST(DryRunOfShards, HoldsAndSendsWhatTheFormulasSay) {
  constexpr std::int64_t blocks = 6, width = 8192;  // products take 80 MiB for themselves
  constexpr double block = width * width;
  const Device device = Device::cuda();
  for (const bool halves : {false, true})
    for (const int ranks : {1, 2, 4, 8}) {
      simulated::DryRun dry(device);
      nn::Sequential net;
      {
        const nn::init::Defer defer;
        for (int i = 0; i < blocks; ++i)  // purposes are recorded by minima's kernels, not by library calls
          net.push_back(nn::Sequential(nn::Linear({.in = width, .out = width, .bias = false}), nn::ReLU()));
      }
      net.to(device);
      distributed::Traffic traffic;
      distributed::ShardingOptions options;
      if (halves) options.compute = bfloat16, options.reduce = float32;
      const distributed::Sharding sharding = distributed::shard(
          net, distributed::children_of(net),
          distributed::pretend(ranks - 1, ranks, {.device = device, .traffic = traffic, .values = false}), options);
      optim::AdamW optimizer(net.parameters(), {.lr = 1e-3});
      Tensor x = zeros({64, width}, {.dtype = halves ? bfloat16 : float32, .device = device});
      x.requires_grad(true);
      const auto step = [&] {
        optimizer.zero_grad();
        const Tensor loss = mean(square(net(x)));
        loss.backward();
        optimizer.step();
        return loss;
      };
      const simulated::DryRunReport report = dry.run(net, step);
      const auto held = [&](Purpose purpose) {
        return static_cast<double>(report.peak_by[static_cast<std::size_t>(purpose)]);
      };
      const double share = blocks * block / ranks, computed = halves ? 2 : 4;
      expect_near("parameters", held(Purpose::parameters), 4 * share, ranks);
      expect_near("gradients", held(Purpose::gradients), 4 * share, ranks);
      expect_near("state", held(Purpose::optimizer_state), 8 * share, ranks);
      expect_near("communication", held(Purpose::communication),
                  (3 * computed + 4 + (halves ? computed / ranks : 0)) * block, ranks);
      traffic.reset();
      step();
      const auto others = static_cast<std::int64_t>(blocks * block / ranks) * (ranks - 1);
      EXPECT_EQ(traffic.of(distributed::Collective::all_gather).bytes, 2 * others * (halves ? 2 : 4));
      EXPECT_EQ(traffic.of(distributed::Collective::reduce_scatter).bytes, others * 4);
      EXPECT_EQ(traffic.bytes(), others * (halves ? 8 : 12)) << "nothing else is sent";
    }
}

}  // namespace
}  // namespace minima::sharding_dry_run_test
