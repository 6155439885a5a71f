#include <minima/train/memory_budget/budget_plan.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace minima::train::budget_plan_test {
namespace {

StepCosts uniform(int count) {
  StepCosts costs{.blocks = {}, .head_peak = 1000, .rest_peak = 500};
  for (int i = 0; i < count; ++i)
    costs.blocks.push_back({.name = std::to_string(i),
                            .saved = 100,
                            .products = 60,
                            .extra = 10,
                            .input = 8,
                            .forward_seconds = 1,
                            .cheap_seconds = 0.2,
                            .offload_seconds = 0.5,
                            .forward_peak = 900,
                            .backward_peak = 1000});
  return costs;
}

StepCosts arbitrary(std::mt19937& random) {
  const auto up_to = [&](int most) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(most)); };
  StepCosts costs{
      .blocks = {}, .head_peak = 2000 + up_to(500), .rest_peak = 1500 + up_to(1000), .can_offload = random() % 2 == 0};
  for (std::int64_t i = 0, count = 1 + up_to(7); i < count; ++i) {
    BlockCosts& block = costs.blocks.emplace_back();
    block.saved = 50 + up_to(400);
    block.products = up_to(static_cast<int>(block.saved));
    block.extra = up_to(40);
    block.input = up_to(40);
    block.forward_seconds = 1 + static_cast<double>(up_to(100));
    block.cheap_seconds = block.forward_seconds * static_cast<double>(up_to(100)) / 100;
    block.offload_seconds = static_cast<double>(up_to(10));
    block.forward_peak = 1500 + up_to(300);
    block.backward_peak = 1800 + up_to(600);
  }
  return costs;
}

/// Enumerates all plans.
double least_seconds(const StepCosts& costs, std::int64_t budget) {
  const std::size_t n = costs.blocks.size();
  const int modes = costs.can_offload ? 4 : 3;
  double best = -1;
  std::vector<BlockMode> plan(n);
  for (int code = 0, all = 1; code < (all = 1, [&] { for (std::size_t i = 0; i < n; ++i) all *= modes; return all; }()); ++code) {
    double seconds = 0;
    for (std::size_t i = 0, rest = static_cast<std::size_t>(code); i < n;
         ++i, rest /= static_cast<std::size_t>(modes)) {
      plan[i] = static_cast<BlockMode>(rest % static_cast<std::size_t>(modes));
      const BlockCosts& block = costs.blocks[i];
      if (plan[i] == BlockMode::recompute_cheap) seconds += block.cheap_seconds;
      else if (plan[i] != BlockMode::keep) seconds += block.forward_seconds;
      if (plan[i] == BlockMode::offload) seconds += block.offload_seconds;
    }
    if (predicted_peak(costs, plan) <= budget && (best < 0 || seconds < best)) best = seconds;
  }
  return best;
}

TEST(BudgetPlan, KeepsEverythingIfItFits) {
  const BudgetPlan plan = plan_budget(uniform(10), 1'000'000);
  EXPECT_EQ(plan.modes, std::vector<BlockMode>(10, BlockMode::keep));
  EXPECT_EQ(plan.seconds, 0);
  EXPECT_EQ(plan.peak, 2000);  // the head's 1000 and ten blocks of 100
}

TEST(BudgetPlan, NamesTheSmallestFeasibleBudget) {
  const StepCosts costs = uniform(10);
  EXPECT_EQ(smallest_peak(costs), 1000);
  EXPECT_NO_THROW(plan_budget(costs, 1000));
  try {
    plan_budget(costs, 999);
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_NE(std::string(error.what()).find("smallest feasible budget is 1000 bytes"), std::string::npos)
        << error.what();
  }
}

TEST(BudgetPlan, OffloadsInputsOnAGpu) {
  StepCosts costs = uniform(10);
  costs.can_offload = true;
  EXPECT_EQ(smallest_peak(costs), 1000);  // the first block has nothing before it
  costs.blocks[0].backward_peak = costs.blocks[0].forward_peak = 900;
  EXPECT_LT(smallest_peak(costs), 1000);
}

TEST(BudgetPlan, IsTheFastestPlanThatFits) {
  std::mt19937 random(11);
  for (int round = 0; round < 60; ++round) {
    const StepCosts costs = arbitrary(random);
    const std::int64_t smallest = smallest_peak(costs);
    for (int i = 0; i < 4; ++i) {
      const std::int64_t budget = smallest + 150 * i;
      const BudgetPlan plan = plan_budget(costs, budget);
      EXPECT_LE(plan.peak, budget);
      EXPECT_NEAR(plan.seconds, least_seconds(costs, budget), 1e-9);
    }
  }
}

TEST(BudgetPlan, ALargerBudgetRaisesThePeakAndCutsTheTime) {
  std::mt19937 random(12);
  for (int round = 0; round < 200; ++round) {
    const StepCosts costs = arbitrary(random);
    BudgetPlan before = plan_budget(costs, smallest_peak(costs));
    for (std::int64_t budget = smallest_peak(costs) + 17; budget < 6000; budget += 17) {
      const BudgetPlan plan = plan_budget(costs, budget);
      ASSERT_GE(plan.peak, before.peak);
      ASSERT_LE(plan.seconds, before.seconds);
      before = plan;
    }
  }
}

}  // namespace
}  // namespace minima::train::budget_plan_test
