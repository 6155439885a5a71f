#include "tests/autograd/checkpoint/checkpoint_support.h"

#include <minima/nn/containers/checkpoint_sequential.h>

#include <random>

namespace minima::test::checkpoint_test {
namespace {

TEST(Checkpoint, GradientsAreThoseOfThePlainCallBitwise) {
  const nn::Sequential net = blocks(3);
  const Tensor x = randn({8, 16});
  const auto plain = [&](const Tensor& input) { return nn::Sequential(net)(input); };
  const auto each = [&](const Tensor& input) {
    Tensor h = input;
    for (const nn::AnyModule& block : net) h = checkpoint(block, h);
    return h;
  };
  expect_equal(gradients(net, x, plain), gradients(net, x, each));
  const amp::Autocast guard(DeviceType::cpu);
  expect_equal(gradients(net, x, plain), gradients(net, x, each));
}

TEST(Checkpoint, RestoresAutocastThoughBackwardRunsOutside) {
  const nn::Sequential net = blocks(1);
  const Tensor x = randn({8, 16});
  const auto in_autocast = [&](bool wanted) {
    return gradients(net, x, [&](const Tensor& input) {
      const amp::Autocast guard(DeviceType::cpu);
      return wanted ? checkpoint(net[0], input) : net[0](input);
    });
  };
  expect_equal(in_autocast(false), in_autocast(true));
}

TEST(Checkpoint, KeepsNoActivations) {
  const nn::Sequential net = blocks(1);
  const Tensor x = randn({512, 16}).requires_grad(true);
  const std::int64_t before = allocated();
  const Tensor plain = net[0](x);
  const std::int64_t kept = allocated() - before;
  const Tensor y = checkpoint(net[0], x);
  EXPECT_LT(allocated() - before - kept, kept / 4);
}

TEST(Checkpoint, DrawsTheSameNumbersFromAnyGeneratorAndLeavesItAlone) {
  RandomGenerator own(3);
  const Tensor x = randn({1000}).requires_grad(true);
  const Tensor y = checkpoint([&](const Tensor& v) { return dropout(v, 0.5, true, &own) * v; }, x);
  const auto after = own.state();
  const auto default_before = default_generator().state();
  sum(y).backward();
  EXPECT_EQ(own.state().offset, after.offset);
  EXPECT_EQ(default_generator().state().offset, default_before.offset);
  // y = m x², so its gradient is 2 m x = 2 y / x.
  EXPECT_TRUE(allclose(x.grad(), 2.0 * y.detach() / x.detach(), {.rtol = 1e-5, .atol = 1e-6}));
}

TEST(Checkpoint, WithoutPreservedRandomNumbersDrawsNewOnes) {
  const Tensor x = ones({1000}).requires_grad(true);
  const auto f = [](const Tensor& v) { return dropout(v * v, 0.5) * v; };
  const Tensor y = checkpoint({.preserve_rng = false}, f, x);
  sum(y).backward();
  EXPECT_FALSE(allclose(x.grad(), 3.0 * y.detach()));
}

TEST(Checkpoint, StopsBeforeKernelsThatAreNotNeeded) {
  const nn::Sequential net = blocks(1);
  const Tensor x = randn({4, 16}).requires_grad(true);
  const Tensor y = checkpoint(net[0], x), all = checkpoint({.early_stop = false}, net[0], x);
  {
    const Calls calls;
    sum(y).backward();
    EXPECT_EQ(calls.count.at("linear"), 1);  // `up`; the output of `down` is not needed
    EXPECT_EQ(calls.count.at("gelu"), 1);
  }
  const Calls calls;
  sum(all).backward();
  EXPECT_EQ(calls.count.at("linear"), 2);
}

TEST(Checkpoint, RegionsNest) {
  const nn::Sequential net = blocks(4);
  const Tensor x = randn({8, 16});
  const auto half = [&](int from) {
    return [&, from](const Tensor& input) { return checkpoint(net[from + 1], checkpoint(net[from], input)); };
  };
  const auto nested = [&](const Tensor& input) { return checkpoint(half(2), checkpoint(half(0), input)); };
  expect_equal(gradients(net, x, [&](const Tensor& input) { return nn::Sequential(net)(input); }),
               gradients(net, x, nested));
}

TEST(Checkpoint, GradientsCanBeDifferentiated) {
  const auto f = [](const Tensor& v) { return tanh(v * v) * v; };
  const auto second = [&](bool wanted) {
    const Tensor x = tensor<double>({0.3, -1.2, 2.0}).requires_grad(true);
    const Tensor y = wanted ? checkpoint(f, x) : f(x);
    const Tensor slope = grad({sum(y)}, {x}, {}, {.create_graph = true})[0];
    return grad({sum(slope * slope)}, {x})[0];
  };
  EXPECT_TRUE(identical(second(false), second(true)));
}

TEST(Checkpoint, ServesSeveralBackwardsAndOnlyWhatIsAskedFor) {
  const Tensor x = randn({5}).requires_grad(true), w = randn({5}).requires_grad(true);
  const Tensor y = sum(checkpoint([&](const Tensor& v) { return exp(v) * tanh(w * v); }, x));
  const Tensor first = grad({y}, {x}, {}, {.retain_graph = true})[0];
  const Tensor other = grad({y}, {w}, {}, {.retain_graph = true})[0];
  EXPECT_TRUE(identical(first, grad({y}, {x}, {}, {.retain_graph = true})[0]));
  EXPECT_TRUE(identical(other, grad({y}, {w})[0]));
  EXPECT_THROW(grad({y}, {x}), AutogradError);
}

TEST(Checkpoint, LetsItsFunctionCallBackward) {
  const auto f = [](const Tensor& v) {
    const Tensor energy = sum(exp(v) * v);
    return grad({energy}, {v}, {}, {.create_graph = true})[0] * v;
  };
  const auto gradient = [&](bool wanted) {
    const Tensor x = tensor<double>({0.5, -0.25}).requires_grad(true);
    sum(wanted ? checkpoint(f, x) : f(x)).backward();
    return x.grad();
  };
  EXPECT_TRUE(identical(gradient(false), gradient(true)));
}

TEST(Checkpoint, RunsHooksOnce) {
  int calls = 0;
  const Tensor x = randn({3}).requires_grad(true);
  const Tensor y = checkpoint(
      [&](const Tensor& v) {
        const Tensor h = exp(v);
        register_hook(h, [&](const Tensor& g) {
          ++calls;
          return g * 2.0;
        });
        return h * h;
      },
      x);
  sum(y).backward();
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(allclose(x.grad(), 4.0 * exp(x.detach() * 2.0)));
}

TEST(Checkpoint, UpdatesRunningStatisticsOnce) {
  nn::BatchNorm2d plain({.features = 3}), norm({.features = 3});
  const Tensor x = randn({4, 3, 5, 5}).requires_grad(true);
  sum(square(plain(x))).backward();
  sum(checkpoint([&](const Tensor& v) { return square(norm(v)); }, x)).backward();
  EXPECT_TRUE(identical(plain.running_mean, norm.running_mean));
  EXPECT_TRUE(identical(plain.running_var, norm.running_var));
  EXPECT_EQ(norm.num_batches_tracked.item<int>(), 1);
}

TEST(Checkpoint, JustCallsWithoutGradients) {
  const NoGrad guard;
  const Tensor x = randn({3}).requires_grad(true);
  EXPECT_FALSE(checkpoint([](const Tensor& v) { return exp(v); }, x).requires_grad());
}

/// 1,000 steps in which the function throws at a random place, in the forward or when it is computed again.
TEST(Checkpoint, LeavesNothingBehindWhenItsFunctionThrows) {
  const nn::Sequential net = blocks(3);
  const Tensor x = randn({32, 16});
  std::mt19937 random(5);
  int countdown = 0, thrown = 0, finished = 0;
  const auto step = [&] {
    Tensor h = x;
    for (const nn::AnyModule& block : net)
      h = checkpoint(
          [&countdown, block](const Tensor& input) {
            const Tensor half = gelu(block(input));
            if (--countdown == 0) throw ValueError("on purpose");
            return half * half;
          },
          h);
    sum(h).backward();
  };
  countdown = 1000;
  step();
  net.zero_grad();
  const MemoryStats baseline = memory_stats();
  for (int i = 0; i < 1000; ++i) {
    countdown = static_cast<int>(random() % 9) + 1;  // the function is called six times per step
    try {
      step();
      ++finished;
    } catch (const ValueError&) {
      ++thrown;
    }
    net.zero_grad();
  }
  EXPECT_GT(thrown, 500);
  EXPECT_GT(finished, 200);
  const MemoryStats now = memory_stats();
  EXPECT_EQ(now.allocated, baseline.allocated);
  EXPECT_EQ(now.requested, baseline.requested);
}

}  // namespace
}  // namespace minima::test::checkpoint_test
