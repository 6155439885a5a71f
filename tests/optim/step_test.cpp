#include "tests/optim/optimizers.h"

#include <minima/autograd/mode.h>
#include <minima/ops/ops.h>
#include <minima/optim/gradient/clip.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

// Optimizer steps under changing dtypes, learning rates and non-finite gradients.

namespace minima::optim::step_test {
namespace {

Tensor parameter(std::initializer_list<float> values, DType dtype = float32) {
  Tensor x = tensor<float>(values).to(dtype).detach();
  return x.requires_grad(true);
}

void set_gradient(const Tensor& x, double value) { x.set_grad(full(x.shape(), value, {.dtype = x.dtype()})); }

double first(const Tensor& x) { return x.to_vector<double>()[0]; }

TEST(Step, FollowsAParameterThatChangedItsDtype) {
  const Tensor x = parameter({1, 2}), like = parameter({1, 2});
  AdamW optimizer({x}, {.lr = 0.01}), other({like}, {.lr = 0.01});
  for (int i = 0; i < 6; ++i) {
    if (i == 2) x.set_data(x.detach().to(bfloat16));  // as net.to(bfloat16) does
    if (i == 4) x.set_data(x.detach().to(float64));
    set_gradient(x, 0.5);
    set_gradient(like, 0.5);
    optimizer.step();
    other.step();
  }
  EXPECT_EQ(x.dtype(), float64);
  EXPECT_NEAR(first(x), first(like), 0.004);  // two steps were rounded to bfloat16 in between
  EXPECT_EQ(optimizer.state_dict().tensor("state.0.exp_avg").dtype(), float64);
  EXPECT_EQ(optimizer.state_dict().integer("state.0.step"), 6);
}

TEST(Step, CreatesAMasterThatTheStateLacks) {
  const Tensor x = parameter({1, 2}, bfloat16);
  SGD optimizer({x}, {.lr = 0.1, .momentum = 0.9});
  set_gradient(x, 1);
  optimizer.step();
  State state = optimizer.state_dict(), without;
  for (const auto& [name, tensor] : state.tensors())
    if (name.find("master") == std::string::npos) without.add(name, tensor);
  for (const auto& [name, text] : state.texts()) without.set_text(name, text);
  optimizer.load_state_dict(without);
  set_gradient(x, 1);
  optimizer.step();
  EXPECT_NEAR(first(optimizer.state_dict().tensor("state.0.master")), first(x), 0.004);
}

TEST(Step, UsesTheCurrentLearningRate) {
  const Tensor x = parameter({1}), y = parameter({1});
  SGD optimizer({x}, {.lr = 0.5});
  optimizer.add_param_group({y}, {.lr = 0.25});
  for (const double lr : {0.5, 0.125}) {
    optimizer.set_lr(lr, 0);
    optimizer.upload_lr();
    set_gradient(x, 1);
    set_gradient(y, 1);
    optimizer.step();
  }
  EXPECT_EQ(first(x), 1 - 0.5 - 0.125);
  EXPECT_EQ(first(y), 1 - 0.25 - 0.25);
}

TEST(Step, OfTwoOptimizersAreIndependent) {
  // Alternating updates, as in a GAN.
  const auto play = [](bool together) {
    const Tensor a = parameter({1, -1}), b = parameter({0.5f, 2});
    AdamW one({a}, {.lr = 0.02}), two({b}, {.lr = 0.05, .beta1 = 0.5});
    for (int i = 0; i < 20; ++i) {
      one.zero_grad();
      two.zero_grad();
      sum(a * b.detach()).backward();
      if (together) sum(b * a.detach()).backward();  // gradients of the other must not matter
      one.step();
      two.zero_grad();
      sum(b * a.detach() * -1.0).backward();
      two.step();
    }
    return cat({a.detach(), b.detach()});
  };
  EXPECT_TRUE(identical(play(false), play(true)));
}

TEST(Step, UnscalesGradients) {
  const Tensor x = parameter({1, 2, 3}), like = parameter({1, 2, 3});
  NAdam optimizer({x}), other({like});
  for (int i = 0; i < 3; ++i) {
    set_gradient(x, 0.25 * 1024);
    set_gradient(like, 0.25);
    const StepResult result =
        optimizer.step({.found_inf = zeros({}), .inverse_scale = full({}, 1.0 / 1024, {.dtype = float64})});
    EXPECT_FALSE(result.skipped());
    other.step();
  }
  EXPECT_TRUE(identical(x.detach(), like.detach()));
}

template <class Optimizer, class Options>
void expect_skip(const Options& options) {
  Tensor x = ones({3, 2}).requires_grad(true);
  Optimizer optimizer({x}, options);
  set_gradient(x, 1);
  optimizer.step();
  const Tensor before = clone(x.detach());
  const State state = optimizer.state_dict();
  set_gradient(x, INFINITY);
  EXPECT_TRUE(optimizer.step({.found_inf = ones({}), .inverse_scale = full({}, 0.5, {.dtype = float64})}).skipped());
  EXPECT_TRUE(identical(x.detach(), before));
  EXPECT_EQ(optimizer.state_dict().integer("state.0.step"), 1);
  for (const auto& [name, tensor] : state.tensors())
    EXPECT_TRUE(identical(tensor, optimizer.state_dict().tensor(name))) << name;
}

TEST(Step, IsSkippedIfAGradientIsNotFinite) {
  test::each_optimizer([]<class Optimizer, class Options>(const char* name, const Options& options) {
    SCOPED_TRACE(name);
    expect_skip<Optimizer>(options);
  });
}

TEST(SignSGD, MovesEveryElementByTheLearningRate) {
  const Tensor x = parameter({1, 1, 1, 1});
  SignSGD optimizer({x}, {.lr = 0.25, .weight_decay = 0.5});
  x.set_grad(tensor<float>({1e-30f, -7, 0, NAN}));
  optimizer.step();
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{0.625f, 1.125f, 0.875f, 0.875f}));  // 0.875 ∓ 0.25
}

TEST(SignSGD, EqualsLionWithoutMomentum) {
  const Tensor x = parameter({1, -2, 3}), like = parameter({1, -2, 3});
  SignSGD optimizer({x}, {.lr = 0.01, .weight_decay = 0.1, .maximize = true});
  Lion lion({like}, {.lr = 0.01, .beta1 = 0, .weight_decay = 0.1, .maximize = true});
  for (int i = 0; i < 5; ++i) {
    set_gradient(x, i - 2);
    set_gradient(like, i - 2);
    optimizer.step();
    lion.step();
  }
  EXPECT_TRUE(allclose(x.detach(), like.detach(), {1e-6, 0}));
}

TEST(NonFinite, SkipKeepsTheWeights) {
  const Tensor x = parameter({1, 2}), y = parameter({3});
  AdamW optimizer({x, y}, {.lr = 0.1});
  optimizer.on_non_finite(NonFinite::skip);
  set_gradient(x, 1);
  y.set_grad(tensor<float>({NAN}));
  EXPECT_TRUE(optimizer.step().skipped());
  EXPECT_EQ(first(x), 1);
  set_gradient(y, 1);
  EXPECT_FALSE(optimizer.step().skipped());
  EXPECT_LT(first(x), 1);
  EXPECT_EQ(optimizer.state_dict().integer("state.0.step"), 1);
}

TEST(NonFinite, RaiseNamesTheFirstParameter) {
  const Tensor x = parameter({1, 2}), y = parameter({3}), z = parameter({3});
  SGD optimizer({x, y, z});
  struct Named {
    std::string name;
    Tensor tensor;
  };
  optimizer.name_parameters(std::vector<Named>{{"encoder.weight", x}, {"encoder.bias", y}});
  optimizer.on_non_finite(NonFinite::raise);
  set_gradient(x, 1);
  y.set_grad(tensor<float>({INFINITY}));
  z.set_grad(tensor<float>({NAN}));
  try {
    optimizer.step();
    FAIL() << "an infinite gradient went through";
  } catch (const ValueError& error) {
    EXPECT_NE(std::string(error.what()).find("parameter 1 (encoder.bias)"), std::string::npos) << error.what();
  }
  EXPECT_EQ(first(x), 1);
}

TEST(NonFinite, AnomalyModeNamesTheOperator) {
  DetectAnomaly guard;
  const Tensor x = parameter({-1, 2});
  const Tensor loss = sum(sqrt(x));
  try {
    loss.backward();
    FAIL() << "the square root of -1 has a gradient";
  } catch (const AutogradError& error) {
    EXPECT_NE(std::string(error.what()).find("sqrt"), std::string::npos) << error.what();
  }
}

TEST(NonFinite, IgnoreIsTheDefault) {
  const Tensor x = parameter({1});
  SGD optimizer({x});
  set_gradient(x, NAN);
  EXPECT_FALSE(optimizer.step().skipped());
  EXPECT_TRUE(std::isnan(first(x)));
}

TEST(Clip, LimitsEachGroupByItsOwnNorm) {
  const Tensor x = parameter({1, 2}), y = parameter({3, 4});
  SGD optimizer({x}, {});
  optimizer.add_param_group({y}, {});
  x.set_grad(tensor<float>({3, 4}));
  y.set_grad(tensor<float>({0.3f, 0.4f}));
  const auto norms = clip_grad_norm_per_group_(optimizer, 1);
  EXPECT_NEAR(norms[0].item<double>(), 5, 1e-6);
  EXPECT_NEAR(norms[1].item<double>(), 0.5, 1e-6);
  EXPECT_NEAR(x.grad().to_vector<double>()[0], 0.6, 1e-6);
  EXPECT_NEAR(y.grad().to_vector<double>()[0], 0.3, 1e-6);
  EXPECT_NEAR(grad_norm({x, y}).item<double>(), std::sqrt(1.25), 1e-6);
}

TEST(Clip, PropagatesNanLikePyTorch) {
  const Tensor x = parameter({1, 2});
  x.set_grad(tensor<float>({NAN, 4}));
  EXPECT_TRUE(std::isnan(clip_grad_norm_({x}, 1).item<double>()));
  EXPECT_TRUE(std::isnan(x.grad().to_vector<double>()[1]));
}

/// Two parameters after three steps, clipped by the optimizer, or before its steps by clip_grad_norm_.
template <class Optimizer>
std::vector<double> clipped(bool by_optimizer, double scale) {
  const Tensor x = parameter({1, 2}), y = parameter({3});
  Optimizer optimizer({x}, {.lr = 0.1});
  optimizer.add_param_group({y}, {.lr = 0.2});
  if (by_optimizer) optimizer.max_grad_norm(1);
  for (int i = 1; i <= 3; ++i) {
    set_gradient(x, 0.4 * i * scale), set_gradient(y, 0.2 * i * scale);  // of norm 0.6, 1.2 and 1.8
    const ScaledStep scaled{.found_inf = {}, .inverse_scale = full({}, 1 / scale, {.dtype = float64})};
    if (by_optimizer) {
      const StepResult result = scale == 1 ? optimizer.step() : optimizer.step(scaled);
      EXPECT_NEAR(result.grad_norm.template item<double>(), 0.6 * i, 1e-6);
      if constexpr (std::is_same_v<Optimizer, SGD>) {
        EXPECT_NEAR(first(x.grad()), 0.4 * i * scale, 1e-4) << "unchanged";
      }
      continue;
    }
    set_gradient(x, 0.4 * i), set_gradient(y, 0.2 * i);
    clip_grad_norm_({x, y}, 1);
    EXPECT_FALSE(optimizer.step().grad_norm.defined());
  }
  std::vector<double> result = x.to_vector<double>();
  result.push_back(first(y));
  return result;
}

TEST(Clip, ByTheOptimizerIsThatBeforeItsStep) {
  for (const double scale : {1.0, 1024.0}) {
    const auto sgd = clipped<SGD>(true, scale), sgd_before = clipped<SGD>(false, scale);
    const auto lamb = clipped<Lamb>(true, scale), lamb_before = clipped<Lamb>(false, scale);
    for (std::size_t i = 0; i < sgd.size(); ++i) {
      EXPECT_NEAR(sgd[i], sgd_before[i], 1e-6) << "scale " << scale;
      EXPECT_NEAR(lamb[i], lamb_before[i], 1e-6) << "scale " << scale;
    }
    EXPECT_GT(std::abs(sgd[0] - 1), 0.05) << "it moved";
  }
}

TEST(Clip, ByTheOptimizerChecksTheNorm) {
  SGD optimizer({parameter({1})}, {});
  EXPECT_THROW(optimizer.max_grad_norm(-1), ValueError);
  EXPECT_THROW(optimizer.max_grad_norm(NAN), ValueError);
  EXPECT_FALSE(optimizer.step().grad_norm.defined()) << "no gradients";
}

/// torch.optim.ASGD computes η for the next step at the end of one.
TEST(Step, ASGDFollowsAScheduleOneStepLate) {
  const Tensor x = tensor<double>({2}).requires_grad(true);
  auto optimizer = std::make_unique<ASGD>(std::vector{x}, ASGDOptions{.lr = 0.1, .lambd = 0.01});
  double expected = 2, eta = 0.1;
  for (int step = 1; step <= 50; ++step) {
    const double lr = 0.1 * (0.5 + 0.5 * std::cos(step / 20.0));
    if (step == 1) eta = lr;
    optimizer->set_lr(lr);
    x.set_grad(x.detach() - 1);
    expected = expected * (1 - 0.01 * eta) - eta * (expected - 1);
    eta = lr / std::pow(1 + 0.01 * lr * step, 0.75);
    optimizer->step();
    ASSERT_NEAR(first(x), expected, 1e-13) << step;
    if (step != 25) continue;
    const State state = optimizer->state_dict();
    optimizer = std::make_unique<ASGD>(std::vector{x}, ASGDOptions());
    optimizer->load_state_dict(state);
  }
}

}  // namespace
}  // namespace minima::optim::step_test
