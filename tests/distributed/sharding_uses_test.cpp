#include "tests/distributed/processes.h"
#include "tests/support/expect_error.h"

#include <minima/amp/grad_scaler.h>
#include <minima/distributed/functional.h>
#include <minima/distributed/in_process.h>
#include <minima/distributed/pretend.h>
#include <minima/distributed/sharding/sharding.h>
#include <minima/minima.h>
#include <minima/nn/init/skip.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/memory/blocks/memory_stats.h>

#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <thread>
#include <utility>

namespace minima::distributed::sharding_uses_test {
namespace {

using test::message_of;
using test::require;

/// Blocks of a layer and an activation.
nn::Sequential layers(int count, std::int64_t width) {
  manual_seed(3);
  nn::Sequential net;
  for (int i = 0; i < count; ++i)
    net.push_back(nn::Sequential(nn::Linear({.in = width, .out = width, .bias = i > 0}), nn::GELU()));
  return net;
}

struct Tied : nn::Module {
  nn::Linear a = child("a", nn::Linear({.in = 5, .out = 5})), b = child("b", nn::Linear({.in = 5, .out = 5}));
  nn::Linear c = child("c", nn::Linear({.in = 5, .out = 5})), unused = child("unused", nn::Linear({.in = 2, .out = 2}));
  Tied() { b.weight = a.weight; }
  Tensor forward(const Tensor& x) override { return c(tanh(c(tanh(b(tanh(a(x))))))); }  // c twice
  std::vector<nn::ModuleBase*> blocks() { return {&a, &b, &c, &unused}; }
};

Tensor numbers(const Shape& shape, int seed) {
  std::vector<double> values(static_cast<std::size_t>(numel(shape)));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<double>((static_cast<int>(i) * 7919 + seed * 104729) % 101) / 50 - 1;
  return from_vector(values, shape);
}

void expect_close(const Sharding& sharding, const std::vector<Tensor>& shards, const std::vector<Tensor>& whole,
                  bool gradients) {
  const std::vector<ShardedTensor> state = sharding.state();
  require(state.size() == whole.size(), "as many parameters");
  for (std::size_t i = 0; i < state.size(); ++i) {
    const Tensor ours = gradients ? shards[i].grad() : state[i].local, all = gradients ? whole[i].grad() : whole[i].detach();
    require(ours.defined() == all.defined(), state[i].name + " has a gradient in both or in none");
    if (!ours.defined() || ours.numel() == 0) continue;
    const Tensor theirs = narrow(reshape(all, {-1}), 0, state[i].offset, ours.numel());
    const double worst = max(abs(ours - theirs)).item<double>();
    require(worst < 1e-12, str(state[i].name, gradients ? "'s gradient" : "", " differs by ", worst));
  }
}

TEST(Sharding, TiedSharedFrozenAndUnusedParametersTrainAsInOneProcess) {
  test::run_threads(3, [](ProcessGroup& group) {
    Tied net;
    net.to(float64);
    net.c.bias.requires_grad(false);
    const auto fill = [](const nn::ModuleBase& module) {
      int seed = 0;
      for (Tensor parameter : module.parameters()) {
        const bool trains = parameter.requires_grad();
        parameter.set_data(numbers(parameter.shape(), ++seed));
        parameter.requires_grad(trains);
      }
    };
    fill(net);
    Tied reference = nn::clone(net);
    const Sharding sharding = shard(net, net.blocks(), group, {.combine = Reduce::sum});
    optim::AdamW optimizer(net.parameters(), {.lr = 0.01}), alone(reference.parameters(), {.lr = 0.01});
    for (int step = 0; step < 4; ++step) {
      if (step == 2) {  // thaw one, freeze another
        for (const nn::ModuleBase* module : {static_cast<nn::ModuleBase*>(&net), static_cast<nn::ModuleBase*>(&reference)})
          for (auto& [name, tensor] : module->named_parameters()) {
            Tensor handle = tensor;
            if (name == "c.bias") handle.requires_grad(true);
            if (name == "b.bias") handle.requires_grad(false);
          }
      }
      optimizer.zero_grad();
      alone.zero_grad();
      sum(net(numbers({2, 5}, 10 * step + group.rank()))).backward();
      for (int rank = 0; rank < group.size(); ++rank) sum(reference(numbers({2, 5}, 10 * step + rank))).backward();
      expect_close(sharding, net.parameters(), reference.parameters(), true);
      const double norm = optim::clip_grad_norm_(net.parameters(), 0.5).item<double>();
      const double expected = optim::clip_grad_norm_(reference.parameters(), 0.5).item<double>();
      require(std::abs(norm - expected) < 1e-12 * expected && expected > 1, str("norm ", norm, " instead of ", expected));
      optimizer.step();
      alone.step();
      expect_close(sharding, net.parameters(), reference.parameters(), false);
    }
  });
}

TEST(Sharding, NormsCountWholeParametersOnceAndShardsOfAllRanks) {
  test::run_threads(2, [](ProcessGroup& group) {
    nn::Linear net({.in = 3, .out = 1});  // four elements, the bias behind a gap: all of the weight is on rank 0
    const Sharding sharding = shard(net, {}, group);
    Tensor whole = ones({1});
    whole.requires_grad(true);
    std::vector<Tensor> parameters = net.parameters();
    parameters.push_back(whole);
    const Tensor x = full({1, 3}, 2);
    (sum(net(x)) + sum(whole * 4)).backward();
    require(optim::grad_norm(parameters).item<double>() == std::sqrt(3 * 4 + 1 + 16.0), "norm of shards and a whole tensor");
    require(optim::grad_norm(parameters, std::numeric_limits<double>::infinity()).item<double>() == 4, "largest gradient");
    optim::SGD optimizer(parameters, {.lr = 1});
    optimizer.max_grad_norm(1);
    require(optimizer.step().grad_norm.item<double>() == std::sqrt(29.0), "the step's norm");
    require(std::abs(whole.item<double>() - (1 - 4 / std::sqrt(29.0))) < 1e-6, "clipped by the common norm");
  });
}

TEST(Sharding, AnInfinityInOneRanksShardSkipsTheStepOnAll) {
  test::run_threads(2, [](ProcessGroup& group) {
    nn::Sequential net = layers(2, 4);
    const Sharding sharding = shard(net, children_of(net), group);
    optim::SGD optimizer(net.parameters(), {.lr = 1});
    amp::GradScaler scaler({.init_scale = 1024});
    const Tensor before = clone(net.parameters()[0]);
    scaler.scale(sum(net(ones({1, 4})))).backward();
    if (group.rank() == 1) {
      const Tensor gradient = net.parameters()[0].grad();
      copy_(narrow(gradient, 0, 0, 1), full({1}, std::numeric_limits<double>::infinity()));
    }
    require(scaler.step(optimizer).skipped(), "the step is skipped");
    scaler.update();
    require(scaler.get_scale() == 512, str("scale ", scaler.get_scale()));
    require(identical(before, net.parameters()[0]), "parameters are as before");
  });
}

TEST(Sharding, ReleasedWeightsReadAsNaNAndAreKeptByNoGraph) {
  test::run_threads(2, [](ProcessGroup& group) {
    nn::Sequential net = layers(3, 16);
    const Tensor member = net.parameters()[0];
    const Sharding sharding = shard(net, children_of(net), group);
    require(std::isnan(sum(member).item<double>()) && member.shape() == Shape({16, 16}), "released");
    const auto gathers = [&] { return sharding.blocks()[1].gathers; };
    const Tensor loss = sum(net(ones({1, 16})));
    require(std::isnan(sum(member).item<double>()), "released between forward and backward");
    require(gathers() == 1, "gathered for forward");
    loss.backward();
    require(gathers() == 2, "and for backward");
    require(std::isnan(sum(member).item<double>()), "released after backward");
    for (const Tensor& shard : net.parameters()) require(shard.rank() == 1 && shard.grad().defined(), "shards have gradients");
  });
}

TEST(Sharding, ZeroGradForgetsWhatWasAccumulatedWithoutCommunication) {
  test::run_threads(2, [](ProcessGroup& group) {
    nn::Linear net({.in = 4, .out = 4});
    const Sharding sharding = shard(net, {}, group);
    {
      const auto guard = sharding.no_sync();
      sum(net(full({1, 4}, 100))).backward();
    }
    net.zero_grad();
    sum(net(ones({1, 4}))).backward();
    for (const Tensor& shard : net.parameters())
      for (const float g : shard.grad().to_vector<float>()) require(g == 1, str("gradient ", g));
  });
}

TEST(Sharding, HalfPrecisionWeightsSumInTheDtypeAskedFor) {
  test::run_threads(3, [](ProcessGroup& group) {
    nn::Linear net({.in = 5, .out = 3, .bias = false});
    {
      const NoGrad guard;
      copy_(net.weight, ones({3, 5}));
    }
    for (const int stage : {1, 3}) {
      nn::Linear copy = nn::clone(net);
      const Sharding sharding =
          shard(copy, {}, group, {.stage = stage, .compute = bfloat16, .reduce = float32, .combine = Reduce::sum});
      // bfloat16 has no 257; a sum of 1, 128 and 128 in it would be 256 or 258.
      const double slope = group.rank() == 0 ? 1 : 128;
      const Tensor y = copy(full({1, 5}, slope, {.dtype = bfloat16}));
      require(y.dtype() == bfloat16, "computes in bfloat16");
      sum(y).backward();
      const Tensor shard = copy.parameters()[0];
      require(shard.dtype() == float32 && shard.grad().dtype() == float32, "shards stay float32");
      for (const float g : shard.grad().to_vector<float>()) require(g == 257, str("gradient ", g));
    }
  });
}

TEST(Sharding, ModulesMoveToAnotherDtypeAsShards) {
  test::run_threads(2, [](ProcessGroup& group) {
    for (const int stage : {1, 3}) {
      nn::Sequential net = layers(2, 6), reference = nn::clone(net);
      const Sharding sharding = shard(net, children_of(net), group, {.stage = stage});
      net.to(float64);
      reference.to(float64);
      const Tensor x = numbers({2, 6}, 1);
      sum(net(x)).backward();
      sum(reference(x)).backward();
      expect_close(sharding, net.parameters(), reference.parameters(), true);
    }
  });
}

TEST(Sharding, StateIsGatheredWholeAndLoadedInParts) {
  test::run_threads(3, [](ProcessGroup& group) {
    nn::Sequential net = layers(2, 5), other = layers(2, 5), reference = nn::clone(net);
    for (const Tensor& parameter : other.parameters()) parameter.set_data(parameter.detach() + 1);
    const Sharding sharding = shard(net, children_of(net), group), second = shard(other, {}, group, {.stage = 2});
    second.load_state(sharding.gather_state());
    const State whole = second.gather_state();
    for (const auto& [name, tensor] : reference.named_parameters())
      require(whole.find(name) && identical(*whole.find(name), tensor.detach()), name + " is whole");
    const Tensor x = ones({1, 5});
    const NoGrad guard;
    require(identical(other(x), reference(x)), "loaded weights are gathered");
    State wrong;
    wrong.add("0.0.weight", ones({2}));
    const std::string text = message_of<ValueError>([&] { second.load_state(wrong); });
    require(text.find("mismatched: 0.0.weight is [5, 5]") != text.npos && text.find("missing: 1.0.bias") != text.npos, text);
  });
}

TEST(Sharding, TrafficIsWhatTheFormulaSays) {
  constexpr std::int64_t blocks = 4, width = 16;
  for (const std::int64_t ranks : {1, 2, 4, 8})
    for (const int stage : {1, 2, 3})
      for (const bool reshard : {true, false}) {
        nn::Sequential net;
        for (int i = 0; i < blocks; ++i) net.push_back(nn::Linear({.in = width, .out = width}));
        Traffic traffic;
        const Sharding sharding = shard(net, children_of(net), pretend(0, static_cast<int>(ranks), {.traffic = traffic}),
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
        EXPECT_EQ(traffic.of(Collective::all_reduce).bytes, 0);
        traffic.reset();
        {
          const auto guard = sharding.no_sync();
          sum(net(ones({1, width}))).backward();
        }
        EXPECT_EQ(traffic.of(Collective::reduce_scatter).calls, 0);
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

TEST(Sharding, MemoryIsWhatTheFormulaSays) {
  constexpr std::int64_t blocks = 6, width = 1024, per_block = width * width;
  for (const std::int64_t ranks : {1, 2, 4, 8}) {
    nn::Sequential net;
    {
      const nn::init::Skip skip;
      for (int i = 0; i < blocks; ++i) net.push_back(nn::Linear({.in = width, .out = width, .bias = false}));
    }
    EXPECT_EQ(settled(Purpose::communication, 0), 0);
    double start[purpose_count];
    for (int i = 0; i < purpose_count; ++i)
      start[i] = static_cast<double>(memory_stats(Device::cpu()).allocated_by[i]);
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
      EXPECT_LE(std::abs(found - expected), 0.03 * expected) << what << " on " << ranks << " ranks: " << found
                                                                     << " instead of " << expected;
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

TEST(Sharding, WhatCannotWorkIsRefused) {
  const ProcessGroup group = pretend(0, 2);
  const auto said = [](auto&& call) { return message_of<Error>(call); };
  nn::Sequential net = layers(2, 4), other = layers(1, 4);
  const std::vector<nn::ModuleBase*> blocks = children_of(net);
  EXPECT_CONTAINS(said([&] { (void)shard(net, blocks, ProcessGroup()); }), "init()");
  EXPECT_CONTAINS(said([&] { (void)shard(net, blocks, group, {.stage = 4}); }), "there is no stage 4");
  EXPECT_CONTAINS(said([&] { (void)shard(net, blocks, group, {.compute = int32}); }), "compute must be a floating dtype");
  EXPECT_CONTAINS(said([&] { (void)shard(net, blocks, group, {.combine = Reduce::max}); }), "not by max");
  EXPECT_CONTAINS(said([&] { (void)shard(net, {blocks[0], blocks[0]}, group); }), "block 0 is named twice");
  EXPECT_CONTAINS(said([&] { (void)shard(net, children_of(other), group); }), "is no part of the Sequential");
  EXPECT_CONTAINS(said([&] { (void)shard(net, {&net}, group); }), "the whole net");
  const Sharding sharding = shard(net, blocks, group);
  EXPECT_CONTAINS(said([&] { (void)shard(net, {}, group); }), "0.0.weight is sharded already");
  EXPECT_CONTAINS(said([&] { (void)nn::clone(net); }), "clone the module before");
  sum(net(ones({1, 4}))).backward();
  optim::Lamb lamb(net.parameters(), {.lr = 0.1});
  EXPECT_CONTAINS(said([&] { lamb.step(); }), "LAMB: computes with whole tensors");
  optim::Adafactor adafactor(net.parameters());
  EXPECT_CONTAINS(said([&] { adafactor.step(); }), "Adafactor: computes with whole tensors");
  EXPECT_CONTAINS(said([&] { (void)optim::Muon(net.parameters(), {.lr = 0.1}); }), "not a matrix");
  const Tensor loss = sum(net(ones({1, 4})));
  optim::SGD sgd(net.parameters(), {.lr = 0.1});
  sgd.step();
  EXPECT_CONTAINS(said([&] { loss.backward(); }), "changed in place, by an optimizer's step between forward and backward");
}

TEST(Sharding, AParameterUsedOutsideOfItsBlockIsNamed) {
  nn::Linear net({.in = 2, .out = 2});
  const Tensor weight = net.weight;
  const Sharding sharding = shard(net, {}, pretend(0, 2), {.stage = 1});
  EXPECT_CONTAINS(message_of<Error>([&] { sum(weight * 2).backward(); }), "weight got a gradient, but its block was not called");
}

TEST(Sharding, RanksThatDisagreeOrFailEndOnEveryRank) {
  test::run_threads(3, [](ProcessGroup& group) {
    nn::Sequential net = layers(2, 4);
    const std::string text = message_of<ValueError>([&] {
      (void)shard(net, group.rank() == 1 ? std::vector<nn::ModuleBase*>{} : children_of(net), group);
    });
    require(text.find(group.rank() == 1 ? "rank 1's call differs from rank 0's: there 'block 0', here" : "another rank's call differs") !=
                text.npos,
            text);
    const std::string stage = message_of<ValueError>([&] { (void)shard(net, {}, group, {.stage = 1 + (group.rank() == 2)}); });
    require(stage.find("differs from rank 0's") != stage.npos, stage);
  });
  std::vector<std::string> said(3);
  std::vector<ProcessGroup> groups = in_process_groups(3, 10);
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < 3; ++rank)
    threads.emplace_back([&, rank] {
      const ProcessGroup group = std::exchange(groups[rank], {});
      nn::Sequential net = layers(3, 4);
      try {
        const Sharding sharding = shard(net, children_of(net), group);
        if (rank == 1) throw ValueError("rank 1 has no more data");
        sum(net(ones({1, 4}))).backward();
      } catch (const Error& error) {
        said[rank] = error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_CONTAINS(said[0], "rank 1 did not join");
  EXPECT_CONTAINS(said[1], "no more data");
  EXPECT_CONTAINS(said[2], "rank 1 did not join");
}

}  // namespace
}  // namespace minima::distributed::sharding_uses_test
