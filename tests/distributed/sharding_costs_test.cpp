#include <minima/distributed/pretend.h>
#include <minima/distributed/sharding/sharding.h>
#include <minima/minima.h>
#include <minima/nn/init/skip.h>
#include <minima/tensor/memory/blocks/memory_stats.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

// Bytes sent and held by one rank of a pretended world are compared with the formulas of docs/distributed.md.

namespace minima::distributed::sharding_costs_test {
namespace {

TEST(ShardingCosts, TrafficIsWhatTheFormulaSays) {
  constexpr std::int64_t blocks = 4, width = 16;
  for (const std::int64_t ranks : {1, 2, 4, 8})
    for (const int stage : {1, 2, 3})
      for (const bool reshard : {true, false}) {
        nn::Sequential net;
        for (int i = 0; i < blocks; ++i) net.push_back(nn::Linear({.in = width, .out = width}));
        Traffic traffic;
        const Sharding sharding =
            shard(net, children_of(net), pretend(0, static_cast<int>(ranks), {.traffic = traffic}),
                  {.stage = stage, .reshard_after_forward = reshard});
        optim::SGD optimizer(net.parameters(), {.lr = 1});
        const auto step = [&] {
          optimizer.zero_grad();
          sum(net(ones({1, width}))).backward();
          optimizer.step();
        };
        step();  // the weights that stages 1 and 2 keep are there before
        traffic.reset();
        step();
        const std::int64_t bytes = blocks * width * (width + 1) * 4, part = bytes / ranks * (ranks - 1);
        EXPECT_EQ(traffic.of(Collective::all_gather).bytes, part * (stage == 3 && reshard ? 2 : 1));
        EXPECT_EQ(traffic.of(Collective::reduce_scatter).bytes, part);
        EXPECT_EQ(traffic.of(Collective::reduce_scatter).calls, blocks);
        // A byte for each parameter, and eight for the order of calls, in parts.
        const std::int64_t flags = 2 * blocks + 8;
        EXPECT_EQ(traffic.of(Collective::all_reduce).bytes, ranks == 1 ? 0 : 2 * (flags - (flags + ranks - 1) / ranks));
        traffic.reset();
        {
          const auto guard = sharding.no_sync();
          sum(net(ones({1, width}))).backward();
        }
        EXPECT_EQ(traffic.of(Collective::reduce_scatter).calls, 0);
      }
}

TEST(ShardingCosts, TheNextBlockIsGatheredAhead) {
  for (const bool prefetch : {true, false}) {
    nn::Sequential net;
    for (int i = 0; i < 3; ++i) net.push_back(nn::Linear({.in = 8, .out = 8}));
    const std::vector<nn::ModuleBase*> layers = children_of(net);
    const Sharding sharding = shard(net, layers, pretend(0, 2), {.prefetch = prefetch});
    const auto gathers = [&](std::size_t layer) { return sharding.blocks()[layer + 1].gathers; };
    Tensor x = ones({1, 8});
    x.requires_grad(true);
    sum(net(x)).backward();  // the first step shows the order
    for (std::size_t layer = 0; layer < 3; ++layer) EXPECT_EQ(gathers(layer), 2);
    const auto call = [&](std::size_t layer, const Tensor& in) { return (*layers[layer]->as<nn::Linear>())(in); };
    const Tensor first = call(0, x);
    EXPECT_EQ(gathers(1), prefetch ? 3 : 2);
    EXPECT_EQ(gathers(2), 2) << "no more than one ahead";
    const Tensor last = call(2, call(1, first));
    register_hook(first, [&](const Tensor&) {  // behind layer 1, before layer 0
      EXPECT_EQ(gathers(0), prefetch ? 4 : 3);
      return Tensor();
    });
    sum(last).backward();
    for (std::size_t layer = 0; layer < 3; ++layer) EXPECT_EQ(gathers(layer), 4) << "and none in vain";
  }
}

/// The memory of a purpose, once it is at most `expected`: a group's thread drops its handles a little later.
double settled(Purpose purpose, double expected) {
  double bytes = 0;
  for (int i = 0; i < 2000; ++i) {
    bytes = static_cast<double>(memory_stats(Device::cpu()).allocated_by[static_cast<int>(purpose)]);
    if (bytes <= expected) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return bytes;
}

TEST(ShardingCosts, MemoryIsWhatTheFormulaSays) {
  constexpr std::int64_t blocks = 6, width = 1024, per_block = width * width;
  for (const std::int64_t ranks : {1, 2, 4, 8}) {
    nn::Sequential net;
    {
      const nn::init::Skip skip;
      for (int i = 0; i < blocks; ++i) net.push_back(nn::Linear({.in = width, .out = width, .bias = false}));
    }
    EXPECT_EQ(settled(Purpose::communication, 0), 0);
    double start[purpose_count];
    for (int i = 0; i < purpose_count; ++i) start[i] = static_cast<double>(memory_stats(Device::cpu()).allocated_by[i]);
    const Sharding sharding = shard(net, children_of(net), pretend(0, static_cast<int>(ranks)));
    optim::AdamW optimizer(net.parameters(), {.lr = 1e-3});
    double gathered = 0;
    Tensor x = zeros({1, width});
    x.requires_grad(true);
    for (int step = 0; step < 2; ++step) {
      optimizer.zero_grad();
      Tensor y = x;
      for (const nn::NamedModule& child : net.children()) {
        y = (*child.module->as<nn::Linear>())(y);
        gathered = std::max(gathered, settled(Purpose::communication, 1.03 * 4 * per_block));
      }
      sum(y).backward();
      optimizer.step();
    }
    const double bytes = static_cast<double>(blocks * per_block * 4), share = bytes / static_cast<double>(ranks);
    const auto near = [&](const char* what, double found, double expected) {
      EXPECT_LE(std::abs(found - expected), 0.03 * expected)
          << what << " on " << ranks << " ranks: " << found << " instead of " << expected;
    };
    const auto by = [&](Purpose purpose, double expected) {
      const double before = start[static_cast<int>(purpose)];
      return settled(purpose, before + expected) - before;
    };
    near("parameters", by(Purpose::parameters, share), share);
    near("gradients", by(Purpose::gradients, share), share);
    near("state", by(Purpose::optimizer_state, 2 * share), 2 * share);
    EXPECT_EQ(settled(Purpose::communication, 0), 0) << "between steps";
    EXPECT_LE(gathered, 1.03 * 4 * per_block) << "the next block, behind a forward";
  }
}

}  // namespace
}  // namespace minima::distributed::sharding_costs_test
