#include <minima/profiler/causes/divergence.h>

#include <minima/distributed/distributed.h>
#include <minima/distributed/in_process.h>
#include <minima/minima.h>

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace minima::profiler::divergence_test {
namespace {

/// Two layers, dropout and a norm; `fault` plants an error in one of them.
struct Planted : nn::Module {
  nn::Linear a = child("a", nn::Linear({.in = 12, .out = 16}));
  nn::Dropout dropout = child("dropout", nn::Dropout({.p = 0.5}));
  nn::BatchNorm1d norm = child("norm", nn::BatchNorm1d({.features = 16}));
  nn::Linear b = child("b", nn::Linear({.in = 16, .out = 4}));
  std::string fault;

  Tensor forward(const Tensor& x) {
    Tensor h = norm(dropout(a(x)));
    h = fault == "operator" ? gelu(h) : relu(h);
    if (fault == "value") h = h * 1.01;
    if (fault == "gradient") h = h * 2 - h.detach();
    return b(h);
  }
};

struct Problem {
  Planted net;
  Tensor x = randn({8, 12}), y = randint(0, 4, {8}, {.dtype = int64});
  void step() { cross_entropy(net(x), y).backward(); }
  Divergence with(const std::string& fault, const DivergenceOptions& options = {}) {
    return find_divergence(
        net, [&] { step(); },
        [&] {
          net.fault = fault;
          step();
          net.fault = "";
        },
        options);
  }
};

TEST(Divergence, EqualRunsAgreeBitByBitWithDropout) {
  Problem problem;
  const Divergence divergence = problem.with("");
  EXPECT_FALSE(divergence.first()) << divergence.text();
  EXPECT_GT(divergence.values.size(), 20u);
  for (const Divergence::Value& value : divergence.values) EXPECT_EQ(value.difference, 0) << value.origin.text();
  EXPECT_TRUE(divergence.only_first.empty() && divergence.only_second.empty()) << divergence.text();
  EXPECT_NE(divergence.text().find("agree"), std::string::npos);
}

TEST(Divergence, NamesTheFirstModuleOfAChangedValue) {
  Problem problem;
  const Divergence divergence = problem.with("value");
  const auto* const first = divergence.first();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->origin.text(), "input 0 of b") << divergence.text();
  EXPECT_NEAR(first->relative, 0.01, 1e-5);
  ASSERT_FALSE(divergence.only_second.empty());
  EXPECT_EQ(divergence.only_second[0].op, "mul");
}

TEST(Divergence, NamesAReplacedOperator) {
  Problem problem;
  const Divergence divergence = problem.with("operator");
  ASSERT_TRUE(divergence.first());
  ASSERT_FALSE(divergence.only_first.empty());
  EXPECT_EQ(divergence.only_first[0].op, "relu");
  EXPECT_EQ(divergence.only_second[0].op, "gelu");
}

TEST(Divergence, NamesTheFirstGradient) {
  Problem problem;
  const Divergence divergence = problem.with("gradient");
  const auto* const first = divergence.first();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->origin.text(), "the gradient of relu by input 0") << divergence.text();
  EXPECT_NEAR(first->second, 2 * first->first, 1e-5);
}

TEST(Divergence, MeasuresLowerPrecision) {
  Problem problem;
  const auto low = [&] {
    amp::Autocast autocast(DeviceType::cpu);
    problem.step();
  };
  const auto full = [&] { problem.step(); };
  const Divergence divergence = find_divergence(problem.net, full, low);
  ASSERT_TRUE(divergence.first());
  EXPECT_EQ(divergence.first()->origin.text(), "linear in a") << divergence.text();
  EXPECT_GT(divergence.first()->relative, 1e-4);
  EXPECT_LT(divergence.first()->relative, 0.02);
}

TEST(Divergence, LeavesTheStateAsItWas) {
  Problem problem;
  const Tensor weight = clone(problem.net.a.weight), kept_mean = clone(problem.net.norm.running_mean);
  const auto random = default_generator().state();
  const auto update = [&](double lr) {
    optim::SGD optimizer(problem.net.parameters(), {.lr = lr});
    problem.step();
    optimizer.step();
  };
  const Divergence divergence = find_divergence(problem.net, [&] { update(0.1); }, [&] { update(0.2); });
  ASSERT_TRUE(divergence.first());
  EXPECT_EQ(divergence.first()->origin.text(), "a.weight") << divergence.text();
  EXPECT_TRUE(identical(problem.net.a.weight, weight));
  EXPECT_TRUE(identical(problem.net.norm.running_mean, kept_mean));
  EXPECT_EQ(default_generator().state().offset, random.offset);
  EXPECT_FALSE(problem.net.a.weight.grad().defined());
  EXPECT_THROW(find_divergence(
                   problem.net, [&] { update(0.1); }, [] { throw std::runtime_error("planted"); }),
               std::runtime_error);
  EXPECT_TRUE(identical(problem.net.a.weight, weight));
}

TEST(Divergence, ComparesTwoNetworks) {
  Problem problem;
  Planted wide;
  wide.to(float64);
  const Tensor x = problem.x.to(float64);
  const Divergence divergence = find_divergence(
      problem.net, [&] { problem.step(); }, wide, [&] { cross_entropy(wide(x), problem.y).backward(); });
  EXPECT_FALSE(divergence.first()) << divergence.text();
  nn::Linear other({.in = 3, .out = 2});
  EXPECT_THROW(find_divergence(problem.net, [] {}, other, [] {}), ValueError);
}

/// What two ranks, each with half of the batch, find against one process. `change` is made to the ranks' network.
template <class Change>
std::vector<Divergence> over_two_ranks(const Change& change) {
  const std::vector<distributed::ProcessGroup> groups = distributed::in_process_groups(2);
  const Tensor x = randn({8, 12}), y = randint(0, 4, {8}, {.dtype = int64});
  std::vector<Planted> whole(2), part(2);
  whole[1].load_state_dict(whole[0].state_dict());
  std::vector<Divergence> found(2);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 2; ++rank)
    threads.emplace_back([&, rank] {
      const auto r = static_cast<std::size_t>(rank);
      change(part[r], groups[r]);
      whole[r].dropout.eval();  // ranks draw different numbers
      part[r].dropout.eval();
      const distributed::DistributedDataParallel parallel(part[r], groups[r]);
      const Tensor mine = narrow(x, 0, 4 * rank, 4), labels = narrow(y, 0, 4 * rank, 4);
      found[r] = find_divergence(
          whole[r], [&] { cross_entropy(whole[r](x), y).backward(); }, part[r],
          [&] { cross_entropy(part[r](mine), labels).backward(); }, groups[r]);
    });
  for (std::thread& thread : threads) thread.join();
  return found;
}

TEST(Divergence, BetweenRanksNamesWhatSeesItsOwnSamplesOnly) {
  for (const Divergence& divergence : over_two_ranks([](auto&, const auto&) {})) {
    ASSERT_TRUE(divergence.first());
    EXPECT_EQ(divergence.first()->origin.text(), "batch_norm in norm") << divergence.text();
  }
}

TEST(Divergence, OfRanksThatSynchroniseIsNone) {
  const auto synchronised = [](Planted& net, const distributed::ProcessGroup& group) {
    distributed::synchronize_batch_norm(net, group);
  };
  for (const Divergence& divergence : over_two_ranks(synchronised)) {
    EXPECT_FALSE(divergence.first()) << divergence.text();
    EXPECT_GT(divergence.values.size(), 20u);
  }
}

TEST(Divergence, BetweenRanksNamesAPlantedFault) {
  const auto faulty = [](Planted& net, const distributed::ProcessGroup& group) {
    distributed::synchronize_batch_norm(net, group);
    if (group.rank() == 1) net.fault = "value";
  };
  const std::vector<Divergence> found = over_two_ranks(faulty);
  for (const Divergence& divergence : found) {
    ASSERT_TRUE(divergence.first());
    EXPECT_EQ(divergence.first()->origin.text(), "input 0 of b") << divergence.text();
    EXPECT_EQ(divergence.first()->second, found[0].first()->second);
    EXPECT_NEAR(divergence.first()->relative, 0.01, 1e-5);
  }
}

TEST(Divergence, SeesModulesOfUnrecordedRuns) {
  Problem problem;
  const auto infer = [&](const std::string& fault) {
    const NoGrad guard;
    problem.net.fault = fault;
    problem.net(problem.x);
  };
  const Divergence divergence = find_divergence(problem.net, [&] { infer(""); }, [&] { infer("value"); });
  ASSERT_TRUE(divergence.first());
  EXPECT_EQ(divergence.first()->origin.text(), "input 0 of b") << divergence.text();
}

}  // namespace
}  // namespace minima::profiler::divergence_test
