#include <minima/autograd/backward.h>
#include <minima/autograd/gradcheck.h>
#include <minima/autograd/hooks.h>
#include <minima/autograd/mode.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

namespace minima {
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

TEST(Grad, GivesHigherOrders) {
  Tensor x = leaf({3});
  const Tensor y = x * x * x;
  const Tensor first = grad({y}, {x}, {}, {.create_graph = true})[0];
  const Tensor second = grad({first}, {x}, {}, {.create_graph = true})[0];
  const Tensor third = grad({second}, {x})[0];
  EXPECT_EQ(first.item<double>(), 27);
  EXPECT_EQ(second.item<double>(), 18);
  EXPECT_EQ(third.item<double>(), 6);
  EXPECT_FALSE(x.grad().defined());
}

TEST(Grad, SaysWhichInputIsUnused) {
  Tensor x = leaf({3}), z = leaf({1});
  EXPECT_THROW(grad({x * x}, {x, z}), AutogradError);
  EXPECT_FALSE(grad({x * x}, {z}, {}, {.allow_unused = true})[0].defined());
}

TEST(InPlace, RebasesANonLeaf) {
  Tensor x = leaf({1, 2});
  Tensor y = x * 2.0;
  y *= y;
  sum(y).backward();
  EXPECT_EQ(x.grad().to_vector<double>(), (Values{8, 16}));
}

TEST(InPlace, IsAnErrorOnALeafThatRequiresGrad) {
  Tensor x = leaf({1, 2});
  EXPECT_THROW(x += 1.0, AutogradError);
  EXPECT_THROW(x[0] += 1.0, AutogradError);
  NoGrad guard;
  x += 1.0;
  EXPECT_EQ(x.to_vector<double>(), (Values{2, 3}));
}

TEST(InPlace, OnASavedTensorIsNoticed) {
  Tensor x = leaf({1, 2});
  Tensor y = x * 2.0;
  const Tensor z = sum(y * y);
  y += 1.0;
  try {
    z.backward();
    FAIL() << "a changed saved tensor went unnoticed";
  } catch (const AutogradError& error) {
    EXPECT_NE(std::string(error.what())
                  .find("(float64 [2]) was saved for the gradient and then changed in place: it is at version 1"),
              std::string::npos)
        << error.what();
  }
}

TEST(InPlace, OnAViewReachesTheBaseAndItsOtherViews) {
  Tensor x = leaf({1, 2, 3, 4});
  Tensor y = x * 1.0;
  Tensor head = slice(y, 0, 0, 2);
  const Tensor other = slice(y, 0, 1, 3);
  head *= 10.0;
  EXPECT_EQ(y.to_vector<double>(), (Values{10, 20, 3, 4}));
  EXPECT_EQ(grad({sum(y)}, {x}, {}, {.retain_graph = true})[0].to_vector<double>(), (Values{10, 10, 1, 1}));
  EXPECT_EQ(grad({sum(other)}, {x}, {}, {.retain_graph = true})[0].to_vector<double>(), (Values{0, 10, 1, 0}));
  EXPECT_EQ(grad({sum(head)}, {x})[0].to_vector<double>(), (Values{10, 10, 0, 0}));
}

TEST(InPlace, WritesARecordedValueIntoAPlainTensor) {
  Tensor w = leaf({5});
  Tensor x = tensor<double>({1, 2, 3});
  Tensor middle = slice(x, 0, 1, 2);
  copy_(middle, w * w);
  EXPECT_TRUE(x.requires_grad());
  sum(x * x).backward();
  EXPECT_EQ(w.grad().item<double>(), 2 * 25.0 * 10);
}

TEST(InPlace, OnViewsPassesGradcheckToSecondOrder) {
  Tensor x = from_vector<double>({0.5, -1, 2, 3, 0.25, -2}, {2, 3}).requires_grad(true);
  Tensor w = leaf({0.7, -0.3});
  const TensorFunction f = [](const std::vector<Tensor>& in) {
    Tensor y = in[0] * in[0];
    Tensor column = select(y, 1, 1);
    column *= in[1];
    Tensor row = select(y, 0, 0);
    row += in[0][1] * in[0][0];
    return std::vector{y * y};
  };
  const auto first = gradcheck(f, {x, w});
  EXPECT_TRUE(first) << first.message;
  const auto second = gradgradcheck(f, {x, w});
  EXPECT_TRUE(second) << second.message;
}

TEST(Hooks, SeeAndReplaceGradients) {
  Tensor x = leaf({1, 2});
  const Tensor y = x * 3.0;
  double seen = 0;
  register_hook(y, [&](const Tensor& g) {
    seen = sum(g).item<double>();
    return g * 2.0;
  });
  int finished = 0;
  auto handle = register_post_accumulate_hook(x, [&](const Tensor& leaf) { finished += leaf.grad().defined(); });
  sum(y + y).backward();
  EXPECT_EQ(seen, 4);
  EXPECT_EQ(finished, 1);
  EXPECT_EQ(x.grad().to_vector<double>(), (Values{12, 12}));
  handle.remove();
  sum(x * 1.0).backward();
  EXPECT_EQ(finished, 1);
}

TEST(RetainGrad, KeepsTheGradientOfANonLeaf) {
  Tensor x = leaf({1, 2});
  Tensor y = x * 3.0;
  y.retain_grad();
  sum(y * y).backward();
  EXPECT_EQ(y.grad().to_vector<double>(), (Values{6, 12}));
}

TEST(NoGrad, RecordsNothing) {
  Tensor x = leaf({1});
  NoGrad guard;
  EXPECT_FALSE((x * 2.0).requires_grad());
}

TEST(Inference, KeepsItsTensorsOutOfGraphs) {
  Tensor w = leaf({2});
  Tensor x;
  {
    Inference guard;
    x = tensor<double>({1}) * 3.0;
  }
  EXPECT_THROW(w * x, AutogradError);
}

TEST(Reentrant, BackwardInsideAHookIsSupported) {
  Tensor x = leaf({2});
  const Tensor y = x * x;
  register_hook(y, [&](const Tensor& g) {
    EnableGrad guard;
    Tensor inner = x * 5.0;
    inner.backward();
    return g;
  });
  y.backward();
  EXPECT_EQ(x.grad().item<double>(), 4 + 5);
}

}  // namespace
}  // namespace minima
