#include <minima/profiler/causes/non_finite.h>

#include <minima/minima.h>

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace minima::profiler::non_finite_test {
namespace {

/// log(a(x) - shift) in a module of its own.
struct Logs : nn::Module {
  double shift = 0;
  Tensor forward(const Tensor& x) { return log(x - shift); }
};
struct LogNet : nn::Module {
  nn::Linear a = child("a", nn::Linear({.in = 3, .out = 4}));
  Logs logs = child("logs", Logs());
  Tensor forward(const Tensor& x) { return sum(logs(exp(a(x)))); }
};

TEST(NonFinite, FiniteStepsAreFine) {
  LogNet net;
  NonFiniteTracker tracker;
  tracker.watch(net);
  net(randn({5, 3})).backward();
  EXPECT_FALSE(tracker.found()) << tracker.text();
  EXPECT_EQ(tracker.text(), "All values are finite.");
}

TEST(NonFinite, NamesTheOperatorAndTheRangesOfItsInputs) {
  LogNet net;
  net.logs.shift = 100;
  NonFiniteTracker tracker;
  tracker.watch(net);
  net(randn({5, 3})).backward();
  const auto* const found = tracker.found();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->origin.text(), "log in logs");
  EXPECT_EQ(found->range.nans, 20);
  ASSERT_EQ(found->inputs.size(), 1u) << tracker.text();
  EXPECT_EQ(found->inputs[0].name, "add in logs");
  EXPECT_LT(found->inputs[0].range.most, 0);
  EXPECT_NE(tracker.text().find("20 NaN"), std::string::npos) << tracker.text();
}

TEST(NonFinite, ShowsParametersAmongTheInputs) {
  LogNet net;
  no_grad([&] { fill_(net.a.bias, 200.0); });
  NonFiniteTracker tracker;
  tracker.watch(net);
  net(zeros({5, 3}));
  const auto* found = tracker.found();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->origin.text(), "exp");
  EXPECT_EQ(found->range.infinities, 20);

  LogNet broken;
  no_grad([&] { fill_(broken.a.bias, std::numeric_limits<double>::quiet_NaN()); });
  NonFiniteTracker other;
  other.watch(broken);
  broken(zeros({5, 3})).backward();
  found = other.found();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->origin.text(), "linear in a");
  ASSERT_EQ(found->inputs.size(), 2u) << other.text();
  EXPECT_EQ(found->inputs[0].name, "parameter a.weight");
  EXPECT_TRUE(found->inputs[0].range.is_finite());
  EXPECT_EQ(found->inputs[1].name, "parameter a.bias");
  EXPECT_EQ(found->inputs[1].range.nans, 4);
}

TEST(NonFinite, NamesTheGradient) {
  const Tensor x = zeros({3}).requires_grad(true);
  NonFiniteTracker tracker;
  sum(sqrt(x * 1.0)).backward();  // whose gradient at zero is infinite
  const auto* const found = tracker.found();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->origin.text(), "the gradient of sqrt by input 0") << tracker.text();
  EXPECT_EQ(found->range.infinities, 3);
  ASSERT_EQ(found->inputs.size(), 1u);
  EXPECT_EQ(found->inputs[0].range.most, 0);
}

TEST(NonFinite, LooksAtGradientsThatKernelsWriteIntoGrad) {
  // Only the weight's gradient overflows: a sum of five inputs of 1e38. Its kernel writes it into `.grad`.
  for (const DType dtype : {DType::float32, DType::bfloat16}) {
    nn::Sequential net(nn::Linear({.in = 3, .out = 4}), nn::ReLU());
    no_grad([&] {
      fill_(net.parameters()[0], 0.0);
      fill_(net.parameters()[1], 1.0);
    });
    NonFiniteTracker tracker;
    tracker.watch(net);
    {
      amp::Autocast autocast(DeviceType::cpu, {.enabled = dtype == DType::bfloat16});
      sum(net(full({5, 3}, 1e38))).backward();
    }
    const auto* const found = tracker.found();
    ASSERT_TRUE(found) << dtype;
    EXPECT_EQ(found->origin.text(), "the gradient of linear in 0 by input 1") << tracker.text();
    EXPECT_EQ(found->range.infinities, 12);
    ASSERT_FALSE(found->inputs.empty());
    EXPECT_EQ(found->inputs[0].name, "parameter 0.weight");
  }
}

TEST(NonFinite, BlamesTheData) {
  LogNet net;
  Tensor x = randn({5, 3});
  x[2][1] = std::numeric_limits<double>::infinity();
  NonFiniteTracker tracker;
  tracker.watch(net);
  net(x);
  ASSERT_TRUE(tracker.found());
  EXPECT_EQ(tracker.found()->origin.text(), "input 0 of the network");
}

TEST(NonFinite, InfinitiesMayBeMeant) {
  const Tensor x = ones({3}).requires_grad(true);
  NonFiniteTracker tracker({.infinities = false});
  const Tensor y = log(x * 0.0);
  EXPECT_FALSE(tracker.found());
  const Tensor z = (y - y) * 1.0;
  ASSERT_TRUE(tracker.found());
  EXPECT_EQ(tracker.found()->origin.op, "sub");
}

TEST(NonFinite, GraphsMayOutliveTheTracker) {
  const Tensor x = ones({3}).requires_grad(true);
  Tensor loss;
  {
    NonFiniteTracker tracker;
    loss = sum(exp(x));
  }
  loss.backward();
  EXPECT_TRUE(allclose(x.grad(), exp(x.detach())));
}

TEST(NonFinite, ClonesMayOutliveTheTracker) {
  LogNet net;
  LogNet copy;
  {
    NonFiniteTracker tracker;
    tracker.watch(net);
    copy = nn::clone(net);
  }
  EXPECT_TRUE(allclose(copy(ones({2, 3})), net(ones({2, 3}))));
}

}  // namespace
}  // namespace minima::profiler::non_finite_test
