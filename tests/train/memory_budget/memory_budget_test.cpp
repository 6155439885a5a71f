#include "tests/tensor/memory/caching.h"

#include <minima/nn/nn.h>
#include <minima/ops/ops.h>
#include <minima/optim/elementwise/adam.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/storage/allocator.h>
#include <minima/train/memory_budget/memory_budget.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace minima::train::memory_budget_test {
namespace {

struct Block : nn::Module {
  nn::LayerNorm norm = child("norm", nn::LayerNorm({.shape = {64}}));
  nn::Linear up = child("up", nn::Linear({.in = 64, .out = 256}));
  nn::Linear down = child("down", nn::Linear({.in = 256, .out = 64}));
  Tensor forward(const Tensor& x) override { return x + dropout(down(gelu(up(norm(x)))), 0.1, is_training()); }
};

struct Net : nn::Module {
  nn::Linear first = child("first", nn::Linear({.in = 64, .out = 64}));
  nn::Sequential blocks = child("blocks", nn::Sequential());
  nn::Linear last = child("last", nn::Linear({.in = 64, .out = 8}));
  explicit Net(int depth) {
    for (int i = 0; i < depth; ++i) blocks.push_back(Block());
  }
  Tensor forward(const Tensor& x) override { return last(blocks(first(x))); }
};

struct Trial {
  Net net;
  optim::AdamW optimizer;
  Tensor x;
  Trial() : net((manual_seed(3), 8)), optimizer(net.parameters(), {.lr = 1e-3}), x(randn({512, 64})) {}
  double step(int passes = 1) {
    optimizer.zero_grad();
    Tensor loss;
    for (int i = 0; i < passes; ++i) {
      loss = mean(square(net(x))) * (1.0 / passes);
      loss.backward();
    }
    optimizer.step();
    return loss.item<double>();
  }
};

std::int64_t peak_of(Trial& run, int steps) {
  reset_peak();
  for (int i = 0; i < steps; ++i) run.step();
  return memory_stats().peak_allocated;
}

/// The peaks without a budget and with the smallest one.
struct Range {
  std::int64_t plain, smallest;
};
Range range() {
  Trial run;
  run.step();
  const std::int64_t plain = peak_of(run, 2);
  std::int64_t smallest = 0;
  {
    const MemoryBudget budget(run.net, plain * 2);
    for (int i = 0; i < 3; ++i) run.step();
    smallest = budget.report().smallest;
  }
  return {plain, smallest};
}

TEST(MemoryBudget, DoesNotChangeTheResults) {
  Trial plain, tight;
  const Range range = memory_budget_test::range();
  const MemoryBudget budget(tight.net, (range.smallest + range.plain) / 2);
  manual_seed(1);
  std::vector<double> expected, got;
  for (int i = 0; i < 6; ++i) expected.push_back(plain.step());
  manual_seed(1);
  for (int i = 0; i < 6; ++i) got.push_back(tight.step());
  EXPECT_EQ(expected, got);
  EXPECT_TRUE(identical(plain.net.first.weight, tight.net.first.weight));
}

TEST(MemoryBudget, IsNeverExceeded) {
  REQUIRE_CACHING();
  const Range range = memory_budget_test::range();
  ASSERT_LT(range.smallest, range.plain * 3 / 4);
  std::int64_t before = 0;
  for (int i = 0; i < 6; ++i) {
    Trial run;
    const std::int64_t bytes = range.smallest * 102 / 100 + (range.plain - range.smallest) * i / 5;
    const MemoryBudget budget = memory_budget(run.net, bytes);
    reset_peak();
    for (int s = 0; s < 2; ++s) run.step();
    const std::int64_t measuring = memory_stats().peak_allocated;
    run.step();
    const std::int64_t peak = peak_of(run, 3);
    const BudgetReport report = budget.report();
    EXPECT_LE(static_cast<double>(std::max(peak, measuring)), 1.02 * static_cast<double>(bytes)) << report.text();
    EXPECT_LE(static_cast<double>(peak), 1.02 * static_cast<double>(report.predicted_peak)) << report.text();
    EXPECT_GE(peak, before) << report.text();
    EXPECT_EQ(report.evictions, 0);
    before = peak;
  }
  EXPECT_GT(before, range.smallest * 5 / 4);
}

TEST(MemoryBudget, NamesTheSmallestFeasibleBudget) {
  Trial run;
  const MemoryBudget budget(run.net, 1 << 20);
  run.step();
  run.step();
  try {
    run.step();
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_NE(std::string(error.what()).find("smallest feasible budget"), std::string::npos) << error.what();
  }
}

// --- gradient accumulation ---

/// Repeats steps with these numbers of backward passes, under budgets from tight to generous.
void expect_held(const std::vector<int>& counts) {
  const Range range = memory_budget_test::range();
  for (const int percent : {102, 125, 160}) {
    Trial run;
    const std::int64_t bytes = range.smallest * percent / 100;
    const MemoryBudget budget(run.net, bytes);
    for (int i = 0; i < 2; ++i) run.step(counts[static_cast<std::size_t>(i) % counts.size()]);
    EXPECT_FALSE(budget.report().is_planned());
    reset_peak();
    for (int i = 2; i < 5; ++i) run.step(counts[static_cast<std::size_t>(i) % counts.size()]);
    const auto peak = static_cast<double>(memory_stats().peak_allocated);
    const BudgetReport report = budget.report();
    EXPECT_LE(peak, 1.02 * static_cast<double>(bytes)) << report.text();
    EXPECT_LE(peak, 1.02 * static_cast<double>(report.predicted_peak)) << report.text();
    EXPECT_GE(peak, 0.9 * static_cast<double>(report.predicted_peak)) << report.text();
    EXPECT_NEAR(static_cast<double>(report.smallest), static_cast<double>(range.smallest), 0.02 * peak)
        << report.text();
    EXPECT_EQ(report.evictions, 0) << report.text();
  }
}

TEST(MemoryBudgetWithAccumulation, HoldsForOneBackwardPassPerStep) {
  REQUIRE_CACHING();
  expect_held({1});
}

TEST(MemoryBudgetWithAccumulation, HoldsForTwoBackwardPassesPerStep) {
  REQUIRE_CACHING();
  expect_held({2});
}

TEST(MemoryBudgetWithAccumulation, HoldsForFourBackwardPassesPerStep) {
  REQUIRE_CACHING();
  expect_held({4});
}

TEST(MemoryBudgetWithAccumulation, HoldsWhenTheNumberOfPassesChanges) {
  REQUIRE_CACHING();
  expect_held({1, 4, 2});
  expect_held({4, 1, 1});
}

TEST(MemoryBudgetWithAccumulation, NamesTheSmallestFeasibleBudget) {
  REQUIRE_CACHING();
  const Range range = memory_budget_test::range();
  Trial run;
  const MemoryBudget budget(run.net, range.smallest * 3 / 4);
  for (int i = 0; i < 2; ++i) run.step(2);
  try {
    run.step(2);
    FAIL() << budget.report().text();
  } catch (const ValueError& error) {
    const std::string text = error.what();
    const std::string before = "the smallest feasible budget is ";
    ASSERT_NE(text.find(before), std::string::npos) << text;
    EXPECT_NEAR(std::stod(text.substr(text.find(before) + before.size())), static_cast<double>(range.smallest),
                0.02 * static_cast<double>(range.smallest))
        << text;
  }
}

TEST(MemoryBudgetWithAccumulation, DetectsAStepThatZeroesGradientsAfterTheForward) {
  Trial run;
  const MemoryBudget budget(run.net, std::int64_t{1} << 30);
  for (int step = 0; step < 3; ++step) {
    EXPECT_FALSE(budget.report().is_planned()) << step;
    for (int i = 0; i < 2; ++i) {
      const Tensor loss = mean(square(run.net(run.x)));
      if (i == 0) run.optimizer.zero_grad();
      loss.backward();
    }
    run.optimizer.step();
  }
  EXPECT_TRUE(budget.report().is_planned());
}

TEST(MemoryBudgetWithAccumulation, MeasuresAgainWhenOptimizerStateIsAllocatedLate) {
  REQUIRE_CACHING();
  const Range range = memory_budget_test::range();
  Trial run;
  const MemoryBudget budget(run.net, range.smallest * 102 / 100);
  for (int i = 0; i < 4; ++i) {  // as if a loss scaler skipped these
    run.optimizer.zero_grad();
    mean(square(run.net(run.x))).backward();
  }
  EXPECT_TRUE(budget.report().is_planned());
  run.step();
  for (int i = 0; i < 2; ++i) run.step();
  EXPECT_NEAR(static_cast<double>(budget.report().smallest), static_cast<double>(range.smallest),
              0.02 * static_cast<double>(range.smallest));
}

TEST(MemoryBudget, EvictsKeptBlocksBeforeItIsExceeded) {
  REQUIRE_CACHING();
  const Range range = memory_budget_test::range();
  Trial run;
  const std::int64_t bytes = range.plain * 102 / 100;
  const MemoryBudget budget(run.net, bytes);
  for (int i = 0; i < 3; ++i) run.step();
  EXPECT_EQ(budget.report().evictions, 0);
  const Tensor something =
      empty({(range.plain - range.smallest) / 8});  // half of the remaining memory, held by the program
  const std::int64_t peak = peak_of(run, 2);
  EXPECT_GT(budget.report().evictions, 0);
  EXPECT_LE(static_cast<double>(peak), 1.02 * static_cast<double>(bytes));
}

TEST(MemoryBudget, ThrowsWhenEvictionIsNotEnough) {
  REQUIRE_CACHING();
  const Range range = memory_budget_test::range();
  Trial run;
  const MemoryBudget budget(run.net, range.plain);
  for (int i = 0; i < 3; ++i) run.step();
  const Tensor something =
      empty({(range.plain - memory_stats().allocated) * 9 / 10 / 4});  // all but a tenth of the remaining memory
  EXPECT_THROW(run.step(), OutOfMemoryError);
}

TEST(MemoryBudget, ReleasesTheModelInItsDestructor) {
  Trial run;
  Tensor loss;
  {
    const MemoryBudget budget(run.net, std::int64_t{1} << 30);
    run.step();
    loss = mean(square(run.net(run.x)));
  }
  loss.backward();
  EXPECT_NO_THROW(run.step());
}

TEST(MemoryBudget, RejectsAModelWithoutBlocks) {
  nn::Linear layer({.in = 2, .out = 2});
  EXPECT_THROW(MemoryBudget(layer, 1 << 20), ValueError);
  EXPECT_NO_THROW(MemoryBudget(layer, 1 << 20, {.blocks = {layer}}));
  EXPECT_THROW(MemoryBudget(nn::Sequential(layer), 0), ValueError);
}

}  // namespace
}  // namespace minima::train::memory_budget_test
