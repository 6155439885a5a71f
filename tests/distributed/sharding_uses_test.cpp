#include "tests/distributed/layers.h"
#include "tests/distributed/processes.h"
#include "tests/support/expect_error.h"

#include <minima/amp/grad_scaler.h>
#include <minima/distributed/functional.h>
#include <minima/distributed/pretend.h>
#include <minima/distributed/sharding/sharding.h>
#include <minima/minima.h>
#include <minima/tensor/allclose.h>

#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <limits>
#include <string>

namespace minima::distributed::sharding_uses_test {
namespace {

using test::layers;
using test::message_of;
using test::require;

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

void fill(const nn::ModuleBase& module) {
  int seed = 0;
  for (Tensor parameter : module.parameters()) {
    const bool trains = parameter.requires_grad();
    parameter.set_data(numbers(parameter.shape(), ++seed));
    parameter.requires_grad(trains);
  }
}

void expect_close(const Sharding& sharding, const std::vector<Tensor>& shards, const std::vector<Tensor>& whole,
                  bool gradients) {
  const std::vector<ShardedTensor> state = sharding.state();
  require(state.size() == whole.size(), "as many parameters");
  for (std::size_t i = 0; i < state.size(); ++i) {
    const Tensor ours = gradients ? shards[i].grad() : state[i].local,
                 all = gradients ? whole[i].grad() : whole[i].detach();
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
    fill(net);
    Tied reference = nn::clone(net);
    const Sharding sharding = shard(net, net.blocks(), group, {.combine = Reduce::sum});
    optim::AdamW optimizer(net.parameters(), {.lr = 0.01}), alone(reference.parameters(), {.lr = 0.01});
    for (int step = 0; step < 4; ++step) {
      if (step == 2) {  // thaw one, freeze another
        for (const nn::ModuleBase* module :
             {static_cast<nn::ModuleBase*>(&net), static_cast<nn::ModuleBase*>(&reference)})
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
      require(std::abs(norm - expected) < 1e-12 * expected && expected > 1,
              str("norm ", norm, " instead of ", expected));
      optimizer.step();
      alone.step();
      expect_close(sharding, net.parameters(), reference.parameters(), false);
    }
  });
}

/// Calls a block, another one, and the first again.
struct Returning : nn::Module {
  nn::Sequential shared =
      child("shared", nn::Sequential(nn::Linear({.in = 5, .out = 6}), nn::Tanh(), nn::Linear({.in = 6, .out = 5})));
  nn::Linear other = child("other", nn::Linear({.in = 5, .out = 5})),
             last = child("last", nn::Linear({.in = 5, .out = 3}));
  bool checkpoints = false;
  Tensor forward(const Tensor& x) override { return last(again(tanh(other(again(x))))); }
  Tensor again(const Tensor& x) {
    return checkpoints ? checkpoint([this](const Tensor& y) { return shared(y); }, x) : shared(x);
  }
  std::vector<nn::ModuleBase*> blocks() { return {&shared, &other, &last}; }
};

TEST(Sharding, BlocksThatAreCalledTwiceTrainAsInOneProcess) {
  test::run_threads(2, [](ProcessGroup& group) {
    for (int way = 0; way < 16; ++way) {
      const int stage = way < 8 ? 3 : 1 + way % 2;
      Returning net;
      net.to(float64);
      fill(net);
      net.checkpoints = way / 4 % 2 == 1;
      Returning reference = nn::clone(net);
      const Sharding sharding = shard(net, net.blocks(), group,
                                      {.stage = stage,
                                       .combine = Reduce::sum,
                                       .reshard_after_forward = way % 2 == 0,
                                       .prefetch = way / 2 % 2 == 0});
      optim::AdamW optimizer(net.parameters(), {.lr = 0.01}), alone(reference.parameters(), {.lr = 0.01});
      for (int step = 0; step < 3; ++step) {
        optimizer.zero_grad();
        alone.zero_grad();
        const Tensor ours = net(numbers({2, 5}, 10 * step + group.rank()));
        require(max(abs(ours - reference(numbers({2, 5}, 10 * step + group.rank())))).item<double>() < 1e-12,
                str("outputs of way ", way));
        sum(ours).backward();
        for (int rank = 0; rank < group.size(); ++rank) sum(reference(numbers({2, 5}, 10 * step + rank))).backward();
        expect_close(sharding, net.parameters(), reference.parameters(), true);
        optimizer.step();
        alone.step();
        expect_close(sharding, net.parameters(), reference.parameters(), false);
      }
    }
  });
}

// Optimizers of blocks step as soon as their gradients are there, which gathers and reduces nothing again.
TEST(Sharding, BlocksStepDuringBackwardAsBehindIt) {
  test::run_threads(2, [](ProcessGroup& group) {
    for (const int stage : {1, 2, 3}) {
      nn::Sequential net = layers(4, 5), reference;
      net.to(float64);
      fill(net);
      reference = nn::clone(net);
      const Sharding early = shard(net, children_of(net), group, {.stage = stage}),
                     late = shard(reference, children_of(reference), group, {.stage = stage});
      std::deque<optim::AdamW> optimizers;
      for (const std::vector<Tensor>& shards : early.shards())
        if (!shards.empty()) optimizers.emplace_back(shards, optim::AdamWOptions{.lr = 0.01});
      require(optimizers.size() == 4, "every parameter is in a block");
      std::vector<std::size_t> order;
      bool in_backward = false;
      early.on_reduced([&](std::size_t block) {
        require(in_backward, "it is called in backward");
        order.push_back(block);
        optimizers[block - 1].step();
        optimizers[block - 1].zero_grad();
      });
      optim::AdamW alone(reference.parameters(), {.lr = 0.01});
      for (int step = 0; step < 4; ++step) {
        order.clear();
        for (int part = 0; part < 2; ++part) {
          const Tensor x = numbers({2, 5}, 100 * step + 10 * part + group.rank());
          const auto differentiate = [&] {
            const Tensor ours = sum(tanh(net(x)));
            in_backward = true;
            ours.backward();
            in_backward = false;
            sum(tanh(reference(x))).backward();
          };
          if (part == 1) {
            differentiate();
          } else {
            const auto guard = early.no_sync();
            const auto other = late.no_sync();
            differentiate();
            require(order.empty(), "nothing is reduced");
          }
        }
        require(order == std::vector<std::size_t>{4, 3, 2, 1}, "blocks in the order of backward");
        alone.step();
        alone.zero_grad();
        for (std::size_t i = 0; i < net.parameters().size(); ++i)
          require(identical(net.parameters()[i], reference.parameters()[i]), str("stage ", stage, ", shard ", i));
      }
      for (std::size_t i = 0; i < early.blocks().size(); ++i)
        require(early.blocks()[i].gathers == late.blocks()[i].gathers, str("gathers of block ", i));
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
    require(optim::grad_norm(parameters).item<double>() == std::sqrt(3 * 4 + 1 + 16.0),
            "norm of shards and a whole tensor");
    require(optim::grad_norm(parameters, std::numeric_limits<double>::infinity()).item<double>() == 4,
            "largest gradient");
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
    for (const Tensor& shard : net.parameters())
      require(shard.rank() == 1 && shard.grad().defined(), "shards have gradients");
  });
}

TEST(Sharding, ShardsThatGetOtherDataAreFollowed) {
  test::run_threads(2, [](ProcessGroup& group) {
    nn::Linear net({.in = 4, .out = 4, .bias = false});
    const Sharding sharding = shard(net, {}, group);
    net.parameters()[0].set_data(full({8}, 1 + group.rank()));
    const NoGrad guard;
    require(net(ones({1, 4})).to_vector<float>() == std::vector<float>{4, 4, 8, 8}, "the new values");
    net.parameters()[0].set_data(ones({3}));
    const std::string text = message_of<ShapeError>([&] { (void)net(ones({1, 4})); });
    require(text.find("this rank's part of weight has 8 elements") != text.npos, text);
  });
}

TEST(Sharding, WholeWeightsServeOneRankAlone) {
  test::run_threads(2, [](ProcessGroup& group) {
    nn::Sequential net = layers(3, 16), reference = nn::clone(net);
    const Tensor member = net.parameters()[0], x = ones({1, 16});
    const Sharding sharding = shard(net, children_of(net), group);
    const NoGrad guard;
    {
      const auto whole = sharding.gather();
      require(identical(member, reference.parameters()[0]), "members are whole");
      if (group.rank() == 0)
        for (int i = 0; i < 2; ++i) require(identical(net(x), reference(x)), "one rank computes");
    }
    require(std::isnan(sum(member).item<double>()), "and released");
    require(identical(net(x), reference(x)), "all compute");
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

TEST(Sharding, GradientsOfInputsReduceNothingAndMayBeDifferentiated) {
  test::run_threads(2, [](ProcessGroup& group) {
    for (const int stage : {1, 2, 3}) {
      nn::Sequential net = layers(3, 6), reference = nn::clone(net);
      net.to(float64);
      reference.to(float64);
      const Sharding sharding = shard(net, children_of(net), group, {.stage = stage, .combine = Reduce::sum});
      const auto penalised = [](nn::Sequential& of, int rank) {
        Tensor x = numbers({2, 6}, rank);
        x.requires_grad(true);
        const Tensor slope = grad({sum(square(of(x)))}, {x}, {}, {.create_graph = true})[0];
        (sum(square(slope)) + sum(of(x))).backward();
      };
      for (int step = 0; step < 2; ++step) {
        net.zero_grad();
        reference.zero_grad();
        penalised(net, group.rank());
        for (int rank = 0; rank < group.size(); ++rank) penalised(reference, rank);
        expect_close(sharding, net.parameters(), reference.parameters(), true);
      }
    }
  });
  Traffic traffic;
  nn::Sequential net = layers(3, 6);
  const Sharding sharding = shard(net, children_of(net), pretend(0, 2, {.traffic = traffic}));
  Tensor x = ones({2, 6});
  x.requires_grad(true);
  grad({sum(net(x))}, {x});
  EXPECT_EQ(traffic.of(Collective::reduce_scatter).calls, 0);
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
    require(text.find("mismatched: 0.0.weight is [5, 5]") != text.npos && text.find("missing: 1.0.bias") != text.npos,
            text);
  });
}

}  // namespace
}  // namespace minima::distributed::sharding_uses_test
