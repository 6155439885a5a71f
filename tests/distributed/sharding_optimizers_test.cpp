#include "tests/distributed/layers.h"
#include "tests/distributed/processes.h"
#include "tests/support/expect_error.h"

#include <minima/distributed/pretend.h>
#include <minima/distributed/sharding/sharding.h>
#include <minima/minima.h>
#include <minima/optim/structured/over_parts.h>
#include <minima/tensor/allclose.h>

#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

// Optimizers that compute with whole tensors train shards as one process trains the whole. Most sizes are primes.

namespace minima::distributed::sharding_optimizers_test {
namespace {

using test::require;

/// A scalar and a stack of matrices.
struct Mixed : nn::Module {
  nn::Parameter kernels = parameter("kernels", ones({2, 7, 3}));
  nn::Parameter gain = parameter("gain", ones({}));
  Tensor forward(const Tensor& x) override { return tanh(sum(matmul(x, kernels), {0}) * gain); }
};

/// Matrices that are tall, wide, a row, a column, and smaller than a rank's share; one is frozen.
struct Net : nn::Module {
  nn::Linear stem = child("stem", nn::Linear({.in = 5, .out = 7}));
  Mixed mixed = child("mixed", Mixed());
  nn::Linear tall = child("tall", nn::Linear({.in = 3, .out = 13}));
  nn::Linear frozen = child("frozen", nn::Linear({.in = 13, .out = 13}));
  nn::Linear row = child("row", nn::Linear({.in = 13, .out = 1}));
  nn::Linear column = child("column", nn::Linear({.in = 1, .out = 13}));
  nn::Linear head = child("head", nn::Linear({.in = 13, .out = 2}));
  Net() {
    to(float64);
    RandomGenerator generator(11);
    const NoGrad guard;
    for (const Tensor& parameter : parameters())
      copy_(parameter, randn(parameter.shape(), {.dtype = float64}, &generator) * 0.5);
    frozen.weight.requires_grad(false);
  }
  Tensor forward(const Tensor& x) override {
    const Tensor h = frozen(tanh(tall(mixed(tanh(stem(x))))));
    return head(h + column(tanh(row(h))));
  }
  std::vector<nn::ModuleBase*> blocks() { return {&mixed, &tall, &row}; }
};

using Optimizers = std::vector<std::unique_ptr<optim::Optimizer>>;

/// Makes optimizers of these parameters, of which `matrices` tells which have two dimensions.
using Make = Optimizers (*)(const std::vector<Tensor>& parameters, const std::vector<bool>& matrices);

template <class Optimizer, class Options>
Optimizers one(const std::vector<Tensor>& parameters, const Options& options) {
  Optimizers made;
  made.push_back(std::make_unique<Optimizer>(parameters, options));
  return made;
}
Optimizers lamb(const std::vector<Tensor>& parameters, const std::vector<bool>&) {
  return one<optim::Lamb>(parameters, optim::LambOptions{.lr = 0.02});
}
Optimizers adafactor(const std::vector<Tensor>& parameters, const std::vector<bool>&) {
  return one<optim::Adafactor>(parameters, optim::AdafactorOptions{.lr = 0.05, .weight_decay = 0.1});
}
Optimizers muon(const std::vector<Tensor>& parameters, const std::vector<bool>& matrices) {
  std::vector<Tensor> of_muon, others;
  for (std::size_t i = 0; i < parameters.size(); ++i) (matrices[i] ? of_muon : others).push_back(parameters[i]);
  Optimizers made = one<optim::Muon>(of_muon, optim::MuonOptions{.lr = 0.02, .products = float64});
  made.push_back(std::make_unique<optim::AdamW>(others, optim::AdamWOptions{.lr = 0.02}));
  return made;
}

Optimizers made_for(const Net& net, const Net& whole, Make make) {
  std::vector<bool> matrices;
  for (const Tensor& parameter : whole.parameters()) matrices.push_back(parameter.rank() == 2);
  Optimizers optimizers = make(net.parameters(), matrices);
  for (const auto& optimizer : optimizers) {
    optimizer->on_non_finite(optim::NonFinite::skip);
    optimizer->max_grad_norm(0.5);
  }
  return optimizers;
}

/// Makes an element of the last rank's shards infinite, for each optimizer.
void spoil(const Optimizers& optimizers, const ProcessGroup& group) {
  for (const auto& optimizer : optimizers)
    for (const Tensor& shard : optimizer->parameters()) {
      if (group.rank() + 1 < group.size() || !shard.grad().defined() || shard.numel() == 0) continue;
      fill_(narrow(shard.grad(), 0, 0, 1), std::numeric_limits<double>::infinity());
      break;
    }
}

void check_equal(const ProcessGroup& group, int stage, Make make) {
  Net net, reference;
  const Sharding sharding = shard(net, net.blocks(), group, {.stage = stage});
  const Optimizers ours = made_for(net, reference, make), alone = made_for(reference, reference, make);
  const State start = sharding.gather_state();
  for (int step = 0; step < 6; ++step) {
    RandomGenerator generator(100 + static_cast<std::uint64_t>(step));
    const Tensor x = randn({6, 5}, {.dtype = float64}, &generator);
    const std::int64_t rows = 6 / group.size();
    const auto train = [](Net& of, const Tensor& batch) {
      of.zero_grad();
      mean(square(of(batch) - narrow(batch, 1, 0, 2))).backward();
    };
    train(net, narrow(x, 0, group.rank() * rows, rows));
    train(reference, x);
    const bool is_skipped = step == 3;
    if (is_skipped) spoil(ours, group);
    for (std::size_t i = 0; i < ours.size(); ++i) {
      require(ours[i]->step().skipped() == is_skipped, str("step ", step, " is skipped on all ranks, or on none"));
      if (!is_skipped) alone[i]->step();
    }
    const State state = sharding.gather_state();
    for (const auto& [name, tensor] : reference.named_parameters()) {
      const double worst = max(abs(*state.find(name) - tensor.detach())).item<double>();
      require(worst < 1e-12,
              str("stage ", stage, " on ", group.size(), " ranks, step ", step, ": ", name, " differs by ", worst));
    }
  }
  for (const auto& [name, tensor] : reference.named_parameters()) {
    const double moved = max(abs(tensor.detach() - *start.find(name))).item<double>();
    require((moved > 1e-4) == tensor.requires_grad(), str(name, " has moved by ", moved));
  }
}

class WholeTensors : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Sharding, WholeTensors, testing::Values(1, 2, 3));

TEST_P(WholeTensors, LambEqualsOneProcess) {
  for (const int size : {1, 2, 3})
    test::run_threads(size, [](ProcessGroup& group) { check_equal(group, GetParam(), lamb); });
}

TEST_P(WholeTensors, AdafactorEqualsOneProcess) {
  for (const int size : {1, 2, 3})
    test::run_threads(size, [](ProcessGroup& group) { check_equal(group, GetParam(), adafactor); });
}

TEST_P(WholeTensors, MuonEqualsOneProcess) {
  for (const int size : {1, 2, 3})
    test::run_threads(size, [](ProcessGroup& group) { check_equal(group, GetParam(), muon); });
}

/// Ranks with the same batch have one process's gradient to the bit, and so the products of half types.
TEST(ShardingOptimizers, MuonOfHalfPrecisionHasTheBitsOfOneProcess) {
  for (const DType dtype : {float32, bfloat16})
    test::run_threads(2, [&](ProcessGroup& group) {
      nn::Sequential net = test::layers(3, 7);
      net.to(dtype);
      for (Tensor parameter : net.parameters())
        if (parameter.rank() != 2) parameter.requires_grad(false);
      nn::Sequential reference = nn::clone(net);
      const auto matrices = [](const nn::Sequential& of, const nn::Sequential& whole) {
        std::vector<Tensor> some;
        for (std::size_t i = 0; i < whole.parameters().size(); ++i)
          if (whole.parameters()[i].rank() == 2) some.push_back(of.parameters()[i]);
        return some;
      };
      const nn::Sequential& shapes = reference;
      const Sharding sharding = shard(net, children_of(net), group);
      optim::Muon ours(matrices(net, shapes), {.lr = 0.05}), alone(matrices(reference, shapes), {.lr = 0.05});
      for (int step = 0; step < 3; ++step) {
        RandomGenerator generator(static_cast<std::uint64_t>(step));
        const Tensor x = randn({3, 7}, {}, &generator).to(dtype);
        for (nn::Sequential* of : {&net, &reference}) {
          of->zero_grad();
          sum(square((*of)(x))).backward();
        }
        ours.step();
        alone.step();
      }
      const State state = sharding.gather_state();
      for (const auto& [name, tensor] : reference.named_parameters())
        require(identical(*state.find(name), tensor.detach()), str(name, " differs in ", dtype));
    });
}

TEST(ShardingOptimizers, HalfPrecisionKeepsMasters) {
  test::run_threads(2, [](ProcessGroup& group) {
    for (const auto& make : {lamb, adafactor}) {
      nn::Sequential net = test::layers(3, 7);
      net.to(bfloat16);
      nn::Sequential reference = nn::clone(net);
      const Sharding sharding = shard(net, children_of(net), group);
      const Optimizers ours = make(net.parameters(), {}), alone = make(reference.parameters(), {});
      for (int step = 0; step < 5; ++step) {
        for (nn::Sequential* of : {&net, &reference}) {
          of->zero_grad();
          sum(square((*of)(ones({2, 7}, {.dtype = bfloat16})))).backward();
        }
        ours[0]->step();
        alone[0]->step();
      }
      for (std::size_t i = 0; i < sharding.state().size(); ++i) {
        const ShardedTensor shard = sharding.state()[i];
        const Tensor master = ours[0]->slots()[i].master, whole = reshape(alone[0]->slots()[i].master, {-1});
        const Tensor part = narrow(whole, 0, shard.offset, shard.local.numel());
        require(master.dtype() == float32 && master.shape() == part.shape(), "a float32 master of the shard");
        if (master.numel() > 0)
          require(max(abs(master - part)).item<double>() < 1e-6,
                  str(shard.name, " differs by ", max(abs(master - part)).item<double>()));
        require(identical(master.to(bfloat16), shard.local), "the shard is the rounded master");
      }
    }
  });
}

TEST(ShardingOptimizers, AreBalancedWithinTheBoundOfTheLongestFirst) {
  EXPECT_EQ(optim::detail::balanced({3, 3, 2, 2, 2}, 2), (std::vector<int>{0, 1, 0, 1, 0}));  // 7 where 6 is possible
  EXPECT_EQ(optim::detail::balanced({1, 5, 1, 4}, 3), (std::vector<int>{2, 0, 2, 1}));
  EXPECT_EQ(optim::detail::balanced({}, 3), std::vector<int>{});
}

/// Random tasks, parts of which neighbours have as they have shards: no process has more to do than in the balance of
/// costs alone, and less has to be sent by all together.
TEST(ShardingOptimizers, PreferTheRankThatHoldsMostOfAMatrix) {
  using optim::detail::balanced;
  using optim::detail::Holding;
  EXPECT_EQ(balanced({2, 2}, {{{2, 8}, {3, 8}}, {{0, 1}, {1, 9}}}, 4), (std::vector<int>{2, 1}));
  EXPECT_EQ(balanced({2, 2}, {{{1, 8}}, {{1, 9}}}, 2), (std::vector<int>{1, 0})) << "one each, whoever holds them";
  RandomGenerator generator(3);
  std::int64_t saved = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const auto numbers = randint(1000, {41}, {}, &generator).to_vector<std::int64_t>();
    const int size = 2 + static_cast<int>(numbers[40] % 7);
    const std::size_t count = 1 + static_cast<std::size_t>(numbers[39] % 20);
    std::vector<double> costs;
    std::vector<std::vector<Holding>> held;
    for (std::size_t i = 0; i < count; ++i) {
      costs.push_back(static_cast<double>(1 + numbers[i] % (trial % 2 == 0 ? 3 : 500)));
      const int first = static_cast<int>(numbers[i + 19] % size);
      held.push_back({{first, 1 + numbers[i] % 7}});
      if (first + 1 < size) held.back().push_back({first + 1, 1 + numbers[i + 1] % 7});
    }
    const auto measure = [&](const std::vector<int>& owners) {
      std::vector<double> loads(static_cast<std::size_t>(size));
      std::int64_t kept = 0;
      for (std::size_t i = 0; i < count; ++i) {
        loads[static_cast<std::size_t>(owners[i])] += costs[i];
        for (const Holding& each : held[i]) kept += each.process == owners[i] ? each.elements : 0;
      }
      return std::pair{*std::max_element(loads.begin(), loads.end()), kept};
    };
    const auto [load, kept] = measure(balanced(costs, held, size));
    const auto [plain_load, plain_kept] = measure(balanced(costs, size));
    EXPECT_LE(load, plain_load * (1 + 1e-9)) << "trial " << trial;
    saved += kept - plain_kept;
  }
  EXPECT_GT(saved, 0);
}

/// Two matrices on four ranks, each of which has half of one. Ranks 0 and 2 own them.
TEST(ShardingOptimizers, MuonSendsMatricesToTheirOwnersAndBackInHalfPrecision) {
  const std::int64_t half = 128 * 2;  // bytes
  for (const int rank : {0, 1, 2, 3}) {
    Traffic traffic;
    nn::Sequential net(nn::Linear({.in = 16, .out = 16, .bias = false}),
                       nn::Linear({.in = 16, .out = 16, .bias = false}));
    const Sharding sharding = shard(net, {}, pretend(rank, 4, {.traffic = traffic}));
    optim::Muon optimizer(net.parameters());
    sum(square(net(ones({2, 16})))).backward();
    traffic.reset();
    optimizer.step();
    EXPECT_EQ(traffic.of(Collective::all_to_all).calls, 2);
    EXPECT_EQ(traffic.bytes(), half) << "rank " << rank;
    EXPECT_EQ(optimizer.slots()[0].state[0].numel() + optimizer.slots()[1].state[0].numel(), 128);
  }
}

}  // namespace
}  // namespace minima::distributed::sharding_optimizers_test
