#include <minima/autograd/mode.h>
#include <minima/distributed/data_parallel.h>
#include <minima/distributed/sharding/sharding.h>
#include <minima/io/states/saved_state.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/module/module.h>
#include <minima/ops/ops.h>
#include <minima/optim/averaging/averaging.h>
#include <minima/optim/elementwise/adam.h>
#include <minima/optim/gradient/accumulation.h>
#include <minima/optim/gradient/clip.h>
#include <minima/optim/structured/adafactor.h>
#include <minima/optim/structured/lamb.h>
#include <minima/optim/structured/muon.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/random/generator.h>
#include <minima/train/run/batch_share.h>
#include <minima/train/run/run.h>

#include "tests/distributed/processes.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// A run of shards is saved by slice and read at any stage and number of ranks.

namespace minima::train::shards_test {
namespace {

using i64 = std::int64_t;

/// Two blocks, one with a weight used twice and a bias of fewer elements than ranks, and a frozen layer.
struct Shared : nn::Module {
  nn::Linear in = child("in", nn::Linear({.in = 5, .out = 7}));
  nn::Linear a = child("a", nn::Linear({.in = 7, .out = 7})), b = child("b", nn::Linear({.in = 7, .out = 7}));
  nn::Linear frozen = child("frozen", nn::Linear({.in = 7, .out = 7}));
  nn::Linear out = child("out", nn::Linear({.in = 7, .out = 1}));
  Shared() {
    b.weight = a.weight;
    to(float64);
    RandomGenerator generator(7);
    const NoGrad guard;
    for (const Tensor& parameter : parameters())
      copy_(parameter, randn(parameter.shape(), {.dtype = float64}, &generator) * 0.4);
    frozen.weight.requires_grad(false);
  }
  Tensor forward(const Tensor& x) override { return out(frozen(relu(b(relu(a(relu(in(x)))))))); }
};

using Optimizers = std::vector<std::unique_ptr<optim::Optimizer>>;

Optimizers adamw(const Shared& net) {
  Optimizers made;
  made.push_back(std::make_unique<optim::AdamW>(net.parameters(), optim::AdamWOptions{.lr = 0.02}));
  return made;
}
Optimizers lamb(const Shared& net) {
  Optimizers made;
  made.push_back(std::make_unique<optim::Lamb>(net.parameters(), optim::LambOptions{.lr = 0.02}));
  return made;
}
Optimizers adafactor(const Shared& net) {
  Optimizers made;
  made.push_back(std::make_unique<optim::Adafactor>(net.parameters(), optim::AdafactorOptions{.lr = 0.02}));
  return made;
}
/// Muon for weights, AdamW for biases.
Optimizers muon(const Shared& net) {
  std::vector<Tensor> weights, biases;
  for (const auto& [name, tensor] : net.named_parameters())
    (name.ends_with("weight") ? weights : biases).push_back(tensor);
  Optimizers made;
  made.push_back(std::make_unique<optim::Muon>(weights, optim::MuonOptions{.lr = 0.02, .products = float64}));
  made.push_back(std::make_unique<optim::AdamW>(biases, optim::AdamWOptions{.lr = 0.02}));
  return made;
}

/// Trains from the newest state to a number of steps. Stage 0 is DistributedDataParallel, or one process.
void train_shared(const std::string& folder, int ranks, int stage, i64 steps, i64 batch = 13,
                  Optimizers (*make)(const Shared& net) = adamw) {
  test::run_threads(ranks, [&](distributed::ProcessGroup& group) {
    Shared net;
    std::optional<distributed::DistributedDataParallel> parallel;
    std::optional<distributed::Sharding> sharding;
    if (stage > 0) sharding.emplace(distributed::shard(net, {&net.in, &net.out}, group, {.stage = stage}));
    else parallel.emplace(net, group);
    const Optimizers optimizers = make(net);
    optim::Ema ema(net.parameters(), {.decay = 0.8});
    train::Run run(folder, group, {.every = 0, .signals = false, .check_replicas = 1, .straggler = 0});
    run.add("net", net), run.add("ema", ema);
    for (std::size_t i = 0; i < optimizers.size(); ++i) run.add(i == 0 ? "optimizer" : "other", *optimizers[i]);
    run.resume();
    const BatchShare share = share_of_batch({.batch = batch}, group.rank(), group.size());
    while (run.steps() < steps) {
      RandomGenerator generator(100 + static_cast<std::uint64_t>(run.steps()));
      const Tensor x = randn({batch, 5}, {.dtype = float64}, &generator);
      const Tensor ours = narrow(x, 0, share.first, share.count);
      net.zero_grad();
      (mean(square(net(ours) - sum(ours, 1, true))) * share.weight(0)).backward();
      optim::clip_grad_norm_(net.parameters(), 0.5);
      for (const auto& optimizer : optimizers) optimizer->step();
      ema.update();
      run.step();
    }
    test::require(run.finish() == 0, "the state is saved");
  });
}

/// The largest difference between two states' tensors; infinity if they have others.
double difference(const std::string& a, const std::string& b) {
  const State left = SavedState::open(a + "/latest").replicated(), right = SavedState::open(b + "/latest").replicated();
  EXPECT_EQ(left.tensors().size(), right.tensors().size());
  double largest = 0;
  for (const auto& [name, tensor] : left.tensors()) {
    const Tensor* const other = right.find(name);
    if (!other || other->shape() != tensor.shape() || other->dtype() != tensor.dtype()) return HUGE_VAL;
    if (tensor.numel() > 0) largest = std::max(largest, max(abs(tensor - *other)).item<double>());
  }
  return left.tensors().size() < 30 ? HUGE_VAL : largest;  // 10 of the net, 9 averages and 11 to 16 of optimizers
}

TEST(RunOfShards, TwoHalvesAreTheWholeBitwise) {
  for (const auto& [ranks, stage] : {std::pair{2, 1}, {3, 2}, {2, 3}, {3, 3}}) {
    const test::TemporaryFolder folder;
    train_shared(folder / "whole", ranks, stage, 6);
    train_shared(folder / "halves", ranks, stage, 3);
    EXPECT_GT(difference(folder / "whole", folder / "halves"), 1e-3);
    train_shared(folder / "halves", ranks, stage, 6);
    EXPECT_EQ(difference(folder / "whole", folder / "halves"), 0) << ranks << " ranks, stage " << stage;
  }
}

TEST(RunOfShards, GoOnAtAnyStageAndNumberOfRanks) {
  const test::TemporaryFolder folder;
  train_shared(folder / "whole", 1, 0, 7);
  i64 steps = 0;
  for (const auto& [ranks, stage] : {std::pair{1, 0}, {3, 3}, {2, 1}, {2, 0}, {4, 2}, {2, 3}, {1, 0}})
    train_shared(folder / "parts", ranks, stage, ++steps);
  EXPECT_LT(difference(folder / "whole", folder / "parts"), 1e-12);
  // The weights of stage 3 are in the files of all ranks, and none has them whole.
  const SavedState saved = SavedState::open(folder / "parts/step-0000000006");
  ASSERT_EQ(saved.ranks(), 2);
  EXPECT_TRUE(saved.has("net.in.weight") && saved.has("net.b.weight") &&
              saved.has("optimizer.state.in.weight.exp_avg"));
  EXPECT_EQ(saved.replicated("net").tensor("in.weight").shape(), Shape({7, 5}));
}

TEST(RunOfShards, GoOnWithOptimizersOfWholeTensors) {
  for (const auto make : {lamb, adafactor, muon}) {
    const test::TemporaryFolder folder;
    train_shared(folder / "whole", 1, 0, 7, 13, make);
    i64 steps = 0;
    for (const auto& [ranks, stage] : {std::pair{1, 0}, {3, 3}, {2, 1}, {2, 0}, {4, 2}, {2, 3}, {1, 0}})
      train_shared(folder / "parts", ranks, stage, ++steps, 13, make);
    EXPECT_LT(difference(folder / "whole", folder / "parts"), 1e-12);
    train_shared(folder / "again", 3, 3, 3, 13, make);
    train_shared(folder / "halves", 3, 3, 2, 13, make);
    EXPECT_GT(difference(folder / "again", folder / "halves"), 1e-4);
    train_shared(folder / "halves", 3, 3, 3, 13, make);
    EXPECT_EQ(difference(folder / "again", folder / "halves"), 0);
  }
}

TEST(RunOfShards, AnotherShapeIsRefusedByName) {
  const test::TemporaryFolder folder;
  {
    nn::Linear net({.in = 3, .out = 4});
    train::Run run(folder.path(), {.every = 0, .signals = false});
    run.add("net", net);
    run.step();
    run.finish();
  }
  test::run_threads(2, [&](distributed::ProcessGroup& group) {
    nn::Linear net({.in = 4, .out = 3});
    const distributed::Sharding sharding = distributed::shard(net, {}, group);
    train::Run run(folder.path(), group, {.every = 0, .signals = false});
    run.add("net", net);
    const std::string said = test::message_of<ValueError>([&] { run.resume(); });
    test::require(said.find("bias is [4] in the state, but [3] here") != std::string::npos, said);
  });
}

TEST(RunOfShards, RefusesGradientsThatAreNotReduced) {
  const test::TemporaryFolder folder;
  test::run_threads(2, [&](distributed::ProcessGroup& group) {
    nn::Linear net({.in = 4, .out = 3});
    const distributed::Sharding sharding = distributed::shard(net, {}, group);
    optim::Accumulation accumulation(2, {.parameters = net.parameters()});
    {
      const auto local = sharding.no_sync();
      accumulation.part(sum(net(ones({2, 4}))), 2).backward();
    }
    const std::string said = test::message_of<ValueError>([&] { accumulation.state_dict(); });
    test::require(said.find("not reduced to shards yet") != std::string::npos, said);
    accumulation.part(sum(net(ones({2, 4}))), 2).backward();
    accumulation.state_dict();
  });
}

}  // namespace
}  // namespace minima::train::shards_test
