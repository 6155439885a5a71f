#include <gtest/gtest.h>
#include <torch/torch.h>

#include <functional>
#include <vector>

// Values are torch.optim's (PyTorch 2.11), from the same gradients.

namespace minima::optim_test {

using torch::Tensor;
using namespace torch::optim;

void expect_near(const Tensor& x, std::vector<double> expected, double tolerance = 2e-6) {
  ASSERT_EQ(x.numel(), static_cast<int64_t>(expected.size()));
  for (int64_t i = 0; i < x.numel(); ++i)
    EXPECT_NEAR(x[i].item<double>(), expected[static_cast<size_t>(i)], tolerance) << "element " << i;
}

struct Parameters {
  Tensor p = torch::tensor({1.0, -2.0, 3.0}).requires_grad_(), q = torch::tensor({0.5}).requires_grad_();

  /// The second group has a learning rate of its own.
  template <class Options>
  std::vector<OptimizerParamGroup> groups(Options options) const {
    return {OptimizerParamGroup({p}), OptimizerParamGroup({q}, std::make_unique<Options>(options.lr(0.01)))};
  }
  /// Three steps, before the last of which options of both groups change.
  template <class Options>
  void train(Optimizer& optimizer) {
    for (int i = 0; i < 3; ++i) {
      if (i == 2) {
        OptimizerOptions& first = optimizer.param_groups()[0].options();
        first.set_lr(first.get_lr() * 0.5);
        static_cast<Options&>(optimizer.param_groups()[1].options()).weight_decay(0.1);
      }
      p.mutable_grad() = torch::tensor({0.1, -0.2, 0.3}) * (i + 1);
      q.mutable_grad() = torch::tensor({1.0 - i});
      optimizer.step();
    }
  }
  template <class State>
  const State& state_of_p(Optimizer& optimizer) {
    return static_cast<const State&>(*optimizer.state().at(p.unsafeGetTensorImpl()));
  }
};

TEST(Optimizers, SGDFollowsOptionsThatChangeBetweenSteps) {
  Parameters x;
  const auto options = SGDOptions(0.1).momentum(0.9).dampening(0.5);
  SGD optimizer(x.groups(options), options);
  x.train<SGDOptions>(optimizer);
  expect_near(x.p, {0.9549500346183777, -1.9099000692367554, 2.8648500442504883});
  expect_near(x.q, {0.4776594936847687});
  expect_near(x.state_of_p<SGDParamState>(optimizer).momentum_buffer(), {0.320999980, -0.641999960, 0.963000059});
}

TEST(Optimizers, AdamFollowsOptionsThatChangeBetweenSteps) {
  Parameters x;
  const auto options = AdamOptions(0.1).betas({0.8, 0.95});
  Adam optimizer(x.groups(options), options);
  x.train<AdamOptions>(optimizer);
  expect_near(x.p, {0.7533742785453796, -1.7533742189407349, 2.7533743381500244});
  expect_near(x.q, {0.48523664474487305});
  const auto& state = x.state_of_p<AdamParamState>(optimizer);
  EXPECT_EQ(state.step(), 3);
  expect_near(state.exp_avg(), {0.104800008, -0.209600016, 0.314400017});
  expect_near(state.exp_avg_sq(), {0.006851251, 0.027405003, 0.061661255});
}

TEST(Optimizers, AdamWKeepsTheLargestSecondMoment) {
  Parameters x;
  const auto options = AdamWOptions(0.1).amsgrad(true);
  AdamW optimizer(x.groups(options), options);
  x.train<AdamWOptions>(optimizer);
  expect_near(x.p, {0.7532818913459778, -1.7507840394973755, 2.748286008834839});
  expect_near(x.q, {0.48357924818992615});
  expect_near(x.state_of_p<AdamWParamState>(optimizer).max_exp_avg_sq(), {0.00013994, 0.00055976, 0.00125946});
}

TEST(Optimizers, RMSpropHasAllStates) {
  Parameters x;
  const auto options = RMSpropOptions(0.1).momentum(0.9).centered(true);
  RMSprop optimizer(x.groups(options), options);
  x.train<RMSpropOptions>(optimizer);
  expect_near(x.p, {-3.0335865020751953, 2.033588171005249, -1.0335888862609863}, 2e-5);
  const auto& state = x.state_of_p<RMSpropParamState>(optimizer);
  expect_near(state.momentum_buffer(), {24.411285, -24.411293, 24.411297}, 1e-4);
  expect_near(state.grad_avg(), {0.0059601, -0.0119202, 0.0178803});
}

TEST(Optimizers, AdagradDecaysItsLearningRate) {
  Parameters x;
  const auto options = AdagradOptions(0.1).lr_decay(0.1).initial_accumulator_value(0.1);
  Adagrad optimizer(x.groups(options), options);
  x.train<AdagradOptions>(optimizer);
  expect_near(x.p, {0.8973881006240845, -1.8493841886520386, 2.825470209121704});
  expect_near(x.state_of_p<AdagradParamState>(optimizer).sum(), {0.24, 0.66, 1.36});
}

TEST(Optimizers, LBFGSTakesLibTorchsSteps) {
  Tensor x = torch::tensor({-1.2, 1.0}, torch::kFloat64).requires_grad_();
  LBFGS optimizer({x}, LBFGSOptions().max_iter(10).line_search_fn("strong_wolfe"));
  int calls = 0;
  const Tensor loss = optimizer.step([&] {
    ++calls;
    optimizer.zero_grad();
    Tensor y = 100 * (x[1] - x[0].square()).square() + (1 - x[0]).square();
    y.backward();
    return y;
  });
  EXPECT_NEAR(loss.item<double>(), 24.2, 1e-9);
  EXPECT_EQ(calls, 12);
  expect_near(x, {-0.6657084570888959, 0.41398308319536115}, 1e-9);
}

TEST(Optimizers, StatesThatTheProgramChangesAreUsed) {
  Tensor p = torch::ones({2}).requires_grad_();
  Adam optimizer({p}, AdamOptions(0.1));
  p.mutable_grad() = torch::ones({2});
  optimizer.step();
  auto& state = static_cast<AdamParamState&>(*optimizer.state().at(p.unsafeGetTensorImpl()));
  const Tensor after_one = p.detach().clone();
  state.step(0).exp_avg(torch::zeros({2})).exp_avg_sq().zero_();
  optimizer.step();  // the same as the first
  EXPECT_EQ(state.step(), 1);
  EXPECT_TRUE(torch::allclose(p, after_one - 0.1));
}

TEST(Optimizers, AParameterListedTwiceIsUpdatedTwice) {
  Tensor p = torch::ones({2}).requires_grad_();
  SGD optimizer({p, p}, SGDOptions(0.25));
  p.mutable_grad() = torch::ones({2});
  optimizer.step();
  expect_near(p, {0.5, 0.5});
}

TEST(Optimizers, GradientsThatTheProgramHoldsOutliveZeroGrad) {
  Tensor p = torch::ones({2}).requires_grad_();
  SGD optimizer({p}, SGDOptions(0.1));
  p.sum().backward();
  const Tensor held = p.grad();
  optimizer.zero_grad();
  EXPECT_FALSE(p.grad().defined());
  (p * 5).sum().backward();
  expect_near(held, {1, 1});
  optimizer.zero_grad(/*set_to_none=*/false);
  expect_near(p.grad(), {0, 0});
}

TEST(Optimizers, ClosuresAreRecordedUnderNoGrad) {
  Tensor p = torch::ones({2}).requires_grad_();
  Adagrad optimizer({p});
  optimizer.add_param_group(OptimizerParamGroup({torch::ones({1})}));
  torch::NoGradGuard no_grad;
  const Tensor loss = optimizer.step([&] {
    Tensor y = p.sum();
    y.backward();
    return y;
  });
  EXPECT_EQ(loss.item<float>(), 2);
  EXPECT_LT(p[0].item<float>(), 1);
}

TEST(Schedulers, PlateauReducesDownToItsMinimum) {
  Tensor p = torch::ones({1}).requires_grad_();
  SGD optimizer({p}, SGDOptions(1.0));
  ReduceLROnPlateauScheduler plateau(optimizer, ReduceLROnPlateauScheduler::max, 0.1, /*patience=*/1, 1e-4,
                                     ReduceLROnPlateauScheduler::rel, /*cooldown=*/0, {0.05});
  for (const float metric : {0.5f, 0.5f, 0.5f, 0.5f, 0.5f}) plateau.step(metric);
  EXPECT_NEAR(optimizer.param_groups()[0].options().get_lr(), 0.05, 1e-8);
}

}  // namespace minima::optim_test
