#include "planted.h"

#include <minima/profiler/advice/advice.h>

#include <minima/minima.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

// Each rule has a step that it makes faster, and one that it doesn't. The steps say themselves how long they take.

namespace minima::profiler::advice_test {
namespace {

using Batch = std::vector<Tensor>;

test::PlantedClock planted;
const AdviceOptions quick = test::options_of(planted.stopwatch());
/// What a step computes, if a rule looks for products or convolutions in it.
void multiply() { static_cast<void>(matmul(ones({64, 64}), ones({64, 64}))); }
void convolve() { static_cast<void>(conv2d(ones({1, 3, 8, 8}), ones({4, 3, 3, 3}))); }

template <class Step>
Advice advice_for(const Step& step, const Batch& batch, const AdviceOptions& options = quick) {
  nn::Linear network({.in = 4, .out = 4});
  return advise(network, step, batch, options);
}

/// That the rule is advised for a step of 1 ms with the change and 3 without, and called slower the other way round.
template <class Work, class IsOn>
void expect_tried(const std::string& rule, const Batch& batch, const Work& work, const IsOn& is_on) {
  for (const bool helps : {true, false}) {
    const auto step = [&](const Batch& b) {
      work();
      planted.take(is_on(b) == helps ? 1 : 3);
    };
    const Advice advice = advice_for(step, batch);
    const Trial* const trial = advice.find(rule);
    ASSERT_TRUE(trial) << advice.text();
    EXPECT_EQ(trial->is_advised, helps) << advice.text();
    EXPECT_DOUBLE_EQ(trial->gain(), helps ? 3 : 1.0 / 3) << advice.text();
    EXPECT_EQ(advice.text().find(rule + ": slower") != std::string::npos, !helps) << advice.text();
  }
}

TEST(Advice, TriesAutocast) {
  const auto is_on = [](const Batch&) { return amp::is_autocast_enabled(DeviceType::cpu); };
  expect_tried("autocast", {ones({2})}, multiply, is_on);
  EXPECT_FALSE(advice_for([](const Batch&) {}, {ones({2})}).find("autocast")) << "no products";
}

TEST(Advice, TriesChannelsLast) {
  const auto is_on = [](const Batch& batch) { return batch[0].layout().is_channels_last(); };
  expect_tried("channels_last", {ones({2, 3, 4, 4})}, convolve, is_on);
  EXPECT_FALSE(advice_for([](const Batch&) { convolve(); }, {ones({2, 12})}).find("channels_last")) << "no images";
  EXPECT_FALSE(advice_for([](const Batch&) { multiply(); }, {ones({2, 3, 4, 4})}).find("channels_last"))
      << "no convolutions";
}

TEST(Advice, TriesOneThread) {
  const int before = num_threads();
  set_num_threads(2);
  expect_tried("one thread", {ones({2})}, [] {}, [](const Batch&) { return num_threads() == 1; });
  EXPECT_EQ(num_threads(), 2) << "restored";
  set_num_threads(before);
}

TEST(Advice, ShowsNoDifferenceWhereThereIsNone) {
  const int before = num_threads();
  set_num_threads(2);
  for (std::uint32_t seed = 0; seed < 5; ++seed) {
    test::OperatorClock busy(0.4, seed);
    const Advice advice = advice_for([](const Batch&) { multiply(); }, {ones({2})}, test::options_of(busy.stopwatch()));
    const Trial* const trial = advice.find("one thread");  // operators take as long with one as with two
    ASSERT_TRUE(trial);
    EXPECT_FALSE(trial->is_clear) << advice.text();
    EXPECT_FALSE(trial->is_advised) << advice.text();
    EXPECT_GT(trial->spread, 0);
    EXPECT_NE(advice.text().find("one thread: no clear difference, "), std::string::npos) << advice.text();
  }
  set_num_threads(before);
}

TEST(Advice, FindsTheKneeOfBatchSizes) {
  // 2 ms each call and 0.1 ms each sample: a sample of 16 is 1.56 times as fast as one of 8, of 32 only 1.38 times as
  // one of 16, and of 64 1.24 times as one of 32.
  const auto step = [](const Batch& batch) { planted.take(2 + 0.1 * static_cast<double>(batch[0].size(0))); };
  AdviceOptions options = quick;
  options.min_gain = 1.3;
  options.largest_batch = 1024;
  const Advice advice = advice_for(step, {ones({2, 3}), ones({2})}, options);
  const Trial* const trial = advice.find("batch size");
  ASSERT_TRUE(trial);
  EXPECT_TRUE(trial->is_advised) << advice.text();
  EXPECT_EQ(trial->change, ".batch_size = 32");
  EXPECT_NEAR(trial->gain(), (2.2 / 2) / (5.2 / 32), 1e-9) << advice.text();
  EXPECT_NE(trial->note.find("the knee"), std::string::npos) << advice.text();
}

TEST(Advice, StopsAtTheMemoryLimit) {
  const auto step = [](const Batch& batch) {
    if (batch[0].size(0) > 8) throw OutOfMemoryError("planted");
    planted.take(1);
  };
  const Advice advice = advice_for(step, {ones({2, 3})});
  const Trial* const trial = advice.find("batch size");
  ASSERT_TRUE(trial);
  EXPECT_EQ(trial->change, ".batch_size = 8") << advice.text();
  EXPECT_NE(trial->note.find("16 do not fit"), std::string::npos) << advice.text();
}

TEST(Advice, LargerBatchesThatAreNoFasterAreNotAdvised) {
  const auto step = [](const Batch& batch) { planted.take(static_cast<double>(batch[0].size(0))); };
  const Advice advice = advice_for(step, {ones({2, 3})});
  EXPECT_FALSE(advice.find("batch size")->is_advised) << advice.text();
}

TEST(Advice, AChangeThatFailsSaysWhy) {
  const auto step = [](const Batch&) {
    multiply();
    if (amp::is_autocast_enabled(DeviceType::cpu)) throw ValueError("planted");
  };
  const Advice advice = advice_for(step, {ones({2})});
  EXPECT_FALSE(advice.find("autocast")->is_advised);
  EXPECT_NE(advice.text().find("fails: planted"), std::string::npos) << advice.text();
  EXPECT_THROW(advice_for([](const Batch&) { throw ValueError("planted"); }, {ones({2})}), ValueError)
      << "the caller's own error";
}

TEST(Advice, IsNumberedByGain) {
  const auto step = [](const Batch& batch) {
    const bool mixed = amp::is_autocast_enabled(DeviceType::cpu), last = batch[0].layout().is_channels_last();
    convolve();
    planted.take(static_cast<double>(batch[0].size(0)) * (mixed ? 1 : last ? 2 : 4));
  };
  const std::string text = advice_for(step, {ones({2, 3, 2, 2})}).text();
  const std::size_t first = text.find("1. autocast"), second = text.find("2. channels_last");
  EXPECT_NE(first, std::string::npos) << text;
  EXPECT_NE(second, std::string::npos) << text;
  EXPECT_NE(text.find("amp::Autocast guard(DeviceType::cpu);"), std::string::npos) << text;
}

TEST(Advice, RestoresTheNetwork) {
  nn::Sequential net(nn::Linear({.in = 6, .out = 8}), nn::BatchNorm1d({.features = 8}),
                     nn::Linear({.in = 8, .out = 3}));
  optim::SGD optimizer(net.parameters(), {.lr = 0.1});
  const Tensor x = randn({8, 6}), y = randint(0, 3, {8}, {.dtype = int64});
  std::vector<Tensor> before;
  for (const Tensor& p : net.parameters()) before.push_back(clone(p.detach()));
  for (const Tensor& b : net.buffers()) before.push_back(clone(b));
  const Advice advice = advise(net,
                               [&](const Batch& batch) {
                                 optimizer.zero_grad();
                                 cross_entropy(net(batch[0]), batch[1]).backward();
                                 optimizer.step();
                               },
                               {x, y}, {.seconds = 0.001, .memory_budget = 1, .roof = test::planted_roof});
  std::vector<Tensor> after = net.parameters();
  for (const Tensor& b : net.buffers()) after.push_back(b);
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < after.size(); ++i)
    EXPECT_TRUE(allclose(after[i].detach(), before[i], {.rtol = 0, .atol = 0})) << i;
  for (const Tensor& p : net.parameters()) EXPECT_FALSE(p.grad().defined());
  EXPECT_EQ(advice.json().at("advice").items().size(), advice.trials.size());
}

TEST(Advice, TriesOnlyWhatIsAskedFor) {
  AdviceOptions options = quick;
  options.only = {"batch size"};
  const Advice advice = advice_for([](const Batch&) { multiply(); }, {ones({2})}, options);
  ASSERT_EQ(advice.trials.size(), 1u) << advice.text();
  EXPECT_EQ(advice.trials[0].rule, "batch size");
  options.only = {"luck"};
  EXPECT_THROW(advice_for([](const Batch&) {}, {ones({2})}, options), ValueError);
}

TEST(Advice, RefusesAnEmptyBatch) {
  EXPECT_THROW(advice_for([](const Batch&) {}, {}), ValueError);
}

}  // namespace
}  // namespace minima::profiler::advice_test
