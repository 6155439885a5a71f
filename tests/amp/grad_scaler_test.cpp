#include <minima/amp/grad_scaler.h>
#include <minima/amp/autocast.h>
#include <minima/autograd/mode.h>
#include <minima/io/checkpoint/checkpoint.h>
#include <minima/ops/ops.h>
#include <minima/optim/elementwise/adam.h>
#include <minima/optim/elementwise/sgd.h>
#include <minima/optim/gradient/accumulation.h>
#include <minima/optim/gradient/clip.h>
#include <minima/optim/structured/lbfgs.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace minima::amp::grad_scaler_test {
namespace {

/// The steps of tests/fixtures/generate_scaler.py.
void follow(const std::string& name, const GradScalerOptions& options) {
  const State fixture = load(MINIMA_FIXTURES "/scaler.safetensors");
  const Tensor weight = fixture.tensor("weight"), expected = fixture.tensor(name);
  Tensor a = clone(fixture.tensor("start.0")).requires_grad(true),
         b = clone(fixture.tensor("start.1")).requires_grad(true);
  optim::SGD one({a}, {.lr = 0.1, .momentum = 0.9});
  optim::Adam two({b}, {.lr = 0.05});
  GradScaler scaler(options);
  const std::set<int> bad_first{3, 4, 17, 40}, bad_second{9, 17, 33};
  for (int step = 0; step < 60; ++step) {
    one.zero_grad();
    two.zero_grad();
    for (int part = 0; part < (step >= 10 && step < 20 ? 2 : 1); ++part)
      scaler.scale(sum(a * a * weight[step]) + sum(b * b) * (0.25 * (part + 1))).backward();
    {
      NoGrad guard;
      if (bad_first.contains(step)) fill_(a.grad()[1], INFINITY);
      if (bad_second.contains(step)) fill_(b.grad()[2], NAN);
    }
    if (step % 3 == 0) {
      scaler.unscale(one);
      optim::clip_grad_norm_({a}, 1);
    }
    const bool skipped_first = scaler.step(one).skipped(), skipped_second = scaler.step(two).skipped();
    scaler.update();

    const auto row = expected[step].to_vector<double>();
    ASSERT_EQ(scaler.get_scale(), row[0]) << name << " step " << step;
    ASSERT_EQ(scaler.growth_tracker(), row[1]) << name << " step " << step;
    ASSERT_EQ(skipped_first, row[2] != 0) << name << " step " << step;
    ASSERT_EQ(skipped_second, row[3] != 0) << name << " step " << step;
    const Closeness close = allclose(cat({a.detach(), b.detach()}), slice(expected[step], 0, 4), {1e-5, 1e-6});
    ASSERT_TRUE(close) << name << " step " << step << ": " << close.message;
  }
}

TEST(GradScaler, FollowsPyTorchsTraces) {
  follow("usual", {.init_scale = 1024, .growth_interval = 4});
  follow("steep", {.init_scale = std::ldexp(1, 120), .growth_factor = 4, .backoff_factor = 0.25, .growth_interval = 2});
}

struct Problem {
  Tensor x = ones({3}).requires_grad(true);
  optim::SGD optimizer{{x}, {.lr = 0.5}};
  void backward(GradScaler& scaler) {
    optimizer.zero_grad();
    scaler.scale(sum(x)).backward();
  }
  void make_infinite() const {
    NoGrad guard;
    fill_(x.grad()[0], INFINITY);
  }
};

TEST(GradScaler, HasPyTorchsDefaults) {
  const GradScaler scaler;
  EXPECT_EQ(scaler.get_scale(), 65536);
  EXPECT_EQ(scaler.options().growth_factor, 2);
  EXPECT_EQ(scaler.options().backoff_factor, 0.5);
  EXPECT_EQ(scaler.options().growth_interval, 2000);
}

TEST(GradScaler, RejectsASecondUnscale) {
  Problem p;
  GradScaler scaler;
  p.backward(scaler);
  scaler.unscale(p.optimizer);
  EXPECT_THROW(scaler.unscale(p.optimizer), ValueError);
}

TEST(GradScaler, RejectsUnscaleAndStepAfterAStep) {
  Problem p;
  GradScaler scaler;
  p.backward(scaler);
  scaler.step(p.optimizer);
  EXPECT_THROW(scaler.unscale(p.optimizer), ValueError);
  EXPECT_THROW(scaler.step(p.optimizer), ValueError);
  scaler.update();
  p.backward(scaler);
  EXPECT_NO_THROW(scaler.unscale(p.optimizer));
}

TEST(GradScaler, RejectsAnUpdateWithoutACheckAndAStepWithoutGradients) {
  Problem p;
  GradScaler scaler;
  EXPECT_THROW(scaler.update(), ValueError);
  EXPECT_THROW(scaler.step(p.optimizer), ValueError);
}

TEST(GradScaler, RejectsUnscalingFloat16Gradients) {
  Tensor x = ones({2}, {.dtype = float16}).requires_grad(true);
  optim::SGD optimizer({x}, {.lr = 1});
  GradScaler scaler({.init_scale = 8});
  scaler.scale(sum(x)).backward();
  EXPECT_THROW(scaler.unscale(optimizer), ValueError);
  // step() computes in float32, so it is allowed.
  EXPECT_FALSE(scaler.step(optimizer).skipped());
  EXPECT_EQ(x.to_vector<float>()[0], 0);
}

TEST(GradScaler, UpdatesAfterAStepThatTheUserSkipped_LVSM19) {
  Problem p;
  GradScaler scaler;
  p.backward(scaler);
  p.make_infinite();
  scaler.unscale(p.optimizer);
  scaler.update();
  EXPECT_EQ(scaler.get_scale(), 32768);
}

TEST(GradScaler, ReportsWhetherAStepWasSkipped_67590) {
  Problem p;
  GradScaler scaler;
  p.backward(scaler);
  EXPECT_FALSE(scaler.step(p.optimizer).skipped());
  scaler.update();
  p.backward(scaler);
  p.make_infinite();
  const optim::StepResult result = scaler.step(p.optimizer);
  scaler.update();
  EXPECT_TRUE(result.skipped());  // still known after the update
  EXPECT_EQ(p.x.to_vector<float>()[1], 0.5f);
}

TEST(GradScaler, NeverGrowsToInfinity) {
  Problem p;
  GradScaler scaler({.init_scale = std::ldexp(1, 126), .growth_factor = 16, .growth_interval = 1});
  p.backward(scaler);
  scaler.step(p.optimizer);
  scaler.update();
  EXPECT_EQ(scaler.get_scale(), std::ldexp(1, 126));
}

TEST(GradScaler, NeverShrinksToZero) {
  Problem p;
  GradScaler scaler({.init_scale = 1e-37});
  for (int i = 0; i < 200; ++i) {
    p.backward(scaler);
    p.make_infinite();
    scaler.step(p.optimizer);
    scaler.update();
  }
  EXPECT_GT(scaler.get_scale(), 0);
  p.backward(scaler);
  EXPECT_FALSE(scaler.step(p.optimizer).skipped());
}

TEST(GradScaler, SavesAndRestores) {
  Problem p;
  GradScaler scaler({.init_scale = 256, .growth_interval = 10});
  for (int i = 0; i < 3; ++i) {
    p.backward(scaler);
    scaler.step(p.optimizer);
    scaler.update();
  }
  GradScaler other;
  other.load_state_dict(scaler.state_dict());
  EXPECT_EQ(other.get_scale(), 256);
  EXPECT_EQ(other.growth_tracker(), 3);
  EXPECT_EQ(other.options().growth_interval, 10);
  EXPECT_THROW(other.load_state_dict(State()), ValueError);
}

TEST(GradScaler, PassesThroughWhenDisabled) {
  Problem p;
  GradScaler scaler({.enabled = false});
  const Tensor loss = sum(p.x);
  EXPECT_TRUE(scaler.scale(loss).is_same(loss));
  p.backward(scaler);
  scaler.unscale(p.optimizer);
  EXPECT_FALSE(scaler.step(p.optimizer).skipped());
  scaler.update();
  EXPECT_EQ(p.x.to_vector<float>()[0], 0.5f);
  EXPECT_EQ(scaler.get_scale(), 1);
}

TEST(GradScaler, AcceptsAScale) {
  GradScaler scaler;
  scaler.update(128);
  EXPECT_EQ(scaler.get_scale(), 128);
  Problem p;
  p.backward(scaler);
  EXPECT_EQ(p.x.grad().to_vector<float>()[0], 128);
  EXPECT_THROW(scaler.update(0), ValueError);
  EXPECT_THROW(scaler.update(INFINITY), ValueError);
  EXPECT_THROW(GradScaler({.backoff_factor = 1}), ValueError);
}

TEST(GradScaler, KeepsSmallGradientsInFloat16) {
  // A gradient of 1e-8 is zero in float16 unless it is scaled.
  const auto gradient = [](double scale) {
    Tensor w = ones({1, 1}).requires_grad(true);
    GradScaler scaler({.init_scale = scale});
    optim::SGD optimizer({w}, {.lr = 1});
    const Autocast guard(DeviceType::cpu, {.dtype = float16});
    scaler.scale(sum(linear(ones({1, 1}), w)) * 1e-8).backward();
    scaler.unscale(optimizer);
    return w.grad().item<double>();
  };
  EXPECT_EQ(gradient(1), 0);
  EXPECT_NEAR(gradient(65536), 1e-8, 1e-10);
}

TEST(GradScaler, ClipsAfterUnscaling) {
  Problem p;
  GradScaler scaler;
  p.backward(scaler);
  scaler.unscale(p.optimizer);
  const Tensor norm = optim::clip_grad_norm_({p.x}, 0.5);
  EXPECT_NEAR(norm.item<double>(), std::sqrt(3), 1e-6);
  EXPECT_NEAR(optim::grad_norm({p.x}).item<double>(), 0.5, 1e-5);
}

TEST(GradScaler, RejectsOptimizersWithClosures) {
  Tensor x = ones({2}).requires_grad(true);
  optim::LBFGS optimizer({x});
  GradScaler scaler;
  scaler.scale(sum(x * x)).backward();
  EXPECT_THROW(scaler.step(optimizer), ValueError);
}

TEST(GradScaler, StepsOnAnAccumulationOfCounts) {
  for (const bool unscale : {false, true}) {
    Tensor w = tensor<float>({2, 3}).requires_grad(true);
    optim::SGD optimizer({w}, {.lr = 1});
    GradScaler scaler({.init_scale = 1024});
    optim::Accumulation accumulation(2);
    for (const double factor : {1.0, 7.0})
      scaler.scale(accumulation.part(sum(w) * Scalar(factor), static_cast<std::int64_t>(factor))).backward();
    if (unscale) scaler.unscale(optimizer);
    EXPECT_FALSE(scaler.step(optimizer, accumulation.scaled_step()).skipped());
    scaler.update();
    EXPECT_EQ(w.to_vector<float>(), (std::vector<float>{1, 2}));
    // A step without targets says nothing about the scale.
    optimizer.zero_grad();
    for (int part = 0; part < 2; ++part) scaler.scale(accumulation.part(sum(w) * 0, 0)).backward();
    EXPECT_TRUE(scaler.step(optimizer, accumulation.scaled_step()).skipped());
    scaler.update();
    EXPECT_EQ(scaler.get_scale(), 1024);
    EXPECT_EQ(w.to_vector<float>(), (std::vector<float>{1, 2}));
  }
}

}  // namespace
}  // namespace minima::amp::grad_scaler_test
