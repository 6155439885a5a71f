#include <minima/autograd/backward.h>
#include <minima/autograd/hooks.h>
#include <minima/autograd/mode.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/pointwise/trigonometry.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

namespace minima::engine_test {
namespace {

using Values = std::vector<double>;

Tensor leaf(std::initializer_list<double> values) { return tensor<double>(values).requires_grad(true); }

TEST(Backward, SumsTheUsesOfALeaf) {
  Tensor x = leaf({1, 2, 3});
  sum(x * x + x * 3.0).backward();
  EXPECT_EQ(x.grad().to_vector<double>(), (Values{5, 7, 9}));
}

TEST(Backward, AddsToTheGradientUntilItIsZeroed) {
  Tensor x = leaf({1, 2});
  sum(x * 2.0).backward();
  sum(x * 3.0).backward();
  EXPECT_EQ(x.grad().to_vector<double>(), (Values{5, 5}));
  x.zero_grad();
  EXPECT_FALSE(x.grad().defined());
  sum(x * 4.0).backward();
  EXPECT_EQ(x.grad().to_vector<double>(), (Values{4, 4}));
}

TEST(Backward, UndoesBroadcasting) {
  Tensor a = from_vector<double>({1, 2, 3, 4, 5, 6}, {2, 3}).requires_grad(true);
  Tensor b = leaf({10, 20, 30});
  sum(a * b).backward();
  EXPECT_EQ(b.grad().shape(), (Shape{3}));
  EXPECT_EQ(b.grad().to_vector<double>(), (Values{5, 7, 9}));
  EXPECT_EQ(a.grad().to_vector<double>(), (Values{10, 20, 30, 10, 20, 30}));
}

TEST(Backward, RunsAChainOfAMillionNodesWithoutRecursion) {
  Tensor x = leaf({1});
  {
    Tensor y = x;
    for (int i = 0; i < 1'000'000; ++i) y = y + 1.0;
    EXPECT_EQ(y.item<double>(), 1'000'001);
    y.backward();
  }
  EXPECT_EQ(x.grad().item<double>(), 1);
}

TEST(Backward, RefusesASecondRunThroughAFreedGraph) {
  Tensor x = leaf({2});
  const Tensor y = x * x;
  y.backward();
  EXPECT_THROW(y.backward(), AutogradError);
}

TEST(Backward, RunsTwiceThroughARetainedGraph) {
  Tensor x = leaf({2});
  const Tensor y = x * x;
  y.backward({}, true);
  y.backward();
  EXPECT_EQ(x.grad().item<double>(), 8);
}

TEST(Backward, TakesOneForTheGradientOfOneElement) {
  Tensor x = leaf({3});
  (x * 2.0).backward();
  EXPECT_EQ(x.grad().item<double>(), 2);
  EXPECT_THROW((leaf({1, 2}) * 2.0).backward(), ShapeError);
}

TEST(Backward, WeighsSeveralOutputsByTheirGradients) {
  Tensor x = leaf({1, 2});
  backward({x * 2.0, sum(x * x)}, {tensor({1.0, 10.0}).to(float64), {}});
  EXPECT_EQ(x.grad().to_vector<double>(), (Values{2 + 2, 20 + 4}));
}

TEST(Backward, RepeatsBitwise) {
  const auto gradient = [] {
    Tensor x = tensor({0.1, 0.2, 0.3}).requires_grad(true);
    Tensor y = x;
    for (int i = 0; i < 20; ++i) y = y + sin(x * (0.1 * i)) * exp(y * -0.3);
    sum(y).backward();
    return x.grad().to_vector<float>();
  };
  EXPECT_EQ(gradient(), gradient());
}

TEST(Backward, FreesTheGraphAfterAnException) {
  for (const bool retain : {false, true}) {
    Tensor x = leaf({2});
    const Tensor h = x * x, y = h * h;
    int calls = 0;
    register_hook(h, [&](const Tensor& g) {
      if (++calls == 1) throw ValueError("on purpose");
      return g;
    });
    EXPECT_THROW(y.backward({}, retain), ValueError);
    x.zero_grad();
    if (retain) {
      y.backward();
      EXPECT_EQ(x.grad().item<double>(), 32);
    } else {
      EXPECT_THROW(y.backward(), AutogradError);
    }
  }
}

TEST(AfterBackward, IsCalledAtOnceWithoutAPass) {
  int calls = 0;
  after_backward([&](bool completed) { calls += completed ? 1 : 100; });
  EXPECT_EQ(calls, 1);
}

TEST(AfterBackward, WaitsForTheOutermostPass) {
  Tensor x = leaf({2}), w = leaf({3});
  const Tensor y = x * x;
  std::vector<std::string> events;
  register_hook(y, [&](const Tensor& g) {
    EnableGrad guard;
    const Tensor inner = w * 2.0;
    register_hook(inner, [&](const Tensor& h) {
      after_backward([&](bool completed) { events.push_back(completed ? "called" : "failed"); });
      return h;
    });
    inner.backward();
    events.push_back("inner pass over");
    return g;
  });
  y.backward();
  EXPECT_EQ(events, (std::vector<std::string>{"inner pass over", "called"}));
  EXPECT_EQ(x.grad().item<double>(), 4);
}

TEST(AfterBackward, IsToldOfAnException) {
  Tensor x = leaf({2});
  const Tensor y = x * x;
  bool was_completed = true;
  register_hook(y, [&](const Tensor&) -> Tensor {
    after_backward([&](bool completed) { was_completed = completed; });
    throw ValueError("on purpose");
  });
  EXPECT_THROW(y.backward(), ValueError);
  EXPECT_FALSE(was_completed);
}

TEST(AfterBackward, LetsItsExceptionsThrough) {
  Tensor x = leaf({2});
  const Tensor y = x * x;
  register_hook(y, [](const Tensor& g) {
    after_backward([](bool) { throw IndexError("from the call"); });
    return g;
  });
  EXPECT_THROW(y.backward(), IndexError);
  EXPECT_EQ(x.grad().item<double>(), 4);
}

}  // namespace
}  // namespace minima::engine_test
