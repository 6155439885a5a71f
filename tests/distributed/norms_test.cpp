#include "tests/distributed/processes.h"
#include "tests/support/expect_error.h"

#include <minima/amp/grad_scaler.h>
#include <minima/distributed/distributed.h>
#include <minima/minima.h>

#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

// Norms, infinities, spikes and loss scales over both axes of a mesh of 2 × 2 ranks, in float64, as one process has
// them.

namespace minima::distributed::norms_test {
namespace {

using test::message_of;
using test::require;

constexpr std::int64_t width = 6, hidden = 10, rows = 3;

/// A block whose hidden features may be split by the ranks of a group, which is undefined for one process.
struct Block : nn::Module {
  nn::Linear up = child("up", nn::Linear({.in = width, .out = hidden}));
  nn::Linear down = child("down", nn::Linear({.in = hidden, .out = width, .bias = false}));
  nn::LayerNorm norm = child("norm", nn::LayerNorm({.shape = {width}}));
  ProcessGroup split;
  Tensor forward(const Tensor& x) override {
    if (!split.defined()) return x + norm(down(tanh(up(x))));
    return x + norm(sum_from_ranks(down(tanh(up(copy_to_ranks(x, split)))), split));
  }
  /// Keeps this rank's half of the hidden features.
  void cut(const ProcessGroup& ranks) {
    split = ranks;
    const std::int64_t half = hidden / 2, first = ranks.rank() * half;
    for (auto& [parameter, dim] : {std::pair{up.weight, 0}, {up.bias, 0}, {down.weight, 1}}) {
      const Tensor part = clone(narrow(parameter.detach(), dim, first, half));
      Tensor(parameter).set_data(part);
    }
  }
  std::vector<Tensor> parts() const { return {up.weight, up.bias, down.weight}; }
};

struct Net : nn::Module {
  Block first = child("first", Block()), second = child("second", Block());
  Tensor forward(const Tensor& x) override { return second(first(x)); }
};

void fill(nn::ModuleBase& net) {
  net.to(float64);
  RandomGenerator generator(23);
  const NoGrad guard;
  for (const Tensor& parameter : net.parameters())
    copy_(parameter, randn(parameter.shape(), {.dtype = float64}, &generator) * 0.5);
}

Tensor batch(int step) {
  RandomGenerator generator(static_cast<std::uint64_t>(step));
  return randn({2 * 2 * rows, width}, {.dtype = float64}, &generator) * (step == 6 ? 1e3 : 1);
}

/// Holds what a rank, or one process, did in six steps: norms, clips at half of them, skips, spikes.
struct Course {
  std::vector<double> norms, scales;
  std::vector<bool> skipped, spikes;
};

/// Trains with `loss_of(step)`. `spoil(step)` makes a gradient infinite on one rank.
template <class Loss, class Spoil>
Course train(const std::vector<Tensor>& parameters, const std::vector<double>& limits, const Loss& loss_of,
             const Spoil& spoil) {
  optim::AdamW optimizer(parameters, {.lr = 0.02});
  optimizer.on_non_finite(optim::NonFinite::skip);
  amp::GradScaler scaler({.init_scale = 1024});
  optim::SpikeDetector detector({.window = 8, .z = 20, .warmup = 2});
  Course course;
  for (int step = 0; step < 8; ++step) {
    optimizer.zero_grad();
    const bool is_scaled = step % 2 == 1;
    const Tensor loss = loss_of(step);
    (is_scaled ? scaler.scale(loss) : loss).backward();
    spoil(step);
    if (is_scaled) scaler.unscale(optimizer);
    const double norm = optim::grad_norm(optimizer.parameters()).item<double>();
    course.norms.push_back(norm);
    course.spikes.push_back(detector.is_spike(norm));
    optimizer.max_grad_norm(limits.empty() ? norm / 2 : limits[static_cast<std::size_t>(step)]);
    const optim::StepResult result = is_scaled ? scaler.step(optimizer) : optimizer.step();
    course.skipped.push_back(result.skipped());
    if (is_scaled) scaler.update();
    course.scales.push_back(scaler.get_scale());
  }
  return course;
}

bool is_spoiled(int step) { return step == 2 || step == 3; }

void expect_same(const Course& ours, const Course& alone) {
  for (std::size_t step = 0; step < alone.norms.size(); ++step) {
    const double expected = alone.norms[step];
    require(ours.skipped[step] == alone.skipped[step] && ours.skipped[step] == is_spoiled(static_cast<int>(step)),
            str("step ", step, " is skipped: ", ours.skipped[step]));
    require(ours.scales[step] == alone.scales[step] && ours.scales[step] == (step < 3 ? 1024 : 512),
            str("step ", step, ": the scale is ", ours.scales[step]));
    require(ours.spikes[step] == alone.spikes[step] &&
                (ours.spikes[step] == (is_spoiled(static_cast<int>(step)) || step == 6)),
            str("step ", step, " is a spike: ", ours.spikes[step], " by the norm ", ours.norms[step]));
    if (std::isfinite(expected))
      require(std::abs(ours.norms[step] - expected) < 1e-12 * expected,
              str("step ", step, ": the norm is ", ours.norms[step], " instead of ", expected));
    else require(!std::isfinite(ours.norms[step]), str("step ", step, ": the norm is ", ours.norms[step]));
  }
}

/// One process on the whole batch: the mean over all rows, and an infinity wherever a rank has one.
Course alone_course(Net& net) {
  return train(
      net.parameters(), {}, [&](int step) { return mean(square(net(batch(step)))); },
      [&](int step) {
        if (is_spoiled(step)) fill_(narrow(flatten(net.parameters()[0].grad()), 0, 0, 1), HUGE_VAL);
      });
}

void expect_close(const Tensor& ours, const Tensor& theirs, const std::string& name) {
  if (ours.numel() == 0) return;
  const double worst = max(abs(ours - theirs)).item<double>();
  require(worst < 1e-12, str(name, " differs by ", worst));
}

/// Sharded parameters and a block that is replicated on all ranks. Only rank 3 of four, in the second replica, has the
/// infinity.
TEST(Norms, OfShardsOnAMeshWithReplicasAndReplicatedParameters) {
  for (const int stage : {1, 2, 3})
    test::run_threads(4, [stage](ProcessGroup& world) {
      const Mesh mesh(world, {{"replica", 2}, {"shard", 2}});
      Net net, reference;
      fill(net);
      fill(reference);
      const Course alone = alone_course(reference);
      const PlacementCheck check(mesh, {.data = {"replica", "shard"}});  // which knows that both make the world
      const Sharding sharding =
          shard(net.first, {&net.first.up}, mesh["shard"], {.stage = stage, .replicas = mesh["replica"]});
      const DistributedDataParallel parallel(net.second, world);
      const Course ours = train(
          net.parameters(), {},
          [&](int step) { return mean(square(net(narrow(batch(step), 0, world.rank() * rows, rows)))); },
          [&](int step) {
            if (!is_spoiled(step) || world.rank() != 3) return;
            for (const Tensor& shard : net.first.parameters())
              if (shard.numel() > 0) return (void)fill_(narrow(shard.grad(), 0, 0, 1), HUGE_VAL);
          });
      expect_same(ours, alone);
      const State whole = sharding.gather_state();
      for (const auto& [name, tensor] : reference.first.named_parameters())
        expect_close(*whole.find(name), tensor.detach(), name);
      for (std::size_t i = 0; i < net.second.parameters().size(); ++i)
        expect_close(net.second.parameters()[i].detach(), reference.second.parameters()[i].detach(), "second");
    });
}

/// Weights that one axis splits; the other has data parallelism (0), whose ranks have the same gradients, or shards of
/// what is split. Only the second part of a weight has the infinity, and of its shards only rank 3's.
TEST(Norms, OfSplitParametersOnAMeshWithDataParallelismOrShards) {
  for (const int stage : {0, 1, 2, 3})
    for (const bool is_split_first : {true, false})
      test::run_threads(4, [=](ProcessGroup& world) {
        const Mesh mesh(world, {{"data", 2}, {"tensor", 2}});
        Net net, reference;
        fill(net);
        fill(reference);
        const Course alone = alone_course(reference);
        std::vector<Tensor> parts;
        std::optional<PlacementCheck> check;  // which does not follow shards of what is declared
        if (stage == 0) check.emplace(mesh, PlacementOptions{.data = {"data"}});
        for (Block* block : {&net.first, &net.second}) {
          block->cut(mesh["tensor"]);
          for (const Tensor& part : block->parts()) parts.push_back(part);
          if (!check) continue;
          check->declare(block->up.weight, "tensor", Placement::varying, 0);
          check->declare(block->up.bias, "tensor", Placement::varying, 0);
          check->declare(block->down.weight, "tensor", Placement::varying, 1);
        }
        std::optional<SplitParameters> split;
        if (is_split_first) split.emplace(parts, mesh["tensor"]);
        std::optional<DistributedDataParallel> parallel;
        std::optional<Sharding> sharding;
        if (stage == 0) parallel.emplace(net, mesh["data"]);
        else sharding.emplace(shard(net, {&net.first}, mesh["data"], {.stage = stage}));
        if (!is_split_first) split.emplace(parts, mesh["tensor"]);
        const Course ours = train(
            net.parameters(), {},
            [&](int step) {
              return mean(square(net(narrow(batch(step), 0, mesh["data"].rank() * 2 * rows, 2 * rows))));
            },
            [&](int step) {
              const bool has_it = stage == 0 ? mesh["tensor"].rank() == 1 : world.rank() == 3;
              if (!is_spoiled(step) || !has_it) return;
              const Tensor gradient = net.first.down.parameters()[0].grad();  // of a split weight
              fill_(narrow(flatten(gradient), 0, 0, 1), HUGE_VAL);
            });
        expect_same(ours, alone);
        std::optional<Sharding::Whole> whole;
        if (sharding) whole.emplace(*sharding);
        const Tensor norm = reference.second.norm.weight.detach(), down = reference.second.down.weight.detach();
        expect_close(net.second.norm.weight.detach(), norm, "a replicated weight");
        expect_close(net.second.down.weight.detach(), narrow(down, 1, mesh["tensor"].rank() * hidden / 2, hidden / 2),
                     "a split weight");
      });
}

TEST(Norms, SplitParametersAreRefusedByOptimizersThatNeedThemWhole) {
  const ProcessGroup group = pretend(0, 2);
  nn::Linear net({.in = 4, .out = 4, .bias = false});
  sum(net(ones({1, 4}))).backward();
  optim::Muon muon(net.parameters());
  optim::Adafactor adafactor(net.parameters());
  optim::LBFGS lbfgs(net.parameters());
  {
    const SplitParameters split({net.weight}, group);
    EXPECT_CONTAINS(message_of<ValueError>([&] { muon.step(); }), "Muon: computes with whole tensors");
    EXPECT_CONTAINS(message_of<ValueError>([&] { adafactor.step(); }), "is a part of one that ranks have split");
    EXPECT_CONTAINS(message_of<ValueError>([&] { lbfgs.step([&] { return sum(net(ones({1, 4}))); }); }), "LBFGS");
    EXPECT_EQ(optim::grad_norm({net.weight}).item<double>(), std::sqrt(32.0));
  }
  EXPECT_EQ(optim::grad_norm({net.weight}).item<double>(), 4);
  muon.step();
  EXPECT_CONTAINS(message_of<ValueError>([&] { SplitParameters({net.weight}, ProcessGroup()); }), "init()");
  EXPECT_CONTAINS(message_of<ValueError>([&] { SplitParameters({Tensor()}, group); }), "parameter 0 is undefined");
}

}  // namespace
}  // namespace minima::distributed::norms_test
