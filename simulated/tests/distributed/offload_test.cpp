#include "simulated/tests/distributed/ranks.h"

#include <minima/autograd/hooks.h>
#include <minima/distributed/sharding/sharding.h>
#include <minima/minima.h>
#include <minima/nn/init/defer.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/memory/blocks/memory_stats.h>
#include <minima/tensor/pinned.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace minima::offload_test {
namespace {

using distributed::ProcessGroup;
using distributed::Reduce;
using distributed::Sharding;
using distributed::ShardingOptions;
using test::require;

class SimulatedOffload : public DistributedOnSimulatedGpus {};

/// The numbers -1 to 1: sums of their products are exact in any order.
Tensor whole_numbers(const Shape& shape, std::int64_t seed) {
  std::vector<double> values(static_cast<std::size_t>(numel(shape)));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<double>((static_cast<std::int64_t>(i) * 7919 + seed * 104729 + 13) % 101 % 3 - 1);
  return from_vector(values, shape);
}

struct Part : nn::Module {
  nn::Linear a = child("a", nn::Linear({.in = 7, .out = 5})), b = child("b", nn::Linear({.in = 5, .out = 7}));
  nn::Linear expert = child("expert", nn::Linear({.in = 7, .out = 7}));
  bool uses_expert = true;
  Tensor forward(const Tensor& x) override {
    const Tensor h = x + b(relu(a(x)));
    return uses_expert ? h + expert(h) : h;
  }
};

struct Net : nn::Module {
  nn::Linear stem = child("stem", nn::Linear({.in = 3, .out = 7}));
  Part first = child("first", Part()), second = child("second", Part()), third = child("third", Part());
  nn::Linear head = child("head", nn::Linear({.in = 7, .out = 1}));
  explicit Net(Device device) {
    const NoGrad guard;
    std::int64_t seed = 1;
    to(float64);
    for (const Tensor& parameter : parameters()) parameter.set_data(whole_numbers(parameter.shape(), seed++));
    to(device);
  }
  bool swaps = false;
  Tensor forward(const Tensor& x) override {
    const Tensor h = relu(stem(x));
    return head(third(swaps ? first(second(h)) : second(first(h))));
  }
  std::vector<nn::ModuleBase*> blocks() { return {&first, &second, &third}; }
};

struct Course {
  std::vector<double> losses, gradients, norms;
  State state;
};

/// Three steps. Rank 1 uses an expert that the others do not.
Course trained(const ProcessGroup& group, Device device, ShardingOptions options, int parts) {
  Net net(device);
  options.combine = Reduce::sum;
  const Sharding sharding = distributed::shard(net, net.blocks(), group, options);
  for (const Tensor& shard : net.parameters()) {
    require(shard.device() == (options.offload ? Device::cpu() : device), "where shards are");
    require(shard.numel() == 0 || is_pinned(shard) == options.offload, "shards are pinned");
  }
  optim::SignSGD optimizer(net.parameters(), {.lr = 1});
  Course course;
  for (int step = 0; step < 3; ++step) {
    optimizer.zero_grad();
    for (int part = 0; part < parts; ++part) {
      std::optional<Sharding::NoSync> guard;
      if (part == 0 && parts == 3) guard.emplace(sharding);  // the second communicates, and the third adds to it
      net.second.uses_expert = group.rank() == 1;
      const Tensor y = net(whole_numbers({2, 3}, 100 * step + 10 * part + group.rank()).to(device));
      const Tensor loss = sum(y * y);
      loss.backward();
      course.losses.push_back(loss.item<double>());
    }
    for (const Tensor& shard : net.parameters()) {
      require(shard.grad().defined() && shard.grad().device() == shard.device(), "gradients are where shards are");
      if (shard.numel() > 0) course.gradients.push_back(sum(abs(shard.grad())).item<double>());
    }
    course.norms.push_back(optim::clip_grad_norm_(net.parameters(), 1e30).item<double>());
    optimizer.step();
  }
  net.eval();
  const NoGrad guard;
  course.state = sharding.gather_state();
  const Tensor y = sum(net(whole_numbers({2, 3}, 1).to(device)));
  for (const Tensor& shard : net.parameters()) fill_(shard, 0);  // while the GPU computes with what it gathered
  course.losses.push_back(y.item<double>());
  return course;
}

TEST_F(SimulatedOffload, OffloadedShardsTrainToTheSameBits) {
  expect_all_well(run_ranks(2, [&](const ProcessGroup& group, Device device) {
    const DeviceGuard guard(device);
    for (const int stage : {1, 2, 3})
      for (const int parts : {1, 3})
        for (const bool prefetch : {true, false}) {
          const ShardingOptions options{.stage = stage, .prefetch = prefetch};
          ShardingOptions offloaded = options;
          offloaded.offload = true;
          if (group.is_first()) simulated::reseed(static_cast<std::uint64_t>(stage * 10 + parts));
          const Course expected = trained(group, device, options, parts),
                       found = trained(group, device, offloaded, parts);
          const std::string when = str("stage ", stage, ", ", parts, " parts: ");
          require(found.losses == expected.losses, when + "losses");
          require(found.gradients == expected.gradients, when + "gradients");
          for (std::size_t i = 0; i < expected.norms.size(); ++i)  // whose squares have more digits than a double
            require(std::abs(found.norms[i] - expected.norms[i]) < 1e-15 * expected.norms[i], when + "norms");
          for (const auto& [name, tensor] : expected.state.tensors())
            require(found.state.find(name) && identical(*found.state.find(name), tensor), when + name);
        }
  }));
}

/// Weights by several initialisers, some of them smaller than the world; ranks are threads, which share the generator.
nn::Sequential drawn(bool is_deferred) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  manual_seed(7);
  std::optional<nn::init::Defer> defer;
  if (is_deferred) defer.emplace();
  nn::Sequential net(nn::Linear({.in = 13, .out = 17}), nn::Linear({.in = 17, .out = 2}),
                     nn::Linear({.in = 2, .out = 1}));
  nn::init::normal_(net.parameters()[2], 0, 0.5);
  return net;
}

// Stages 1 and 2 have the weights on the GPU, too, of which the shards on the host are parts.
TEST_F(SimulatedOffload, DeferredWeightsAreOneProcessesOnHostAndGpu) {
  for (const int ranks : {2, 3})
    expect_all_well(run_ranks(ranks, [&](const ProcessGroup& group, Device device) {
      const DeviceGuard guard(device);
      const nn::Sequential one = drawn(false);
      const State expected = one.state_dict();
      const Tensor x = whole_numbers({2, 13}, 1).to(float32);
      for (const int stage : {1, 2, 3}) {
        nn::Sequential net = drawn(true);
        net.to(device);
        const Sharding sharding =
            distributed::shard(net, distributed::children_of(net), group, {.stage = stage, .offload = true});
        for (const distributed::ShardedTensor& part : sharding.state()) {
          require(part.local.device() == Device::cpu(), "shards are on the host");
          const Tensor whole = reshape(expected.tensor(part.name), {-1});
          require(identical(part.local, narrow(whole, 0, part.offset, part.local.numel())),
                  str("stage ", stage, ": the shard of ", part.name));
        }
        nn::Sequential reference = nn::clone(one);
        reference.to(device);
        require(identical(net(x.to(device)), reference(x.to(device))),
                str("stage ", stage, ": the weights on the GPU"));
        const State gathered = sharding.gather_state();
        for (const auto& [name, tensor] : expected.tensors())
          require(identical(gathered.tensor(name), tensor), str("stage ", stage, ": ", name, " gathered"));
        group.barrier();
      }
    }));
}

// A block steps on the CPU when the next one's gradients have been reduced, before backward reaches the last.
TEST_F(SimulatedOffload, OffloadedBlocksStepWhileBackwardGoesOn) {
  expect_all_well(run_ranks(2, [&](const ProcessGroup& group, Device device) {
    const DeviceGuard guard(device);
    for (const int stage : {1, 2, 3}) {
      std::vector<double> losses[2];
      State states[2];
      for (const bool early : {false, true}) {
        Net net(device);
        const Sharding sharding =
            distributed::shard(net, net.blocks(), group, {.stage = stage, .combine = Reduce::sum, .offload = true});
        std::vector<std::unique_ptr<optim::AdamW>> optimizers;
        for (const std::vector<Tensor>& shards : sharding.shards())
          optimizers.push_back(std::make_unique<optim::AdamW>(shards, optim::AdamWOptions{.lr = 0.125}));
        const auto step = [&](std::size_t block) {
          optimizers[block]->step();
          optimizers[block]->zero_grad();
        };
        std::string events;
        if (early)
          sharding.on_reduced([&](std::size_t block) {
            events += static_cast<char>('0' + block);
            step(block);
          });
        const HookHandle hook = register_post_accumulate_hook(
            net.stem.weight, [&](const Tensor&) { events += 'e'; });  // backward is at its end
        for (int i = 0; i < 4; ++i) {
          events.clear();
          net.second.uses_expert = group.rank() == 1;
          const Tensor y = net(whole_numbers({2, 3}, 10 * i + group.rank()).to(device));
          const Tensor loss = sum(y * y);
          loss.backward();
          losses[early].push_back(loss.item<double>());
          if (!early)
            for (std::size_t block = 0; block < optimizers.size(); ++block) step(block);
          else require(events.find('3') < events.find('e') && events.size() == 5, "the order of events: " + events);
        }
        states[early] = sharding.gather_state();
      }
      require(losses[0] == losses[1], str("stage ", stage, ": losses"));
      for (const auto& [name, tensor] : states[0].tensors())
        require(identical(*states[1].find(name), tensor), str("stage ", stage, ": ", name));
    }
  }));
}

TEST_F(SimulatedOffload, OffloadLeavesNoOptimizerStateOnTheGpu) {
  expect_all_well(run_ranks(2, [&](const ProcessGroup& group, Device device) {
    const DeviceGuard guard(device);
    for (const bool offload : {false, true})
      for (const DType compute : {float32, bfloat16}) {
        // The bytes of a purpose, once there are none: a group's thread drops its handles a little later.
        const auto settled = [&](Purpose purpose) {
          std::int64_t bytes = 0;
          for (int i = 0; i < 2000; ++i) {
            synchronize(device);
            bytes = memory_stats(device).allocated_by[static_cast<int>(purpose)];
            if (bytes == 0) break;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          }
          return bytes;
        };
        require(settled(Purpose::optimizer_state) == 0 && settled(Purpose::gradients) == 0, "nothing is left");
        Net net(device);
        net.to(float32);
        const Sharding sharding =
            distributed::shard(net, net.blocks(), group, {.compute = compute, .reduce = float32, .offload = offload});
        optim::AdamW optimizer(net.parameters(), {.lr = 0.01});
        double loss = 0, first = 0;
        for (int step = 0; step < 6; ++step) {
          optimizer.zero_grad();
          const Tensor y = net(ones({2, 3}).to(device).to(compute));
          const Tensor square = mean(y.to(float32) * y.to(float32));
          square.backward();
          optimizer.step();
          loss = square.item<double>();
          if (step == 0) first = loss;
        }
        require(loss < first, str("the loss went from ", first, " to ", loss));
        const auto here = [&](Purpose purpose) {
          return offload ? settled(purpose) : memory_stats(device).allocated_by[static_cast<int>(purpose)];
        };
        require((here(Purpose::optimizer_state) > 0) == !offload, "state on the GPU");
        require((here(Purpose::gradients) > 0) == !offload, "gradients on the GPU");
      }
  }));
}

/// NCCL matches operations by their order alone, so that ranks which call blocks of equal size in another order mix
/// their weights, as in this evaluation. The host learns of it behind the next pass, for which it does not wait.
TEST_F(SimulatedOffload, BlocksInAnotherOrderAreNoticedAPassLater) {
  for (const bool saves : {false, true})
    expect_all_well(run_ranks(2, [&](const ProcessGroup& group, Device device) {
      const DeviceGuard guard(device);
      Net net(device);
      const Sharding sharding = distributed::shard(net, net.blocks(), group, {.prefetch = false});
      const auto train = [&] { sum(net(whole_numbers({2, 3}, group.rank()).to(device))).backward(); };
      train();
      train();
      {
        const NoGrad off;
        net.swaps = group.rank() == 1;
        (void)net(whole_numbers({2, 3}, 0).to(device));
        net.swaps = false;
      }
      train();
      std::string said;
      try {
        if (saves) (void)sharding.gather_state();
        else train();
      } catch (const ValueError& error) {
        said = error.what();
      }
      require(said.find("call the same blocks in the same order") != said.npos, "it is noticed: " + said);
    }));
}

using Optimizers = std::vector<std::unique_ptr<optim::Optimizer>>;

Optimizers made(const std::string& name, const std::vector<Tensor>& parameters, const std::vector<bool>& matrices) {
  Optimizers all;
  if (name == "Lamb") all.push_back(std::make_unique<optim::Lamb>(parameters, optim::LambOptions{.lr = 0.02}));
  if (name == "Adafactor")
    all.push_back(std::make_unique<optim::Adafactor>(parameters, optim::AdafactorOptions{.lr = 0.02}));
  std::vector<Tensor> of_muon, others;
  for (std::size_t i = 0; i < parameters.size(); ++i) (matrices[i] ? of_muon : others).push_back(parameters[i]);
  if (name == "Muon") {
    all.push_back(std::make_unique<optim::Muon>(of_muon, optim::MuonOptions{.lr = 0.02, .products = float64}));
    all.push_back(std::make_unique<optim::AdamW>(others, optim::AdamWOptions{.lr = 0.02}));
  }
  for (const auto& each : all) {
    each->on_non_finite(optim::NonFinite::skip);
    each->max_grad_norm(0.5);
  }
  return all;
}

/// Optimizers that communicate, clip, and skip a step for an infinity on one rank.
TEST_F(SimulatedOffload, OffloadedShardsServeAllOptimizers) {
  expect_all_well(run_ranks(2, [&](const ProcessGroup& group, Device device) {
    const DeviceGuard guard(device);
    for (const char* const name : {"Lamb", "Adafactor", "Muon"}) {
      State states[2];
      for (const bool offload : {false, true}) {
        Net net(device);
        std::vector<bool> matrices;
        for (const Tensor& parameter : net.parameters()) matrices.push_back(parameter.rank() == 2);
        const Sharding sharding = distributed::shard(net, net.blocks(), group, {.offload = offload});
        const Optimizers optimizers = made(name, net.parameters(), matrices);
        for (int step = 0; step < 4; ++step) {
          net.zero_grad();
          mean(square(net(whole_numbers({2, 3}, step * 10 + group.rank()).to(device)))).backward();
          for (const auto& optimizer : optimizers) {
            for (const Tensor& shard : optimizer->parameters())
              if (step == 1 && group.rank() == 1 && shard.numel() > 0) fill_(narrow(shard.grad(), 0, 0, 1), HUGE_VAL);
            require(optimizer->step().skipped() == (step == 1), str(name, ", step ", step, " is skipped or taken"));
          }
        }
        states[offload] = sharding.gather_state();
      }
      for (const auto& [key, tensor] : states[0].tensors()) {
        const double worst = max(abs(*states[1].find(key) - tensor)).item<double>();
        require(worst < 1e-10, str(name, ": ", key, " differs by ", worst));
      }
    }
  }));
}

}  // namespace
}  // namespace minima::offload_test
