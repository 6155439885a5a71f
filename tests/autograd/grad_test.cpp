#include <minima/autograd/backward.h>
#include <minima/autograd/hooks.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

namespace minima::grad_test {
namespace {

using Values = std::vector<double>;

Tensor leaf(std::initializer_list<double> values) { return tensor<double>(values).requires_grad(true); }

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

TEST(Grad, RetainsTheGraphWithCreateGraph) {
  Tensor x = leaf({3});
  const Tensor y = x * x;
  EXPECT_EQ(grad({y}, {x}, {}, {.create_graph = true})[0].item<double>(), 6);
  EXPECT_EQ(grad({y}, {x})[0].item<double>(), 6);
  EXPECT_THROW(grad({y}, {x}), AutogradError);
}

TEST(Grad, ComputesOnlyWhatIsBetweenOutputsAndInputs) {
  Tensor x = leaf({3}), w = leaf({5});
  const Tensor h = x * 2.0, aside = w * w, y = h * aside;
  int calls = 0;
  register_hook(aside, [&](const Tensor& g) { return ++calls, g; });
  EXPECT_EQ(grad({y}, {h})[0].item<double>(), 25);
  EXPECT_EQ(calls, 0);
}

TEST(Grad, TakesInnerTensorsAsInputs) {
  Tensor x = leaf({3});
  const Tensor h = x * x;
  const auto gradients = grad({h * h}, {x, h});
  EXPECT_EQ(gradients[0].item<double>(), 4 * 27);
  EXPECT_EQ(gradients[1].item<double>(), 2 * 9);
}

}  // namespace
}  // namespace minima::grad_test
