#include "tests/distributed/processes.h"

#include <minima/distributed/pretend.h>
#include <minima/distributed/sharding/sharding.h>
#include <minima/minima.h>
#include <minima/nn/init/defer.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/storage/memory_observer.h>

#include <gtest/gtest.h>

#include <cmath>

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

/// The memory by purpose when an allocation of this thread makes that of communication the most. The total would
/// count what Gloo's reductions take for a moment.
class Fullest final : public MemoryObserver {
 public:
  Fullest() : outer_(set_memory_observer(this)) {}
  ~Fullest() { set_memory_observer(outer_); }
  void change(const Storage&, std::int64_t bytes) noexcept override {
    const MemoryStats now = memory_stats();
    if (bytes > 0 && communicating(now) > communicating(most)) most = now;
  }
  MemoryStats most;
  static std::int64_t communicating(const MemoryStats& stats) {
    return stats.allocated_by[static_cast<int>(Purpose::communication)];
  }

 private:
  MemoryObserver* outer_;
};

struct Expected {
  Purpose purpose;
  double bytes;
};

/// Trains equal blocks and compares the memory at the fullest moment of a step with the formula of docs/distributed.md.
void check_memory(const ProcessGroup& group, const ShardingOptions& options) {
  constexpr std::int64_t blocks = 6, width = 1024;
  const MemoryStats before = memory_stats();
  nn::Sequential net;
  {
    const nn::init::Defer defer;
    for (int i = 0; i < blocks; ++i) net.push_back(nn::Linear({.in = width, .out = width, .bias = false}));
  }
  const Sharding sharding = shard(net, children_of(net), group, options);
  optim::AdamW optimizer(net.parameters(), {.lr = 1e-3});
  Tensor x = zeros({1, width}, {.dtype = options.compute.value_or(float32)});
  x.requires_grad(true);
  const double block = width * width, share = blocks * block / group.size();
  const double computed = static_cast<double>(size_of(options.compute.value_or(float32)));
  const bool converts = options.compute && options.compute != options.reduce;
  const double in_reduction = converts ? 4 : computed, sent = options.compute ? computed / group.size() : 0;
  // Two gathered blocks, the bucket of one and the gradients of another in reduction, and a chunk to be gathered.
  const double communication = (3 * computed + in_reduction + sent) * block;
  // Another thread of the group frees an operation's tensors, and is late on a busy machine: the least of some steps
  // counts, of more where it is too much on any rank.
  MemoryStats most;
  const auto is_late = [&] {
    const auto found = static_cast<double>(Fullest::communicating(most) - Fullest::communicating(before));
    return group.all_reduce(full({}, found > 1.03 * communication ? 1 : 0), Reduce::max).result().item<float>() != 0;
  };
  for (int step = 0; step < 6 || (step < 60 && is_late()); ++step) {
    const Fullest fullest;
    optimizer.zero_grad();
    sum(net(x)).backward();
    optimizer.step();
    if (step == 1 || (step > 1 && Fullest::communicating(fullest.most) < Fullest::communicating(most)))
      most = fullest.most;
  }
  double sum = 0, expected_sum = 0;
  for (const auto& [purpose, expected] : {Expected{Purpose::parameters, 4 * share},
                                          {Purpose::gradients, 4 * share},
                                          {Purpose::optimizer_state, 8 * share},
                                          {Purpose::communication, communication}}) {
    const auto found = static_cast<double>(most.allocated_by[static_cast<int>(purpose)] -
                                           before.allocated_by[static_cast<int>(purpose)]);
    sum += found;
    expected_sum += expected;
    test::require(std::abs(found - expected) <= 0.03 * expected + 8192,
                  str(name(purpose), " on ", group.size(), " ranks: ", found, " instead of ", expected));
  }
  test::require(std::abs(sum - expected_sum) <= 0.03 * expected_sum, str(sum, " instead of ", expected_sum));
}

TEST(ShardingCosts, MemoryIsWhatTheFormulaSays) {
  for (const int ranks : {1, 2, 4, 8}) {
    check_memory(pretend(0, ranks), {});
    check_memory(pretend(ranks - 1, ranks), {.compute = bfloat16, .reduce = float32});
  }
}

TEST(ShardingCosts, MemoryOfProcessesIsWhatTheFormulaSays) {
  SKIP_WITHOUT_PROCESSES;
  for (const int ranks : {1, 2, 4, 8})
    test::run_processes(ranks, [](ProcessGroup& group) {
      check_memory(group, {});
      check_memory(group, {.compute = bfloat16, .reduce = float32});
    });
}

}  // namespace
}  // namespace minima::distributed::sharding_costs_test
