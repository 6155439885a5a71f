#include "tests/distributed/processes.h"
#include "tests/support/expect_error.h"

#include <minima/distributed/backends/backend.h>
#include <minima/distributed/backends/gloo_backend.h>
#include <minima/distributed/mesh.h>
#include <minima/distributed/sharding/sharding.h>
#include <minima/distributed/store/error.h>
#include <minima/minima.h>

#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// Ranks whose data take other branches: experts, blocks and parameters that some of them do not use. One process, which
// each rank also runs, sees all their data. Blocks are equal in size, so that a collective of one could be taken for
// another's.

namespace minima::distributed::sharding_branches_test {
namespace {

using test::require;

/// Decides what a rank uses in a step.
using Uses = std::function<bool(int what, int step, int rank)>;

constexpr std::int64_t width = 5;

/// A layer and three experts, a parameter of its own that may be left out, and a way around all of them.
struct Block : nn::Module {
  nn::Linear always = child("always", nn::Linear({.in = width, .out = width}));
  nn::Linear experts[3] = {child("expert0", nn::Linear({.in = width, .out = width})),
                           child("expert1", nn::Linear({.in = width, .out = width})),
                           child("expert2", nn::Linear({.in = width, .out = width}))};
  nn::Parameter gain = parameter("gain", ones({width}));
  std::function<bool(int)> uses = [](int) { return true; };
  Tensor forward(const Tensor& x) override {
    if (!uses(5)) return x * 1;
    Tensor h = tanh(always(x));
    for (int i = 0; i < 3; ++i)
      if (uses(i)) h = h + tanh(experts[i](h));
    return uses(3) ? h * gain : h;
  }
};

struct Net : nn::Module {
  nn::Linear stem = child("stem", nn::Linear({.in = width, .out = width}));
  Block layers[4] = {child("layer0", Block()), child("layer1", Block()), child("layer2", Block()),
                     child("layer3", Block())};
  nn::Linear head = child("head", nn::Linear({.in = width, .out = 1}));
  nn::Linear spare = child("spare", nn::Linear({.in = width, .out = 1}));
  std::function<bool(int layer, int what)> uses = [](int, int) { return true; };
  Net() {
    to(float64);
    RandomGenerator generator(17);
    const NoGrad guard;
    for (const Tensor& parameter : parameters())
      copy_(parameter, randn(parameter.shape(), {.dtype = float64}, &generator) * 0.5);
  }
  Tensor forward(const Tensor& x) override {
    Tensor h = uses(-1, 0) ? stem(x) : x;
    for (int i = 0; i < 4; ++i) {
      if (!uses(i, 4)) continue;
      layers[i].uses = [this, i](int what) { return uses(i, what); };
      h = layers[i](h);
    }
    return head(h);
  }
  std::vector<nn::ModuleBase*> blocks() { return {&layers[0], &layers[1], &layers[2], &layers[3]}; }
};

Tensor rows(int step, int part, int rank) {
  RandomGenerator generator(static_cast<std::uint64_t>(100 * step + 10 * part + rank));
  return randn({2, width}, {.dtype = float64}, &generator);
}

void expect_close(const Sharding& sharding, const std::vector<Tensor>& shards, const std::vector<Tensor>& whole,
                  bool gradients, const std::string& when) {
  const std::vector<ShardedTensor> state = sharding.state();
  for (std::size_t i = 0; i < state.size(); ++i) {
    const Tensor ours = gradients ? shards[i].grad() : state[i].local;
    const Tensor all = gradients ? whole[i].grad() : whole[i].detach();
    require(ours.defined() == all.defined(), str(when, ": ", state[i].name, " has a gradient in both or in none"));
    if (!ours.defined() || ours.numel() == 0) continue;
    const double worst = max(abs(ours - narrow(reshape(all, {-1}), 0, state[i].offset, ours.numel()))).item<double>();
    require(worst < 1e-12, str(when, ": ", state[i].name, gradients ? "'s gradient" : "", " differs by ", worst));
  }
}

struct Case {
  const char* name;
  int stages;  ///< the stages from 1 to this one take it
  std::function<bool(int layer, int what, int step, int rank)> uses;
};

/// Says what a layer uses: experts 0 to 2, its gain (3), its forward (4), its layers (5). Layer -1 is the stem.
const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"an expert of each rank", 3, [](int, int what, int, int rank) { return what > 2 || what == rank; }},
      {"experts that change", 3,
       [](int layer, int what, int step, int rank) { return what > 2 || (what + layer + step + rank) % 3 == 0; }},
      {"the last layer's gain on one rank", 3,
       [](int layer, int what, int, int rank) { return layer != 3 || what != 3 || rank == 1; }},
      {"the first step's gain on one rank", 3,
       [](int, int what, int step, int rank) { return what != 3 || step > 0 || rank == 1; }},
      {"no parameter of a block on one rank", 3,
       [](int layer, int what, int step, int rank) { return what != 5 || layer != step % 4 || rank == 0; }},
      {"no parameter of a block on any rank", 3, [](int layer, int what, int, int) { return what != 5 || layer != 2; }},
      {"parameters outside of blocks", 3,
       [](int layer, int, int step, int rank) { return layer >= 0 || rank == step % 2; }},
      {"a block on one rank", 2,
       [](int layer, int what, int, int rank) { return what != 4 || layer != 1 || rank == 0; }},
      {"a block on the other ranks", 2,
       [](int layer, int what, int step, int rank) { return what != 4 || layer != step % 4 || rank != 0; }},
      {"a block on no rank", 3, [](int layer, int what, int step, int) { return what != 4 || layer != step % 4; }},
  };
  return all;
}

void check_equal(const ProcessGroup& world, const ProcessGroup& group, const ShardingOptions& options,
                 const Case& given, int parts, bool communicates) {
  const int stage = options.stage;
  Net net, reference;
  const Sharding sharding = shard(net, net.blocks(), group, options);
  optim::AdamW optimizer(net.parameters(), {.lr = 0.05}), alone(reference.parameters(), {.lr = 0.05});
  for (int step = 0; step < 4; ++step) {
    optimizer.zero_grad();
    alone.zero_grad();
    for (int part = 0; part < parts; ++part) {
      const auto train = [&](Net& of, int rank) {
        of.uses = [&, rank](int layer, int what) { return given.uses(layer, what, step + part, rank); };
        sum(square(of(rows(step, part, rank)))).backward();
      };
      std::optional<Sharding::NoSync> guard;
      if (part + 1 < parts && !communicates) guard.emplace(sharding);
      train(net, world.rank());
      for (int rank = 0; rank < world.size(); ++rank) train(reference, rank);
    }
    const std::string when = str(given.name, ", stage ", stage, ", ", world.size(), " ranks, step ", step);
    expect_close(sharding, net.parameters(), reference.parameters(), true, when);
    optimizer.step();
    alone.step();
    expect_close(sharding, net.parameters(), reference.parameters(), false, when);
  }
}

/// Takes the labels of operations away.
class Unlabelled final : public Backend {
 public:
  explicit Unlabelled(ProcessGroup inner) : inner_(std::move(inner)) {}
  const char* name() const override { return "unlabelled"; }
  void run(Operation& op) override {
    switch (op.kind) {
      case Collective::all_gather: return inner_.all_gather_into(op.output, op.input).wait();
      case Collective::reduce_scatter: return inner_.reduce_scatter_into(op.output, op.input, op.reduce).wait();
      case Collective::all_reduce: return inner_.all_reduce(op.output, op.reduce).wait();
      case Collective::broadcast: return inner_.broadcast(op.output, op.peer).wait();
      default: throw ValueError("not needed here");
    }
  }
  void abort() noexcept override {}
  Ref<Backend> split(const std::vector<int>&, int, const std::string&, double) override { return {}; }

 private:
  ProcessGroup inner_;
};
ProcessGroup unlabelled(const ProcessGroup& group) {
  return ProcessGroup(Ref<Backend>(new Unlabelled(group)), group.rank(), group.size(), 20);
}

class Branches : public testing::TestWithParam<int> {
 protected:
  static void check_all(const ProcessGroup& group, int parts, bool communicates) {
    for (const Case& each : cases())
      if (GetParam() <= each.stages)
        check_equal(group, group, {.stage = GetParam(), .combine = Reduce::sum}, each, parts, communicates);
  }
};
INSTANTIATE_TEST_SUITE_P(Sharding, Branches, testing::Values(1, 2, 3));

TEST_P(Branches, OfEachRankTrainAsInOneProcess) {
  for (const int size : {1, 2, 3}) test::run_threads(size, [](ProcessGroup& group) { check_all(group, 1, false); });
}

TEST_P(Branches, OfEachRankAccumulate) {
  test::run_threads(2, [](ProcessGroup& group) {
    check_all(group, 2, true);
    check_all(group, 3, false);
  });
}

TEST_P(Branches, OfReplicasTrainAsInOneProcess) {
  test::run_threads(4, [](ProcessGroup& world) {
    const Mesh mesh(world, {{"replica", 2}, {"shard", 2}});
    for (const Case& each : cases())
      if (GetParam() <= each.stages)
        check_equal(world, mesh["shard"], {.stage = GetParam(), .combine = Reduce::sum, .replicas = mesh["replica"]},
                    each, 1, false);
  });
}

/// Over Gloo, whose operations are matched by size and label.
TEST_P(Branches, OfEachProcessTrainAsInOne) {
  SKIP_WITHOUT_PROCESSES;
  for (const int size : {2, 3}) test::run_processes(size, [](ProcessGroup& group) { check_all(group, 1, false); });
}

/// A block that one rank does not call, in forward or only in backward, is gathered by the others alone.
TEST(ShardingBranches, BlocksThatARankSkipsEndStageThreeOnEveryRank) {
  SKIP_WITHOUT_PROCESSES;
  for (const bool forward : {true, false})
    for (const int size : {2, 3})
      test::run_processes(
          size,
          [&](ProcessGroup& group) {
            Net net;
            const Sharding sharding = shard(net, net.blocks(), group);
            const auto skips = [&](int step) { return step == 1 && group.rank() == 1; };
            const auto start = std::chrono::steady_clock::now();
            const std::string said = test::message_of<DistributedError>([&] {
              for (int step = 0; step < 3; ++step) {
                net.uses = [&](int layer, int what) { return what != 4 || layer != 1 || !forward || !skips(step); };
                const Tensor x = rows(step, 0, group.rank());
                Tensor y = net(x);
                if (!forward && skips(step)) y = net.head(net.stem(x)) + 0 * y.detach();
                sum(square(y)).backward();
                for (const Tensor& shard : net.parameters())
                  for (const double g :
                       shard.grad().defined() ? shard.grad().to_vector<double>() : std::vector<double>())
                    require(std::isfinite(g), "a gradient that is not finite");
              }
            });
            const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
            require(seconds.count() < 7, str("took ", seconds.count(), " s"));
            require(said.find("is in another operation: ") != said.npos && said.find("'layer") != said.npos, said);
          },
          {.timeout = 2});
}

/// As on GPUs, where operations are matched by their order alone.
TEST(ShardingBranches, CallsInAnotherOrderAreNoticedBehindBackward) {
  test::run_threads(2, [](ProcessGroup& group) {
    Net net;
    const Sharding sharding = shard(net, net.blocks(), unlabelled(group));
    const auto train = [&](std::size_t first) {
      const Tensor h = net.layers[3 - first](net.layers[first](rows(0, 0, group.rank())));
      sum(h).backward();
    };
    train(1);
    const std::string said = test::message_of<ValueError>([&] { train(group.rank() == 0 ? 1 : 2); });
    require(said.find("call the same blocks in the same order") != said.npos, said);
  });
}

TEST(ShardingBranches, ParametersFrozenOnOneRankAreNamedOrEndTheOthers) {
  for (const int stage : {1, 2, 3})
    test::run_threads(2, [stage](ProcessGroup& group) {
      Net net;
      const Sharding sharding = shard(net, net.blocks(), group, {.stage = stage});
      sum(net(rows(0, 0, group.rank()))).backward();
      net.parameters()[5].requires_grad(group.rank() == 0);
      const std::string said = test::message_of<Error>([&] { sum(net(rows(1, 0, group.rank()))).backward(); });
      require(said.find("frozen parameters") != said.npos, said);
    });
}

TEST(ShardingBranches, ARankMayForgetWhatItAccumulated) {
  for (const int stage : {1, 2, 3})
    test::run_threads(2, [stage](ProcessGroup& group) {
      nn::Linear net({.in = 4, .out = 1, .bias = false});
      const Sharding sharding = shard(net, {}, group, {.stage = stage, .combine = Reduce::sum});
      const auto part = [&](double x) { sum(net(full({1, 4}, x))).backward(); };
      const auto gradient = [&] { return net.parameters()[0].grad().to_vector<float>(); };
      {
        const auto guard = sharding.no_sync();
        part(100);
      }
      if (group.rank() == 1) net.zero_grad();
      part(1);
      require(gradient() == std::vector<float>{102, 102}, "what the other rank has kept counts");
      if (group.rank() == 1) net.parameters()[0].set_grad({});
      part(1);
      require(gradient() == (group.rank() == 1 ? std::vector<float>{2, 2} : std::vector<float>{104, 104}),
              "a shard's gradient is its rank's to drop");
    });
}

}  // namespace
}  // namespace minima::distributed::sharding_branches_test
