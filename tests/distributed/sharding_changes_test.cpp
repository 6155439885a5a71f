#include "tests/distributed/layers.h"
#include "tests/distributed/processes.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

#include <minima/autograd/hooks.h>
#include <minima/distributed/data_parallel.h>
#include <minima/distributed/pretend.h>
#include <minima/distributed/sharding/sharding.h>
#include <minima/minima.h>
#include <minima/models/language/llama.h>
#include <minima/nn/adapters/lora.h>
#include <minima/nn/parametrize/norms.h>
#include <minima/ops/loss/token_loss.h>
#include <minima/optim/decay_groups.h>
#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

// Programs that make, change or save something at a time when a parameter is a shard, or is one no more.

namespace minima::distributed::sharding_changes_test {
namespace {

using test::layers;
using test::message_of;
using test::require;

nn::Sequential net_of(std::int64_t width) {
  nn::Sequential net = layers(3, width);
  net.to(float64);
  return net;
}

Tensor inputs(int step, int rank) { return reshape(sin(arange(12, {.dtype = float64}) * (step + 2) + rank), {2, 6}); }

Tensor loss_of(nn::Sequential& net, int step, int rank) {
  const Tensor y = net(inputs(step, rank));
  return sum(y * y);
}

/// One backward pass of the net on this rank's inputs, and of the reference on all ranks'.
void backward(nn::Sequential& net, nn::Sequential& reference, const ProcessGroup& group, int step) {
  loss_of(net, step, group.rank()).backward();
  for (int rank = 0; rank < group.size(); ++rank) loss_of(reference, step, rank).backward();
}

/// The shards, and their gradients, are those of the reference.
void expect_close(const Sharding& sharding, const nn::ModuleBase& net, const nn::ModuleBase& reference,
                  const std::string& when) {
  const std::vector<ShardedTensor> state = sharding.state();
  const std::vector<Tensor> shards = net.parameters(), whole = reference.parameters();
  require(state.size() == whole.size(), "as many parameters");
  for (std::size_t i = 0; i < state.size(); ++i)
    for (const bool is_gradient : {false, true}) {
      const Tensor ours = is_gradient ? shards[i].grad() : state[i].local;
      const Tensor all = is_gradient ? whole[i].grad() : whole[i].detach();
      require(ours.defined() == all.defined(), str(when, ": ", state[i].name, " has a gradient in both or in none"));
      if (!ours.defined() || ours.numel() == 0) continue;
      const Tensor theirs = narrow(reshape(all, {-1}), 0, state[i].offset, ours.numel());
      const double worst = max(abs(ours - theirs)).item<double>();
      require(worst < 1e-12, str(when, ": ", state[i].name, is_gradient ? "'s gradient" : "", " differs by ", worst));
    }
}

/// A step of the net's optimizer and of the reference's, with the gradients that `backward` makes.
template <class F>
void step_both(optim::AdamW& optimizer, optim::AdamW& alone, const F& backward) {
  optimizer.zero_grad();
  alone.zero_grad();
  backward();
  optimizer.step();
  alone.step();
}

/// Calls f on two ranks in all stages, with a sharded net and a whole one.
template <class F>
void on_two_ranks(const F& f, Reduce combine = Reduce::sum) {
  for (const int stage : {1, 2, 3})
    test::run_threads(2, [&](ProcessGroup& group) {
      nn::Sequential net = net_of(6), reference = nn::clone(net);
      const Sharding sharding = shard(net, children_of(net), group, {.stage = stage, .combine = combine});
      f(group, net, reference, sharding, str("stage ", stage));
    });
}

TEST(ShardingChanges, OptimizersAndAveragesOfWholeParametersAreRefused) {
  for (const int stage : {1, 2, 3}) {
    nn::Sequential net = net_of(6);
    optim::AdamW optimizer(net.parameters(), {.lr = 0.1});
    optim::LBFGS lbfgs(net.parameters());
    optim::Ema ema(net.parameters());
    const std::vector<Tensor> listed = net.parameters();
    const Sharding sharding = shard(net, children_of(net), pretend(0, 2), {.stage = stage});
    loss_of(net, 0, 0).backward();
    const auto said = [](auto&& call) { return message_of<ValueError>(call); };
    const char* const wanted = "list net.parameters() behind distributed::shard";
    EXPECT_CONTAINS(said([&] { optimizer.step(); }), wanted);
    EXPECT_CONTAINS(said([&] { optim::clip_grad_norm_(listed, 1); }), wanted);
    EXPECT_CONTAINS(said([&] { optim::clip_grad_value_(listed, 1); }), wanted);
    EXPECT_CONTAINS(said([&] { ema.update(); }), wanted);
    EXPECT_CONTAINS(said([&] { ema.copy_to_parameters(); }), wanted);
    optim::AdamW behind(net.parameters(), {.lr = 0.1});
    behind.step();
  }
}

TEST(ShardingChanges, GradientsUnderNoSyncAreNotForOptimizers) {
  on_two_ranks([](ProcessGroup& group, nn::Sequential& net, nn::Sequential& reference, const Sharding& sharding,
                  const std::string& when) {
    optim::SGD optimizer(net.parameters(), {.lr = 0.1});
    const auto expect = [&](auto&& call, const std::string& wanted) {
      const std::string said = message_of<ValueError>(call);
      // PlacementCheck says it first, where it is on.
      require(
          said.find(wanted) != std::string::npos || said.find("without no_sync() has to combine") != std::string::npos,
          str(when, ": ", said));
    };
    {
      const auto guard = sharding.no_sync();
      backward(net, reference, group, 0);
    }
    expect([&] { optimizer.step(); }, "is not reduced yet");
    expect([&] { optim::clip_grad_norm_(net.parameters(), 1); }, "is not reduced yet");
    expect([&] { optim::clip_grad_value_(net.parameters(), 1); }, "is not reduced yet");
    backward(net, reference, group, 1);
    expect_close(sharding, net, reference, when);
    {
      const auto guard = sharding.no_sync();
      net.zero_grad();
      loss_of(net, 0, group.rank()).backward();
    }
    for (const Tensor& shard : net.parameters()) fill_(shard.grad(), 0.0);
    expect([&] { loss_of(net, 1, group.rank()); }, "the change would be lost");
    net.zero_grad();
    reference.zero_grad();
    optimizer.step();  // nothing waits any more
    backward(net, reference, group, 2);
    expect_close(sharding, net, reference, when);
  });
}

// Kept weights are gathered again behind the first pass, and are the same.
TEST(ShardingChanges, SeveralBackwardPassesOfOneForward) {
  on_two_ranks([](ProcessGroup& group, nn::Sequential& net, nn::Sequential& reference, const Sharding& sharding,
                  const std::string& when) {
    optim::AdamW optimizer(net.parameters(), {.lr = 0.1}), alone(reference.parameters(), {.lr = 0.1});
    for (int step = 0; step < 2; ++step) {
      optimizer.zero_grad();
      alone.zero_grad();
      const Tensor y = net(inputs(step, group.rank())), other = loss_of(net, step + 5, group.rank());
      sum(y * y).backward({}, true);
      {
        const NoGrad guard;
        net(inputs(0, 0));
      }
      sum(y * 3).backward();
      other.backward();
      for (int rank = 0; rank < group.size(); ++rank) {
        const Tensor whole = reference(inputs(step, rank));
        (sum(whole * whole) + sum(whole * 3) + loss_of(reference, step + 5, rank)).backward();
      }
      optimizer.step();
      alone.step();
      expect_close(sharding, net, reference, when);
    }
    const Tensor late = loss_of(net, 0, group.rank());
    optimizer.step();
    require(!message_of<AutogradError>([&] { late.backward(); }).empty(), when + ": a step between is an error");
  });
}

TEST(ShardingChanges, ParametersAreFrozenThroughModulesAndShards) {
  on_two_ranks([](ProcessGroup& group, nn::Sequential& net, nn::Sequential& reference, const Sharding& sharding,
                  const std::string& when) {
    Tensor weight = net.at<nn::Sequential>(1).at<nn::Linear>(0).weight;
    Tensor whole = reference.at<nn::Sequential>(1).at<nn::Linear>(0).weight;
    const auto step = [&](int number) {
      net.zero_grad();
      reference.zero_grad();
      backward(net, reference, group, number);
      expect_close(sharding, net, reference, str(when, ", step ", number));
    };
    weight.requires_grad(false), whole.requires_grad(false);
    net.zero_grad(), reference.zero_grad();
    step(0);
    require(!net.parameters()[1].requires_grad(), when + ": the shard follows the module's parameter");
    net.requires_grad(true), reference.requires_grad(true);
    step(1);
    for (nn::Sequential* const each : {&net, &reference}) {
      each->requires_grad(false);
      each->parameters()[2].requires_grad(true);
    }
    step(2);
    weight.requires_grad(true), whole.requires_grad(true);
    step(3);
  });
}

TEST(ShardingChanges, ModulesAndHooksOfLaterAreRefused) {
  for (const int stage : {1, 2, 3}) {
    nn::Sequential net = net_of(6);
    const Sharding sharding = shard(net, children_of(net), pretend(0, 2), {.stage = stage});
    net(inputs(0, 0));
    HookHandle hook = register_hook(net.parameters()[0], [](const Tensor& gradient) { return gradient * 2; });
    EXPECT_CONTAINS(message_of<ValueError>([&] { net(inputs(0, 0)); }),
                    "a hook on the shard of 0.0.weight would not be called");
    hook.remove();
    hook = register_post_accumulate_hook(net.parameters()[1], [](const Tensor&) {});
    EXPECT_CONTAINS(message_of<ValueError>([&] { net(inputs(0, 0)); }), "or use Sharding::on_reduced");
    hook.remove();
    net(inputs(0, 0));
    net.eval();
    net(inputs(0, 0));
    nn::Linear head({.in = 6, .out = 2});
    head.to(float64);
    net.push_back(head);
    EXPECT_CONTAINS(message_of<ValueError>([&] { net(inputs(0, 0)); }), "3.weight is new in the Sequential");
  }
}

// Ranks have 1 to 4 targets in a part; the step is that on the mean of all.
TEST(ShardingChanges, CountsOfTargetsAddUpOverRanks) {
  on_two_ranks(
      [](ProcessGroup& group, nn::Sequential& net, nn::Sequential& reference, const Sharding& sharding,
         const std::string& when) {
        optim::Accumulation accumulation(2), alone(1);
        optim::SGD optimizer(net.parameters(), {.lr = 0.1}), single(reference.parameters(), {.lr = 0.1});
        const auto part = [](nn::Sequential& of, int number, int rank) {
          const std::int64_t rows = 1 + rank * 2 + number;
          const Tensor y = of(reshape(sin(arange(rows * 6, {.dtype = float64}) * (number + 2) + rank), {rows, 6}));
          return TokenLoss{sum(y * y), full({}, static_cast<double>(rows), {.dtype = float64})};
        };
        accumulation.part(part(net, 0, group.rank())).backward();
        accumulation.part(part(net, 1, group.rank())).backward();
        const std::string said = message_of<ValueError>([&] { accumulation.step(optimizer); });
        require(said.find("call Sharding::sum_over_ranks(accumulation) once") != std::string::npos, said);
        sharding.sum_over_ranks(accumulation);
        for (int step = 0; step < 2; ++step) {
          optimizer.zero_grad();
          single.zero_grad();
          {
            const auto guard = sharding.no_sync();
            accumulation.part(part(net, 0, group.rank())).backward();
          }
          accumulation.part(part(net, 1, group.rank())).backward();
          TokenLoss whole{zeros({}, {.dtype = float64}), zeros({}, {.dtype = float64})};
          for (int rank = 0; rank < group.size(); ++rank)
            for (const int number : {0, 1}) {
              const TokenLoss one = part(reference, number, rank);
              whole = {whole.sum + one.sum, whole.count + one.count};
            }
          alone.part(whole).backward();
          accumulation.step(optimizer);
          alone.step(single);
          require(accumulation.count().item<double>() == 10, when + ": 1 + 2 + 3 + 4 targets");
          require(std::abs(accumulation.mean().item<double>() - alone.mean().item<double>()) < 1e-12,
                  when + ": the loss");
          expect_close(sharding, net, reference, when);
        }
      },
      Reduce::mean);
}

TEST(ShardingChanges, GradientsThatAProgramKeepsStay) {
  on_two_ranks([](ProcessGroup& group, nn::Sequential& net, nn::Sequential& reference, const Sharding& sharding,
                  const std::string& when) {
    std::vector<Tensor> kept, copies;
    for (int step = 0; step < 3; ++step) {
      net.zero_grad();
      reference.zero_grad();
      backward(net, reference, group, step);
      expect_close(sharding, net, reference, when);
      for (std::size_t i = 0; i < kept.size(); ++i) require(identical(kept[i], copies[i]), when + ": a kept gradient");
      kept.clear(), copies.clear();
      for (const Tensor& shard : net.parameters()) kept.push_back(shard.grad()), copies.push_back(clone(shard.grad()));
    }
    const void* const memory = kept[1].raw_data();
    kept.clear();
    for (int step = 0; step < 2; ++step) {
      net.zero_grad();
      loss_of(net, step, group.rank()).backward();
      require(net.parameters()[1].grad().raw_data() == memory, when + ": memory that is not kept is used again");
    }
  });
}

TEST(ShardingChanges, DataParallelismOverShardsIsRefused) {
  nn::Sequential net = net_of(6), first = net_of(6);
  const Sharding sharding = shard(net, children_of(net), pretend(0, 2));
  const char* const wanted = "0.0.weight is sharded, and shard() reduces its gradients";
  EXPECT_CONTAINS(message_of<ValueError>([&] { DistributedDataParallel(net, pretend(0, 2)); }), wanted);
  const DistributedDataParallel parallel(first, pretend(0, 2));
  const Sharding later = shard(first, children_of(first), pretend(0, 2));
  EXPECT_CONTAINS(message_of<ValueError>([&] { first(inputs(0, 0)); }), wanted);
}

TEST(ShardingChanges, ANetIsNotCalledWithoutItsSharding) {
  for (const int stage : {1, 2, 3}) {
    nn::Sequential net = net_of(6);
    { const Sharding sharding = shard(net, children_of(net), pretend(0, 2), {.stage = stage}); }
    EXPECT_CONTAINS(message_of<ValueError>([&] { net(inputs(0, 0)); }), "keep it as long as the net is used");
  }
}

// A parametrised weight is computed in a hook that was there before those that gather.
TEST(ShardingChanges, WeightsAreGatheredBeforeOthersAreComputedOfThem) {
  nn::Sequential made(nn::weight_norm(nn::Linear({.in = 6, .out = 6})), nn::Tanh(),
                      nn::orthogonal(nn::Linear({.in = 6, .out = 6})));
  made.to(float64);
  double seed = 0;
  for (const Tensor& each : made.parameters())
    copy_(each.detach(), reshape(sin(arange(each.numel(), {.dtype = float64}) + ++seed), each.shape()));
  for (const int stage : {1, 2, 3})
    test::run_threads(2, [&](ProcessGroup& group) {
      nn::Sequential net = nn::clone(made);
      nn::Sequential reference = nn::clone(net);
      const Sharding sharding = shard(net, children_of(net), group, {.stage = stage, .combine = Reduce::sum});
      optim::AdamW optimizer(net.parameters(), {.lr = 0.1}), alone(reference.parameters(), {.lr = 0.1});
      for (int step = 0; step < 3; ++step) {
        step_both(optimizer, alone, [&] { backward(net, reference, group, step); });
        expect_close(sharding, net, reference, str("stage ", stage));
        const NoGrad guard;
        const Tensor difference = net(inputs(9, 0)) - reference(inputs(9, 0));
        require(max(abs(difference)).item<double>() < 1e-12, "evaluation");
      }
    });
}

TEST(ShardingChanges, PartsAreNotSavedAsModels) {
  const test::TemporaryFolder folder;
  nn::Sequential net = net_of(6);
  const Sharding sharding = shard(net, children_of(net), pretend(0, 2));
  EXPECT_CONTAINS(message_of<ValueError>([&] { nn::save(folder / "net.safetensors", net); }),
                  "this rank has only a part of 0.0.weight");
  models::Llama llama({.vocabulary = 8, .width = 8, .mlp = 8, .layers = 1, .heads = 1, .key_heads = 1});
  const Sharding of_llama = shard(llama, {}, pretend(0, 2));
  EXPECT_CONTAINS(message_of<ValueError>([&] { llama.save_pretrained(folder / "llama"); }), "Sharding::gather_state()");
}

TEST(ShardingChanges, MatricesDecayAsInOneProcess) {
  nn::Sequential net = net_of(6);
  const Sharding sharding = shard(net, children_of(net), pretend(0, 2));
  const auto groups = optim::decay_groups<optim::AdamWOptions>(net.parameters()).groups();
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].parameters.size(), 3u);
  EXPECT_EQ(groups[1].parameters.size(), 2u);
}

TEST(ShardingChanges, AdaptersTrainAsInOneProcess) {
  const test::TemporaryFolder folder;
  const nn::Sequential plain = net_of(6);
  nn::Sequential made = nn::clone(plain);
  double seed = 0;
  for (const Tensor& factor : nn::add_lora(made, {.rank = 2, .targets = {"0.0", "1.0", "2.0"}}))
    copy_(factor.detach(), reshape(sin(arange(factor.numel(), {.dtype = float64}) + ++seed), factor.shape()));
  for (const int stage : {1, 2, 3})
    test::run_threads(2, [&](ProcessGroup& group) {
      nn::Sequential net = nn::clone(made);
      nn::Sequential reference = nn::clone(net);
      const Sharding sharding = shard(net, children_of(net), group, {.stage = stage, .combine = Reduce::sum});
      optim::AdamW optimizer(nn::lora_parameters(net), {.lr = 0.1}), alone(nn::lora_parameters(reference), {.lr = 0.1});
      for (int step = 0; step < 3; ++step) {
        step_both(optimizer, alone, [&] { backward(net, reference, group, step); });
        expect_close(sharding, net, reference, str("stage ", stage));
      }
      const auto said = [](auto&& call) { return message_of<ValueError>(call); };
      const auto expect = [](const std::string& text, const std::string& wanted) {
        require(text.find(wanted) != std::string::npos, text);
      };
      expect(said([&] { nn::merge_lora(net); }), "is sharded over ranks, which would lose the sum");
      expect(said([&] { nn::add_lora(net, {.targets = {"0.0", "1.0", "2.0"}, .name = "b"}); }),
             "add adapters before distributed::shard");
      const std::string mine = folder / str("adapter", stage, group.rank());
      if (stage == 3) expect(said([&] { nn::save_lora(mine, net); }), "save while Sharding::gather()");
      const auto whole = sharding.gather();
      nn::save_lora(mine, net);
      nn::Sequential other = nn::clone(plain);
      const std::vector<Tensor> loaded = nn::load_lora(mine, other), trained = nn::lora_parameters(reference);
      for (std::size_t i = 0; i < loaded.size(); ++i)
        require(max(abs(loaded[i].detach() - trained[i].detach())).item<double>() < 1e-12, "a saved factor");
    });
}

}  // namespace
}  // namespace minima::distributed::sharding_changes_test
