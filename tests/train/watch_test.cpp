#include "tests/train/no_graphs.h"

#include <minima/nn/nn.h>
#include <minima/ops/ops.h>
#include <minima/optim/elementwise/sgd.h>
#include <minima/train/captured_step/captured_step.h>

#include <gtest/gtest.h>

#include <vector>

// What a captured step sees of the modules that it watches, on a driver whose graphs do nothing.

namespace minima::train::watch_test {
namespace {

struct Net : nn::Module {
  nn::Linear fc = child("fc", nn::Linear({.in = 2, .out = 2}));
  nn::BatchNorm1d norm = child("norm", nn::BatchNorm1d({.features = 2}));
  nn::Linear plain = child("plain", nn::Linear({.in = 2, .out = 2, .bias = false}));
  nn::Sequential list = child("list", nn::Sequential(nn::ReLU(), nn::Linear({.in = 2, .out = 2})));
  Tensor forward(const Tensor& x) override { return list(norm(fc(x))); }
};

class CapturedStepWatch : public ::testing::Test {
 protected:
  CapturedStepWatch() {
    step.watch(net);
    step.watch(optimizer);
    captures();
  }
  /// Calls thrice, which suffices to capture; how many captures there have been.
  std::int64_t captures() {
    for (int i = 0; i < 3; ++i) step.call({});
    return step.counts().captured;
  }

  Net net;
  optim::SGD optimizer{net.parameters(), {.lr = 0.1, .momentum = 0.9}};
  test::NoGraphs driver;
  CapturedStep step{[](const std::vector<Tensor>&) { return std::vector<Tensor>(); }, {.warmup = 1, .driver = &driver}};
};

TEST_F(CapturedStepWatch, NothingHasChanged) { EXPECT_EQ(captures(), 1); }

TEST_F(CapturedStepWatch, AModeOfAnInnerModule) {
  net.norm.eval();
  EXPECT_EQ(captures(), 2);
  net.train();
  EXPECT_EQ(captures(), 3);
}

TEST_F(CapturedStepWatch, AParameterThatIsAssigned) {
  net.fc.weight = nn::Parameter(zeros({2, 2}));
  EXPECT_EQ(captures(), 2);
}

TEST_F(CapturedStepWatch, ABufferOrAModuleThatIsAssigned) {
  net.norm.running_mean = zeros({2});
  EXPECT_EQ(captures(), 2);
  net.fc = nn::Linear({.in = 2, .out = 2});
  EXPECT_EQ(captures(), 3);
}

TEST_F(CapturedStepWatch, AParameterThatWasUndefined) {
  net.plain.bias = nn::Parameter(zeros({2}));
  EXPECT_EQ(captures(), 2);
}

TEST_F(CapturedStepWatch, AParameterWhoseDataIsReplaced) {
  net.fc.weight.set_data(zeros({2, 2}));
  EXPECT_EQ(captures(), 2);
}

TEST_F(CapturedStepWatch, AListThatGrows) {
  net.list.push_back(nn::Linear({.in = 2, .out = 2}));
  EXPECT_EQ(captures(), 2);
}

TEST_F(CapturedStepWatch, AFrozenParameterAndTheOptimizersState) {
  net.fc.weight.requires_grad(false);
  EXPECT_EQ(captures(), 2);
  optimizer.set_momentum(0.5, 0);
  EXPECT_EQ(captures(), 3);
  net.fc.bias.set_grad(zeros({2}));
  optimizer.step();  // allocates the momentum
  EXPECT_EQ(captures(), 4);
  optimizer.load_state_dict(optimizer.state_dict());
  EXPECT_EQ(captures(), 5);
}

TEST_F(CapturedStepWatch, AReplayChangesWhatIsWatched) {
  const auto version = [&](const Tensor& x) { return x.impl()->storage->version(); };
  const auto weight = version(net.fc.weight), mean = version(net.norm.running_mean);
  step.call({});
  EXPECT_GT(version(net.fc.weight), weight);
  EXPECT_GT(version(net.norm.running_mean), mean);
}

}  // namespace
}  // namespace minima::train::watch_test
