#include <minima/profiler/causes/live_memory.h>

#include <minima/minima.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace minima::profiler::live_memory_test {
namespace {

struct Kept : nn::Module {
  nn::Linear a = child("a", nn::Linear({.in = 64, .out = 256}));
  nn::ReLU act = child("act", nn::ReLU());
  nn::Linear b = child("b", nn::Linear({.in = 256, .out = 10}));
  Tensor forward(const Tensor& x) { return b(act(a(x))); }
};

const LiveBlock* kept_by(const LiveReport& report, const std::string& keeper) {
  const auto found = std::find_if(report.blocks.begin(), report.blocks.end(), [&](const LiveBlock& block) {
    return std::find(block.keepers.begin(), block.keepers.end(), keeper) != block.keepers.end();
  });
  return found == report.blocks.end() ? nullptr : &*found;
}

TEST(LiveMemory, NamesMakersKeepersAndCosts) {
  Kept net;
  const Tensor x = randn({128, 64}), y = randint(0, 10, {128}, {.dtype = int64});
  LiveMemory memory({.offload_bytes_per_second = 1e9});
  memory.watch(net);
  const Tensor loss = cross_entropy(net(x), y);
  const LiveReport report = memory.report();

  // relu's result serves its own gradient and that of the next layer's weight.
  const LiveBlock* const hidden = kept_by(report, "the gradient of linear in b");
  ASSERT_TRUE(hidden) << report.text();
  EXPECT_EQ(hidden, kept_by(report, "the gradient of relu in act")) << report.text();
  EXPECT_EQ(hidden->maker, "relu in act");
  EXPECT_EQ(hidden->bytes, 128 * 256 * 4);
  EXPECT_GT(hidden->recompute_seconds, 0);
  EXPECT_DOUBLE_EQ(hidden->offload_seconds, 2.0 * 128 * 256 * 4 / 1e9);

  const LiveBlock* const data = kept_by(report, "the gradient of linear in a");
  ASSERT_TRUE(data);
  EXPECT_EQ(data->spec, "float32 [128, 64]");
  EXPECT_EQ(data->maker, "");

  const LiveBlock* const weight = kept_by(report, "a.weight");
  ASSERT_TRUE(weight);
  EXPECT_EQ(weight->kind, LiveBlock::Kind::parameter);
  EXPECT_FALSE(kept_by(report, "a.weight.grad"));
  EXPECT_LE(report.named(), report.allocated);
  EXPECT_NE(report.text().find("made by relu in act"), std::string::npos);
  EXPECT_EQ(report.json().at("blocks").items().size(), report.blocks.size());
}

TEST(LiveMemory, BackwardFreesWhatNodesKept) {
  Kept net;
  const Tensor x = randn({16, 64}), y = randint(0, 10, {16}, {.dtype = int64});
  LiveMemory memory;
  memory.watch(net);
  for (int step = 0; step < 2; ++step) {
    cross_entropy(net(x), y).backward();
    const LiveReport report = memory.report();
    EXPECT_TRUE(kept_by(report, "a.weight.grad"));
    for (const LiveBlock& block : report.blocks) EXPECT_NE(block.kind, LiveBlock::Kind::saved) << report.text();
  }
}

TEST(LiveMemory, FindsWhatAForgottenLossKeeps) {
  Kept net;
  Tensor total;
  LiveMemory memory;
  memory.watch(net);
  for (int step = 0; step < 3; ++step) {
    const Tensor loss = mean(net(randn({16, 64})));
    total = total.defined() ? total + loss : loss;  // keeps the graphs of all steps
  }
  const LiveReport report = memory.report();
  EXPECT_EQ(std::count_if(report.blocks.begin(), report.blocks.end(),
                          [](const LiveBlock& block) { return block.maker.starts_with("relu in act"); }),
            3)
      << report.text();
}

TEST(LiveMemory, GradientsAreTheSameAndGraphsMayOutliveIt) {
  Kept net;
  const Tensor x = randn({16, 64});
  mean(net(x)).backward();
  const Tensor plain = clone(net.a.weight.grad());
  net.zero_grad();
  Tensor loss;
  {
    LiveMemory memory;
    loss = mean(net(x));
  }
  EXPECT_EQ(observer(), nullptr);
  loss.backward();
  EXPECT_TRUE(identical(net.a.weight.grad(), plain));
}

TEST(LiveMemory, RefusesARateOfZero) { EXPECT_THROW(LiveMemory({.offload_bytes_per_second = 0}), ValueError); }

}  // namespace
}  // namespace minima::profiler::live_memory_test
