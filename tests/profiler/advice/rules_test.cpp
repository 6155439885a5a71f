#include "planted.h"

#include <minima/profiler/advice/advice.h>

#include <minima/minima.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

// For each rule about operators or the network a program with the problem, and one without it.

namespace minima::profiler::rules_test {
namespace {

using Batch = std::vector<Tensor>;
using Form = Tensor (*)(const Tensor& x);

/// Advice for a small network whose result goes through `form`, where each operator takes 1 ms.
Advice advice_for(Form form) {
  test::OperatorClock clock;
  AdviceOptions options = test::options_of(clock.stopwatch());
  options.min_gain = 1.02;
  nn::Linear network({.in = 8, .out = 8});
  return advise(
      network,
      [&](const Batch& batch) {
        network.zero_grad();
        sum(form(network(batch[0]))).backward();
      },
      {ones({4, 8})}, options);
}

void expect_fused(Form composed, Form fused, const std::string& change) {
  const Advice found = advice_for(composed);
  const Trial* const trial = found.find("fusing");
  ASSERT_TRUE(trial) << found.text();
  EXPECT_TRUE(trial->is_advised) << found.text();
  EXPECT_EQ(trial->change, change);
  EXPECT_GT(trial->gain(), 1.02);
  EXPECT_GT(trial->promised, 1);
  EXPECT_NE(trial->note.find("tried on its own, 1 time in a step"), std::string::npos) << trial->note;
  const Advice none = advice_for(fused);
  EXPECT_FALSE(none.find("fusing")) << none.text();
}

Tensor first_classes(const Tensor& x) { return zeros({x.size(0)}, {.dtype = int64}); }

TEST(FusingAdvice, SeesSilu) {
  expect_fused([](const Tensor& x) { return x * sigmoid(x); }, [](const Tensor& x) { return silu(x); },
               "silu(x) for x * sigmoid(x)  // in the network");
}

TEST(FusingAdvice, SeesCrossEntropy) {
  expect_fused([](const Tensor& x) { return nll_loss(log_softmax(x, 1), first_classes(x)); },
               [](const Tensor& x) { return cross_entropy(x, first_classes(x)); },
               "cross_entropy(x, y) for nll_loss(log_softmax(x, 1), y)  // in the network");
}

TEST(FusingAdvice, SeesLogSoftmax) {
  expect_fused([](const Tensor& x) { return log(softmax(x, 1)); }, [](const Tensor& x) { return log_softmax(x, 1); },
               "log_softmax(x, d) for log(softmax(x, d))  // in the network");
}

TEST(FusingAdvice, SeesResidualsBeforeNorms) {
  expect_fused([](const Tensor& x) { return layer_norm(x + relu(x), {8}); },
               [](const Tensor& x) { return add_layer_norm(x, relu(x), {8}).normalized; },
               "auto [sum, y] = add_layer_norm(x, h, …) for layer_norm(x + h, …)  // in the network");
  expect_fused([](const Tensor& x) { return rms_norm(x + relu(x), {8}); },
               [](const Tensor& x) { return add_rms_norm(x, relu(x), {8}).normalized; },
               "auto [sum, y] = add_rms_norm(x, h, …) for rms_norm(x + h, …)  // in the network");
}

TEST(FusingAdvice, IsNoneForOtherInputsOrShapes) {
  EXPECT_FALSE(advice_for([](const Tensor& x) { return relu(x) * sigmoid(x); }).find("fusing")) << "a gate, not SiLU";
  EXPECT_FALSE(advice_for([](const Tensor& x) { return layer_norm(x + mean(x), {8}); }).find("fusing")) << "broadcasts";
  EXPECT_FALSE(advice_for([](const Tensor& x) {
                 const Tensor s = sigmoid(x);
                 return relu(x) * x + s;
               }).find("fusing"))
      << "both there, but not in a row";
}

/// Advice for a classifier of so many classes, on a clock where odd ones take longer.
Advice advice_for_classes(std::int64_t classes) {
  test::PlantedClock clock;
  nn::Linear network({.in = 16, .out = classes});
  return advise(
      network,
      [&](const Batch& batch) {
        network.zero_grad();
        const Tensor logits = network(batch[0]);
        cross_entropy(logits, batch[1]).backward();
        clock.take(logits.size(1) % 8 == 0 ? 2 : 3);
      },
      {ones({32, 16}), zeros({32}, {.dtype = int64})}, test::options_of(clock.stopwatch()));
}

TEST(PaddingAdvice, IsForOddVocabularies) {
  const Advice advice = advice_for_classes(1027);
  const Trial* const trial = advice.find("padding");
  ASSERT_TRUE(trial) << advice.text();
  EXPECT_TRUE(trial->is_advised) << advice.text();
  EXPECT_EQ(trial->change, "weight: 1088 instead of 1027 rows; the added ones are never a target");
  EXPECT_DOUBLE_EQ(trial->gain(), 1.5);
  EXPECT_FALSE(advice_for_classes(1024).find("padding"));
  EXPECT_FALSE(advice_for_classes(10).find("padding")) << "small";
}

TEST(PaddingAdvice, LeavesParametersAsTheyWere) {
  test::PlantedClock clock;
  nn::Linear network({.in = 16, .out = 257});
  const Tensor before = clone(network.weight.detach());
  const void* const memory = network.weight.raw_data();
  advise(
      network, [&](const Batch& batch) { sum(network(batch[0])).backward(); }, {ones({32, 16})},
      test::options_of(clock.stopwatch()));
  EXPECT_EQ(network.weight.raw_data(), memory);
  EXPECT_TRUE(allclose(network.weight.detach(), before, {.rtol = 0, .atol = 0}));
  EXPECT_EQ(network.bias.size(0), 257);
  EXPECT_FALSE(network.weight.grad().defined());
}

TEST(PaddingAdvice, SaysWhereTheSizeIsNeeded) {
  test::PlantedClock clock;
  nn::Sequential network(nn::Linear({.in = 16, .out = 100}), nn::Linear({.in = 100, .out = 16}));
  const Advice advice = advise(
      network, [&](const Batch& batch) { sum(network(batch[0])).backward(); }, {ones({32, 16})},
      test::options_of(clock.stopwatch()));
  const Trial* const trial = advice.find("padding");
  ASSERT_TRUE(trial);
  EXPECT_FALSE(trial->is_advised);
  EXPECT_TRUE(trial->note.starts_with("fails: ")) << trial->note;
}

struct Block : nn::Module {
  nn::Linear a = child("a", nn::Linear({.in = 32, .out = 32}));
  Tensor forward(const Tensor& x) override {
    Tensor h = x;
    for (int i = 0; i < 8; ++i) h = sin(a(h));
    return h;
  }
};

Advice advice_for_budget(std::int64_t budget) {
  test::PlantedClock clock;
  nn::Sequential network{Block(), Block(), Block(), Block()};
  AdviceOptions options = test::options_of(clock.stopwatch());
  options.memory_budget = budget;
  return advise(
      network,
      [&](const Batch& batch) {
        network.zero_grad();
        sum(network(batch[0])).backward();
      },
      {ones({1024, 32})}, options);
}

TEST(RecomputationAdvice, IsForStepsAboveTheBudget) {
  const Advice advice = advice_for_budget(6 << 20);
  const Trial* const trial = advice.find("recomputation");
  ASSERT_TRUE(trial) << advice.text();
  EXPECT_TRUE(trial->is_advised) << advice.text();
  EXPECT_GT(trial->peak_before, 8 << 20) << advice.text();
  EXPECT_LE(trial->peak_after, 6 << 20) << advice.text();
  EXPECT_TRUE(trial->change.starts_with("h = checkpoint(block, h);  // 0")) << trial->change;
  EXPECT_TRUE(trial->note.starts_with("within the budget of 6.3 MB")) << trial->note;
  EXPECT_FALSE(advice_for_budget(64 << 20).find("recomputation")) << "fits";
  EXPECT_FALSE(advice_for_budget(0).find("recomputation")) << "no budget";
}

TEST(RecomputationAdvice, SaysIfTheBudgetIsOutOfReach) {
  const Advice advice = advice_for_budget(1 << 10);
  EXPECT_NE(advice.find("recomputation")->note.find("more than the budget"), std::string::npos) << advice.text();
}

}  // namespace
}  // namespace minima::profiler::rules_test
