#include <minima/autograd/backward.h>
#include <minima/autograd/checkpoint/checkpoint.h>
#include <minima/autograd/hooks.h>
#include <minima/autograd/saved_tensor.h>
#include <minima/nn/layers/conv.h>
#include <minima/nn/layers/linear.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <string>

// Backward passes inside hooks.

namespace minima::nested_backward_test {
namespace {

Tensor leaf(double value) { return full({}, value, {.dtype = DType::float64}).requires_grad(true); }

/// Two steps of a layer; from the second on its kernels write into `.grad` themselves.
template <class Layer>
void expect_nested(Layer layer, const Tensor& x, double once) {
  for (int step = 1; step <= 3; ++step) {
    const Tensor y = layer(x);
    register_backward_hook(y, [&](std::vector<Tensor>&) {
      EnableGrad guard;
      sum(layer(x)).backward();
    });
    sum(y).backward();
    EXPECT_EQ(sum(layer.weight.grad()).template item<float>(), 2 * once * step);
  }
}

TEST(HooksThatRunBackward, AfterALinearLayerOnItsOwnWeight) {
  expect_nested(nn::Linear({.in = 3, .out = 2}), ones({4, 3}), 24);
}

TEST(HooksThatRunBackward, AfterAConvolutionOnItsOwnWeight) {
  expect_nested(nn::Conv2d({.in = 2, .out = 3, .kernel = 3}), ones({1, 2, 4, 4}), 4 * 2 * 3 * 9);
}

/// y = w² with w = 3 and a hook that runs backward through 5w: the gradient is 11, and a second round doubles it.
template <class Register>
void expect_nested_sum(Register add_hook) {
  Tensor w = leaf(3);
  const auto nested = [w] {
    EnableGrad guard;
    (w * 5.0).backward();
  };
  for (int round = 1; round <= 2; ++round) {
    const Tensor y = w * w;
    auto handle = add_hook(w, y, nested);
    y.backward();
    EXPECT_EQ(w.grad().item<double>(), 11.0 * round);
    handle.remove();
  }
}

TEST(HooksThatRunBackward, OnATensor) {
  expect_nested_sum([](const Tensor&, const Tensor& y, auto nested) {
    return register_hook(y, [nested](const Tensor& g) { return nested(), g; });
  });
}

TEST(HooksThatRunBackward, OnALeaf) {
  expect_nested_sum([](const Tensor& w, const Tensor&, auto nested) {
    return register_hook(w, [nested, is_inner = false](const Tensor& g) mutable {
      if (!std::exchange(is_inner, true)) nested();
      return g;
    });
  });
}

TEST(HooksThatRunBackward, AfterAccumulation) {
  expect_nested_sum([](const Tensor& w, const Tensor&, auto nested) {
    return register_post_accumulate_hook(w, [nested, is_inner = false](const Tensor&) mutable {
      if (!std::exchange(is_inner, true)) nested();
    });
  });
}

TEST(HooksThatRunBackward, BeforeAnOperator) {
  expect_nested_sum([](const Tensor&, const Tensor& y, auto nested) {
    return register_pre_backward_hook(y, [nested](std::vector<Tensor>&) { nested(); });
  });
}

TEST(HooksThatRunBackward, AfterAnOperator) {
  expect_nested_sum([](const Tensor&, const Tensor& y, auto nested) {
    return register_backward_hook(y, [nested](std::vector<Tensor>&) { nested(); });
  });
}

TEST(HooksThatRunBackward, AfterBackward) {
  expect_nested_sum([](const Tensor&, const Tensor& y, auto nested) {
    return register_hook(y, [nested](const Tensor& g) {
      after_backward([nested](bool) { nested(); });
      return g;
    });
  });
}

TEST(HooksThatRunBackward, ThroughTheGraphThatIsRunning) {
  Tensor w = leaf(3);
  const Tensor h = w * w, y = h * h;
  double inner = 0;
  register_hook(y, [&](const Tensor& g) {
    inner = grad({h}, {w})[0].item<double>();  // without retain_graph, but the outer pass still needs what h saved
    return g;
  });
  y.backward();
  EXPECT_EQ(inner, 6);
  EXPECT_EQ(w.grad().item<double>(), 4 * 27);
}

/// What a formula asks for may be computed by code that runs backward itself, on the weight that is being written.
TEST(HooksThatRunBackward, WithinTheRecomputationOfARegion) {
  nn::Linear layer({.in = 3, .out = 2});
  const Tensor x = ones({4, 3});
  for (int step = 1; step <= 3; ++step) {
    const auto block = [layer, x](const Tensor& input) mutable {
      {
        EnableGrad guard;
        sum(layer(x)).backward();  // in the forward, and in its recomputation
      }
      return layer(tanh(input) * 0.0 + 1.0);
    };
    sum(checkpoint(block, x * sum(layer.bias))).backward();
    EXPECT_EQ(sum(layer.weight.grad()).item<float>(), 3 * 24 * step);
  }
}

TEST(Reentrant, BackwardInsideAHookIsSupported) {
  Tensor x = leaf(2);
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
}  // namespace minima::nested_backward_test
