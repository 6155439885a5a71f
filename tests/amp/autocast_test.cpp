#include <minima/amp/autocast.h>
#include <minima/autograd/backward.h>
#include <minima/autograd/hooks.h>
#include <minima/nn/nn.h>
#include <minima/ops/autocast/cast_cache.h>
#include <minima/ops/ops.h>
#include <minima/optim/elementwise/sgd.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/memory/memory_snapshot.h>

#include <gtest/gtest.h>

#include <thread>

// What users rely on, and cases in which PyTorch had bugs; numbers in test names are those of its issues.

namespace minima::amp::autocast_test {
namespace {

constexpr DeviceType cpu = DeviceType::cpu;

Tensor weight(const Shape& shape = {4, 3}) { return randn(shape).requires_grad(true); }

std::size_t cached() { return detail::mode().autocast->cache ? detail::mode().autocast->cache->size() : 0; }

TEST(Autocast, ChoosesThePrecisionPerOperator) {
  const Tensor x = randn({2, 3}), w = weight();
  const Autocast guard(cpu);
  const Tensor y = linear(x, w);
  EXPECT_EQ(y.dtype(), bfloat16);
  EXPECT_EQ(relu(y).dtype(), bfloat16);
  EXPECT_EQ(softmax(y, 1).dtype(), float32);
  EXPECT_EQ(cross_entropy(y, tensor<std::int64_t>({0, 1})).dtype(), float32);
  EXPECT_EQ((y + x[0][0]).dtype(), bfloat16);  // a tensor of lower rank does not promote
  EXPECT_EQ((y + ones({4})).dtype(), float32);
  EXPECT_EQ(cat({y, ones({2, 1})}, 1).dtype(), float32);
}

TEST(Autocast, SupportsFloat16) {
  const Autocast guard(cpu, {.dtype = float16});
  EXPECT_EQ(matmul(ones({2, 2}), ones({2, 2})).dtype(), float16);
  EXPECT_EQ(autocast_dtype(cpu), float16);
  EXPECT_THROW(Autocast(cpu, {.dtype = float32}), DTypeError);
}

TEST(Autocast, DoesNotAffectOtherDevices) {
  const Autocast guard(DeviceType::cuda);
  EXPECT_EQ(matmul(ones({2, 2}), ones({2, 2})).dtype(), float32);
  EXPECT_FALSE(is_autocast_enabled(cpu));
  EXPECT_TRUE(is_autocast_enabled(DeviceType::cuda));
}

TEST(Autocast, DoesNotAffectFloat64AndIntegers) {
  const Autocast guard(cpu);
  EXPECT_EQ(matmul(ones({2, 2}, {.dtype = float64}), ones({2, 2}, {.dtype = float64})).dtype(), float64);
  EXPECT_EQ(sum(arange(4)).dtype(), int64);
}

TEST(Autocast, NestsAndEndsWithItsScope) {
  const Tensor a = ones({2, 2});
  {
    const Autocast outer(cpu);
    {
      const Autocast inner(cpu, {.enabled = false});
      EXPECT_EQ(matmul(a, a).dtype(), float32);
      const Autocast innermost(cpu, {.dtype = float16});
      EXPECT_EQ(matmul(a, a).dtype(), float16);
    }
    EXPECT_EQ(matmul(a, a).dtype(), bfloat16);
  }
  EXPECT_EQ(matmul(a, a).dtype(), float32);
}

TEST(Autocast, EndsWithAnException) {
  try {
    const Autocast guard(cpu);
    matmul(ones({2, 3}), ones({2, 3}));
    FAIL();
  } catch (const ShapeError&) {}
  EXPECT_FALSE(is_autocast_enabled(cpu));
  EXPECT_EQ(matmul(ones({2, 2}), ones({2, 2})).dtype(), float32);
}

TEST(Autocast, AppliesToOneThread) {
  const Autocast guard(cpu);
  DType there = bfloat16;
  std::thread([&] { there = matmul(ones({2, 2}), ones({2, 2})).dtype(); }).join();
  EXPECT_EQ(there, float32);
}

TEST(Autocast, GivesFloat32GradientsToFloat32Parameters) {
  const Tensor x = randn({8, 3}), w = weight();
  Tensor loss;
  {
    const Autocast guard(cpu);
    loss = mean(square(linear(x, w)));
  }
  loss.backward();
  ASSERT_EQ(w.grad().dtype(), float32);
  const Tensor plain = w.detach().requires_grad(true);
  mean(square(linear(x, plain))).backward();
  EXPECT_TRUE(allclose(w.grad(), plain.grad(), {0.03, 0.03}));
}

TEST(Autocast, BackwardIsTheSameInsideAndOutsideOfTheRegion) {
  const Tensor x = randn({8, 3}), w = weight(), v = w.detach().requires_grad(true);
  {
    const Autocast guard(cpu);
    sum(exp(linear(x, w))).backward();
  }
  Tensor loss;
  {
    const Autocast guard(cpu);
    loss = sum(exp(linear(x, v)));
  }
  loss.backward();
  EXPECT_TRUE(identical(w.grad(), v.grad()));
}

TEST(Autocast, DoubleBackwardWorksInside) {
  const Autocast guard(cpu);
  Tensor x = randn({3, 3}).requires_grad(true);
  const Tensor y = sum(square(matmul(x, x)));
  const Tensor dx = grad({y}, {x}, {}, {.create_graph = true})[0];
  EXPECT_EQ(dx.dtype(), float32);
  sum(square(dx)).backward();
  EXPECT_EQ(x.grad().dtype(), float32);
}

TEST(Autocast, InPlaceOperatorsKeepTheirDtype) {
  const Autocast guard(cpu);
  Tensor x = ones({3}), y = ones({3}, {.dtype = bfloat16});
  mul_(x, y);
  y += x;
  EXPECT_EQ(x.dtype(), float32);
  EXPECT_EQ(y.dtype(), bfloat16);
}

TEST(Autocast, BatchNormKeepsItsStatisticsInFloat32) {
  nn::BatchNorm2d norm({.features = 3});
  nn::Conv2d conv({.in = 2, .out = 3, .kernel = 3});
  const Autocast guard(cpu);
  const Tensor y = norm(conv(randn({4, 2, 6, 6})));
  EXPECT_EQ(y.dtype(), bfloat16);
  for (const auto& [name, buffer] : norm.named_buffers()) EXPECT_NE(buffer.dtype(), bfloat16) << name;
  sum(y).backward();
  for (const Tensor& parameter : norm.parameters()) EXPECT_EQ(parameter.grad().dtype(), float32);
}

TEST(Autocast, FusedCrossEntropyKeepsItsLossInFloat32) {
  const Tensor x = randn({6, 3}), w = weight(), target = randint(0, 4, {6});
  const Autocast guard(cpu);
  const Tensor loss = linear_cross_entropy(x, w, {}, target);
  EXPECT_EQ(loss.dtype(), float32);
  EXPECT_TRUE(allclose(loss, cross_entropy(linear(x, w), target), {0.02, 0.02}));
  loss.backward();
  EXPECT_EQ(w.grad().dtype(), float32);
}

TEST(Autocast, AttentionTakesInputsOfDifferentDtypes) {
  const Tensor q = randn({2, 5, 4}), k = randn({2, 5, 4}).to(bfloat16), v = randn({2, 5, 4});
  EXPECT_THROW(scaled_dot_product_attention(q, k, v), DTypeError);
  const Autocast guard(cpu);
  EXPECT_EQ(scaled_dot_product_attention(q, k, v).dtype(), bfloat16);
}

// --- the cache of cast weights ---

TEST(AutocastCache, ConvertsAWeightOnce) {
  const Tensor w = weight();
  const Autocast guard(cpu);
  linear(randn({2, 3}), w);
  linear(randn({2, 3}), w);
  EXPECT_EQ(cached(), 1u);
}

TEST(AutocastCache, KeepsOnlyFloat32LeavesThatRequireGrad) {
  const Tensor w = weight();
  const Autocast guard(cpu);
  linear(randn({2, 3}), randn({4, 3}));          // requires no gradient
  linear(randn({2, 3}), w * 2.0);                // computed
  linear(randn({2, 4}), t(w));                   // a view
  linear(randn({2, 3}), weight().to(bfloat16));  // a half type already
  EXPECT_EQ(cached(), 0u);
}

TEST(AutocastCache, ACastMadeUnderNoGradGivesGradientsLater_65766_112583_158232) {
  const Tensor x = randn({2, 3}), w = weight();
  const Autocast guard(cpu);
  {
    const NoGrad no_grad;
    linear(x, w);
  }
  sum(linear(x, w)).backward();
  ASSERT_TRUE(w.grad().defined());
}

TEST(AutocastCache, ACastMadeInInferenceModeGivesGradientsLater) {
  const Tensor x = randn({2, 3}), w = weight();
  const Autocast guard(cpu);
  {
    const Inference inference;
    linear(x, w);
  }
  sum(linear(x, w)).backward();
  ASSERT_TRUE(w.grad().defined());
}

TEST(AutocastCache, SeesAnOptimizerStepInsideOfTheRegion) {
  const Tensor x = ones({1, 3}), w = ones({1, 3}).requires_grad(true);
  optim::SGD optimizer({w}, {.lr = 1});
  const Autocast guard(cpu);
  const Tensor before = linear(x, w);
  before.backward(ones({1, 1}, {.dtype = bfloat16}));
  optimizer.step();
  EXPECT_EQ(before.item<float>(), 3);
  EXPECT_EQ(linear(x, w).item<float>(), 0);
}

TEST(AutocastCache, SeesNewDataInTheSameTensor) {
  const Tensor x = ones({1, 3}), w = ones({1, 3}).requires_grad(true);
  const Autocast guard(cpu);
  linear(x, w);
  w.set_data(full({1, 3}, 2));
  EXPECT_EQ(linear(x, w).item<float>(), 6);
}

TEST(AutocastCache, FollowsFreezingAndUnfreezing) {
  const Tensor x = ones({1, 3});
  Tensor w = ones({1, 3}).requires_grad(true);
  const Autocast guard(cpu);
  linear(x, w);
  w.requires_grad(false);
  EXPECT_FALSE(linear(x, w).requires_grad());
  w.requires_grad(true);
  sum(linear(x, w)).backward();
  EXPECT_TRUE(w.grad().defined());
}

TEST(AutocastCache, TwoStepsInOneRegionShareACastAndBothGiveGradients_141896) {
  const Tensor x = randn({2, 3}), w = weight();
  const Autocast guard(cpu);
  sum(linear(x, w)).backward();
  const Tensor once = clone(w.grad());
  sum(linear(x, w)).backward();
  EXPECT_TRUE(allclose(w.grad(), once * 2.0, {1e-3, 1e-3}));
}

TEST(AutocastCache, KeepsNothingFromOtherThreads_86136) {
  const Tensor x = randn({64, 64}), w = weight({64, 64});
  const auto step = [&] {
    Tensor loss;
    {
      const Autocast guard(cpu);
      loss = sum(linear(x, w));
    }
    std::thread([&] { loss.backward(); }).join();
    w.set_grad({});
  };
  step();
  const auto before = w.impl()->references.value();
  for (int i = 0; i < 3; ++i) step();
  EXPECT_EQ(w.impl()->references.value(), before);
}

TEST(AutocastCache, IsFreedAtTheEndOfTheOutermostRegion_anemoi134) {
  const Tensor x = randn({2, 3}), w = weight();
  const NoGrad no_grad;
  const auto before = w.impl()->references.value();
  {
    const Autocast outer(cpu);
    {
      const Autocast inner(cpu);
      linear(x, w);
    }
    EXPECT_EQ(cached(), 1u);
    EXPECT_GT(w.impl()->references.value(), before);
  }
  EXPECT_EQ(w.impl()->references.value(), before);
}

// --- gradients of cast weights ---

TEST(AutocastGradients, OfWeightsAreNotRoundedToTheLowerPrecision) {
  const Tensor x = ones({257, 1}), w = ones({1, 1}).requires_grad(true);  // bfloat16 has 256 and 258
  const auto backward = [&](int uses) {
    const Autocast guard(cpu);
    for (int i = 0; i < uses; ++i) linear(x, w).backward(ones({257, 1}, {.dtype = bfloat16}));
  };
  backward(1);
  EXPECT_EQ(w.grad().dtype(), float32);
  EXPECT_EQ(w.grad().item<float>(), 257) << "a fresh gradient";
  backward(2);
  EXPECT_EQ(w.grad().item<float>(), 3 * 257) << "added to it";
  w.zero_grad();
  backward(1);
  EXPECT_EQ(w.grad().item<float>(), 257) << "into the memory of the one before";
}

TEST(AutocastGradients, OfAWeightThatIsUsedTwiceAddUp) {
  const Tensor x = ones({257, 1}), w = ones({1, 1}).requires_grad(true);
  int calls = 0;
  register_post_accumulate_hook(w, [&](const Tensor&) { ++calls; });
  for (int step = 0; step < 2; ++step) {
    w.zero_grad();
    const Autocast guard(cpu);
    sum(linear(x, w).to(float32) + linear(x, w).to(float32) * 2.0).backward();
    EXPECT_EQ(w.grad().item<float>(), 3 * 257);
    EXPECT_EQ(calls, step + 1);
  }
}

TEST(AutocastGradients, OfOtherConversionsHaveTheirDtypes) {
  const Tensor x = ones({257, 1}), halves = ones({1, 1}, {.dtype = bfloat16}).requires_grad(true),
               doubles = ones({1, 1}, {.dtype = float64}).requires_grad(true);
  linear(x, halves.to(float32)).backward(ones({257, 1}));
  EXPECT_EQ(halves.grad().dtype(), bfloat16);
  linear(x.to(bfloat16), doubles.to(bfloat16)).backward(ones({257, 1}, {.dtype = bfloat16}));
  EXPECT_EQ(doubles.grad().dtype(), float64);
}

TEST(AutocastGradients, OfACastThatSomeoneWatchesHaveItsDtype) {
  const Tensor x = ones({257, 1}), w = ones({1, 1}).requires_grad(true);
  const Tensor narrow = w.to(bfloat16);
  DType seen = float64;
  register_hook(narrow, [&](const Tensor& g) {
    seen = g.dtype();
    return Tensor();
  });
  linear(x.to(bfloat16), narrow).backward(ones({257, 1}, {.dtype = bfloat16}));
  EXPECT_EQ(seen, bfloat16);
  EXPECT_EQ(w.grad().item<float>(), 256);
  const Tensor again = w.to(bfloat16), y = linear(x.to(bfloat16), again);
  EXPECT_EQ(grad({y}, {again}, {ones({257, 1}, {.dtype = bfloat16})})[0].dtype(), bfloat16);
}

TEST(AutocastCache, CanBeDisabled) {
  const Tensor w = weight();
  const Autocast guard(cpu, {.cache = false});
  linear(randn({2, 3}), w);
  EXPECT_EQ(cached(), 0u);
}

}  // namespace
}  // namespace minima::amp::autocast_test
