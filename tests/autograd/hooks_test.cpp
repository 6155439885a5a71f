#include <minima/autograd/hooks.h>
#include <minima/autograd/backward.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <string>

namespace minima::hooks_test {
namespace {

using Values = std::vector<double>;

Tensor leaf(std::initializer_list<double> values) { return tensor<double>(values).requires_grad(true); }

template <class E = AutogradError, class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  }
  return "no error";
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

TEST(Hooks, StayWhenTheirHandleIsDropped) {
  Tensor x = leaf({1});
  int calls = 0;
  {
    const HookHandle handle = register_hook(x, [&](const Tensor& g) { return ++calls, g; });
  }
  (x * 2.0).backward();
  EXPECT_EQ(calls, 1);
}

TEST(Hooks, ReplaceOnlyWithADefinedTensor) {
  Tensor x = leaf({1});
  register_hook(x, [](const Tensor&) { return Tensor(); });
  (x * 2.0).backward();
  EXPECT_EQ(x.grad().item<double>(), 2);
}

TEST(LeafHooks, SeeTheSumOfAllUsesBeforeItIsAdded) {
  Tensor x = leaf({1});
  (x * 100.0).backward();
  double seen = 0;
  register_hook(x, [&](const Tensor& g) {
    seen = g.item<double>();
    return g * 2.0;
  });
  (x * 2.0 + x * 3.0).backward();
  EXPECT_EQ(seen, 5);
  EXPECT_EQ(x.grad().item<double>(), 110);
}

TEST(PostAccumulateHooks, RunOncePerBackwardAfterTheLastUse) {
  Tensor x = leaf({1});
  Values seen;
  register_post_accumulate_hook(x, [&](const Tensor& leaf) { seen.push_back(leaf.grad().item<double>()); });
  (x * 2.0 + x * x * x).backward();
  (x * 1.0).backward();
  EXPECT_EQ(seen, (Values{5, 6}));
}

TEST(PreBackwardHooks, ReplaceTheGradientsOfTheOutputs) {
  Tensor x = leaf({3});
  const Tensor y = x * x;
  register_pre_backward_hook(y, [](std::vector<Tensor>& outputs) { outputs[0] = outputs[0] * 10.0; });
  y.backward();
  EXPECT_EQ(x.grad().item<double>(), 60);
}

TEST(BackwardHooks, ReplaceTheGradientsOfTheInputs) {
  Tensor a = leaf({3}), b = leaf({4});
  const Tensor y = a * b;
  register_backward_hook(y, [](std::vector<Tensor>& inputs) {
    ASSERT_EQ(inputs.size(), 2u);
    EXPECT_EQ(inputs[1].item<double>(), 3);
    inputs[0] = inputs[0] + 1.0;
  });
  y.backward();
  EXPECT_EQ(a.grad().item<double>(), 5);
  EXPECT_EQ(b.grad().item<double>(), 3);
}

TEST(RetainGrad, KeepsTheGradientOfANonLeaf) {
  Tensor x = leaf({1, 2});
  Tensor y = x * 3.0;
  y.retain_grad();
  sum(y * y).backward();
  EXPECT_EQ(y.grad().to_vector<double>(), (Values{6, 12}));
}

TEST(RetainGrad, AddsUpUntilItIsZeroed) {
  Tensor x = leaf({2});
  Tensor y = x * 3.0;
  y.retain_grad();
  (y * 1.0).backward({}, true);
  (y * 1.0).backward({}, true);
  EXPECT_EQ(y.grad().item<double>(), 2);
  y.zero_grad();
  EXPECT_FALSE(y.grad().defined());
}

TEST(LeafHooks, MayNotChangeTheShapeOfAGradient) {
  Tensor w = ones({4}, {.dtype = DType::float64}).requires_grad(true);
  auto handle = register_hook(w, [](const Tensor&) { return ones({1}, {.dtype = DType::float64}); });
  const std::string error = error_of([&] { sum(w * 2.0).backward(); });
  EXPECT_NE(error.find("register_hook: the hook of leaf replaced the gradient float64 [4]"), std::string::npos)
      << error;
  EXPECT_NE(error.find("[1]"), std::string::npos) << error;
  EXPECT_FALSE(w.grad().defined());
  handle.remove();
  sum(w * 2.0).backward();
  EXPECT_EQ(w.grad().to_vector<double>(), std::vector<double>(4, 2));
}

TEST(LeafHooks, MayNotChangeTheDTypeOfAGradient) {
  Tensor w = ones({4}).requires_grad(true);
  register_hook(w, [](const Tensor& g) { return g.to(DType::float64); });
  EXPECT_NE(error_of([&] { sum(w * 2.0).backward(); }).find("same shape, dtype and device"), std::string::npos);
  EXPECT_THROW(grad({sum(w * 2.0)}, {w}), AutogradError);
}

TEST(TensorHooks, MayNotChangeTheShapeOfAGradient) {
  Tensor w = ones({4}).requires_grad(true);
  const Tensor y = w * 2.0;
  register_hook(y, [](const Tensor&) { return ones({1}); });
  const std::string error = error_of([&] { sum(y).backward(); });
  EXPECT_NE(error.find("register_hook: the hook of mul replaced the gradient float32 [4]"), std::string::npos) << error;
}

TEST(PreBackwardHooks, MayNotChangeTheShapeOfAGradient) {
  Tensor w = ones({4}).requires_grad(true);
  const Tensor y = w * 2.0;
  register_pre_backward_hook(y, [](std::vector<Tensor>& g) { g[0] = ones({5}); });
  EXPECT_NE(error_of([&] { sum(y).backward(); }).find("register_pre_backward_hook: the hook of mul replaced"),
            std::string::npos);
}

TEST(PreBackwardHooks, MayDropTheGradient) {
  Tensor w = ones({4}).requires_grad(true);
  const Tensor y = w * 2.0;
  register_pre_backward_hook(y, [](std::vector<Tensor>& g) { g[0] = Tensor(); });
  sum(y).backward();
  EXPECT_FALSE(w.grad().defined());
}

TEST(PreBackwardHooks, MayNotChangeTheNumberOfGradients) {
  Tensor w = ones({4}).requires_grad(true);
  for (const std::size_t size : {0, 2}) {
    const Tensor y = w * 2.0;
    register_pre_backward_hook(y, [size](std::vector<Tensor>& g) { g.resize(size); });
    const std::string error = error_of([&] { sum(y).backward(); });
    EXPECT_NE(error.find("left " + std::to_string(size) + " gradients of 1"), std::string::npos) << error;
  }
}

TEST(BackwardHooks, MayNotChangeTheNumberOfGradients) {
  Tensor w = ones({4}).requires_grad(true);
  for (const std::size_t size : {0, 3}) {
    const Tensor y = w * w;
    register_backward_hook(y, [size](std::vector<Tensor>& g) { g.resize(size); });
    const std::string error = error_of([&] { sum(y).backward(); });
    EXPECT_NE(error.find("register_backward_hook: the hook of mul left " + std::to_string(size) + " gradients of 2"),
              std::string::npos)
        << error;
  }
}

TEST(BackwardHooks, MayNotChangeTheShapeOfAGradient) {
  Tensor w = ones({4}).requires_grad(true);
  const Tensor y = w * w;
  register_backward_hook(y, [](std::vector<Tensor>& g) { g[0] = ones({3}); });
  EXPECT_THROW(sum(y).backward(), AutogradError);
}

}  // namespace
}  // namespace minima::hooks_test
