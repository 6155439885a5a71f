#include "tests/support/device.h"

#include <minima/autograd/mode.h>
#include <minima/io/checkpoint/checkpoint.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/ops.h>
#include <minima/optim/elementwise/adadelta.h>
#include <minima/optim/elementwise/adagrad.h>
#include <minima/optim/elementwise/adam.h>
#include <minima/optim/elementwise/adamax.h>
#include <minima/optim/elementwise/asgd.h>
#include <minima/optim/elementwise/lion.h>
#include <minima/optim/elementwise/nadam.h>
#include <minima/optim/elementwise/radam.h>
#include <minima/optim/elementwise/rmsprop.h>
#include <minima/optim/elementwise/rprop.h>
#include <minima/optim/elementwise/sgd.h>
#include <minima/optim/structured/adafactor.h>
#include <minima/optim/structured/lamb.h>
#include <minima/optim/structured/lbfgs.h>
#include <minima/optim/structured/muon.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

// The 1,001 steps of tests/fixtures/generate_optim_long.py, with a group added, a parameter frozen and the state
// reloaded on the way.

namespace minima::optim::trajectory_test {
namespace {

constexpr int period = 16, joins = 300;
const Device device = test::test_device();
/// Fewer steps on a GPU, which may be simulated.
const int steps = test::runs_cuda_kernels() ? joins + 101 : 1001;

const State& fixture() {
  static const State state = load(MINIMA_FIXTURES "/optim_long.safetensors");
  return state;
}

/// The problem that the fixture's script optimizes; `part` is "" or "matrices.".
class Problem {
 public:
  explicit Problem(const std::string& part) {
    for (int i = 0; i < 3; ++i) {
      const Tensor start = fixture().tensor(str(part, "start.", i));
      parameters.push_back((device.is_cpu() ? clone(start) : start.to(device)).requires_grad(true));
      targets_.push_back(fixture().tensor(str(part, "target.", i)));
      noise_.push_back(fixture().tensor(str(part, "noise.", i)));
    }
  }
  void set_gradients(int step) {
    NoGrad guard;
    for (std::size_t i = 0; i < 3; ++i) {
      const bool frozen = i == 1 && step >= 400 && step < 410;
      parameters[i].requires_grad(!frozen);
      if (frozen || (i == 1 && step >= 20 && step < 30)) parameters[i].set_grad({});
      else
        parameters[i].set_grad(((parameters[i].to(Device::cpu()) - targets_[i]) * 0.5 +
                                noise_[i][step % period] * (1 + std::sin(step / 7.0)))
                                   .to(device));
    }
  }
  std::vector<Tensor> parameters;

 private:
  std::vector<Tensor> targets_, noise_;
};

/// Half-way, saves the state and resumes with a new optimizer.
template <class Optimizer, class Options>
void expect_trajectory(const std::string& variant, Options options, const std::string& part = "") {
  Problem problem(part);
  auto& parameters = problem.parameters;
  auto optimizer = std::make_unique<Optimizer>(std::vector{parameters[0], parameters[1]}, options);
  Options half = options;
  half.lr /= 2;
  for (int step = 0; step < steps; ++step) {
    if (step == joins) optimizer->add_param_group({parameters[2]}, half);
    if (step == 512) {
      const State state = optimizer->state_dict();
      optimizer = std::make_unique<Optimizer>(std::vector{parameters[0], parameters[1]}, Options());
      optimizer->add_param_group({parameters[2]}, Options());
      optimizer->load_state_dict(state);
    }
    problem.set_gradients(step);
    if (step < joins) parameters[2].set_grad({});
    optimizer->step();
    if (step % 100 != 0) continue;
    for (std::size_t i = 0; i < 3; ++i) {
      const Closeness close = allclose(parameters[i].detach().to(Device::cpu()),
                                       fixture().tensor(str(variant, ".", i))[step / 100], {1e-9, 1e-9});
      ASSERT_TRUE(close) << variant << " parameter " << i << " after step " << step << ": " << close.message;
    }
  }
}

TEST(Trajectory, SgdAndAdam) {
  expect_trajectory<SGD>("sgd_momentum", SGDOptions{.lr = 0.01, .momentum = 0.9, .weight_decay = 0.01});
  expect_trajectory<Adam>("adam", AdamOptions{.lr = 0.01, .weight_decay = 0.01});
  expect_trajectory<AdamW>("adamw", AdamWOptions{.lr = 0.01, .amsgrad = true});
}

TEST(Trajectory, Adamax) {
  expect_trajectory<Adamax>("adamax", AdamaxOptions{.lr = 0.01});
  expect_trajectory<Adamax>("adamax_decay",
                            AdamaxOptions{.lr = 0.02, .beta1 = 0.8, .beta2 = 0.99, .weight_decay = 0.05});
  expect_trajectory<Adamax>("adamax_maximize", AdamaxOptions{.lr = 0.001, .maximize = true});
}

TEST(Trajectory, NAdam) {
  expect_trajectory<NAdam>("nadam", NAdamOptions{.lr = 0.005});
  expect_trajectory<NAdam>("nadam_decay", NAdamOptions{.lr = 0.005, .weight_decay = 0.05, .momentum_decay = 0.01});
  expect_trajectory<NAdam>("nadam_decoupled",
                           NAdamOptions{.lr = 0.005, .weight_decay = 0.05, .decoupled_weight_decay = true});
}

TEST(Trajectory, RAdam) {
  expect_trajectory<RAdam>("radam", RAdamOptions{.lr = 0.01});
  expect_trajectory<RAdam>("radam_decay", RAdamOptions{.lr = 0.01, .beta1 = 0.8, .beta2 = 0.95, .weight_decay = 0.05});
  expect_trajectory<RAdam>("radam_decoupled",
                           RAdamOptions{.lr = 0.01, .weight_decay = 0.05, .decoupled_weight_decay = true});
}

TEST(Trajectory, Adagrad) {
  expect_trajectory<Adagrad>("adagrad", AdagradOptions{.lr = 0.1});
  expect_trajectory<Adagrad>(
      "adagrad_decay",
      AdagradOptions{.lr = 0.1, .lr_decay = 0.01, .weight_decay = 0.05, .initial_accumulator_value = 0.2});
}

TEST(Trajectory, Adadelta) {
  expect_trajectory<Adadelta>("adadelta", AdadeltaOptions{});
  expect_trajectory<Adadelta>("adadelta_decay", AdadeltaOptions{.lr = 0.5, .rho = 0.8, .weight_decay = 0.05});
}

TEST(Trajectory, RMSprop) {
  expect_trajectory<RMSprop>("rmsprop", RMSpropOptions{.lr = 0.005});
  expect_trajectory<RMSprop>("rmsprop_momentum", RMSpropOptions{.lr = 0.002, .weight_decay = 0.05, .momentum = 0.9});
  expect_trajectory<RMSprop>("rmsprop_centered", RMSpropOptions{.lr = 0.005, .alpha = 0.95, .centered = true});
  expect_trajectory<RMSprop>("rmsprop_both", RMSpropOptions{.lr = 0.002, .momentum = 0.8, .centered = true});
}

TEST(Trajectory, Rprop) {
  expect_trajectory<Rprop>("rprop", RpropOptions{.lr = 0.01});
  expect_trajectory<Rprop>(
      "rprop_etas",
      RpropOptions{.lr = 0.01, .eta_minus = 0.4, .eta_plus = 1.3, .smallest_step = 1e-4, .largest_step = 0.5});
}

TEST(Trajectory, ASGD) {
  expect_trajectory<ASGD>("asgd", ASGDOptions{.lr = 0.05});
  expect_trajectory<ASGD>("asgd_averaged",
                          ASGDOptions{.lr = 0.05, .lambd = 0.02, .alpha = 0.6, .t0 = 100, .weight_decay = 0.05});
}

TEST(Trajectory, Lion) {
  expect_trajectory<Lion>("lion", LionOptions{.lr = 0.002});
  expect_trajectory<Lion>("lion_decay", LionOptions{.lr = 0.002, .beta1 = 0.95, .beta2 = 0.98, .weight_decay = 0.1});
}

TEST(Trajectory, Lamb) {
  expect_trajectory<Lamb>("lamb", LambOptions{.lr = 0.002});
  expect_trajectory<Lamb>("lamb_decay", LambOptions{.lr = 0.002, .weight_decay = 0.1});
}

TEST(Trajectory, Adafactor) {
  expect_trajectory<Adafactor>("adafactor", AdafactorOptions{.lr = 0.01});
  expect_trajectory<Adafactor>("adafactor_decay",
                               AdafactorOptions{.lr = 0.02, .beta2_decay = -0.7, .d = 1.5, .weight_decay = 0.05});
}

TEST(Trajectory, Muon) {
  expect_trajectory<Muon>("muon", MuonOptions{.lr = 0.005, .products = float64}, "matrices.");
  expect_trajectory<Muon>(
      "muon_plain",
      MuonOptions{
          .lr = 0.005, .momentum = 0.9, .nesterov = false, .scale = MuonScale::match_rms_adamw, .products = float64},
      "matrices.");
}

/// Rosenbrock's function of eight variables; a new optimizer resumes from the state after five steps.
void expect_lbfgs(const std::string& variant, const LBFGSOptions& options) {
  Tensor x = linspace(-1, 1, 8, {.dtype = float64}).to(device).requires_grad(true);
  auto optimizer = std::make_unique<LBFGS>(std::vector{x}, options);
  const auto closure = [&] {
    optimizer->zero_grad();
    const Tensor before = slice(x, 0, 0, -1), after = slice(x, 0, 1);
    const Tensor loss = sum(square(after - square(before)) * 100 + square(1 - before));
    loss.backward();
    return loss;
  };
  int row = 0;
  for (int step = 0; step < (test::runs_cuda_kernels() ? 101 : steps); ++step) {
    if (step == 5) {
      const State state = optimizer->state_dict();
      optimizer = std::make_unique<LBFGS>(std::vector{x});
      optimizer->load_state_dict(state);
    }
    const Tensor loss = optimizer->step(closure);
    if (step >= 8 && step % 100 != 0) continue;
    const Closeness close = allclose(x.detach().to(Device::cpu()), fixture().tensor(variant + ".x")[row], {1e-6, 1e-6});
    ASSERT_TRUE(close) << variant << " after step " << step << ": " << close.message;
    const double expected = fixture().tensor(variant + ".loss")[row].item<double>();
    EXPECT_NEAR(loss.item<double>(), expected, 1e-6 * expected + 1e-8) << variant << " step " << step;
    ++row;
  }
}

TEST(Trajectory, Lbfgs) {
  expect_lbfgs("lbfgs", {.lr = 0.3, .max_iterations = 3, .history = 5});
  expect_lbfgs("lbfgs_wolfe", {.max_iterations = 4, .history = 10, .line_search = LineSearch::strong_wolfe});
  expect_lbfgs("lbfgs_short", {.lr = 0.5, .max_iterations = 2, .history = 2, .line_search = LineSearch::strong_wolfe});
}

/// Minimises f from x with a strong Wolfe line search; returns the place.
template <class F>
double minimum_of(const F& f, double from) {
  const Tensor x = full({1}, from, {.dtype = float64}).requires_grad(true);
  LBFGS optimizer({x}, {.max_iterations = 50, .line_search = LineSearch::strong_wolfe});
  const auto closure = [&] {
    optimizer.zero_grad();
    const Tensor loss = f(x);
    loss.backward();
    return sum(loss);
  };
  for (int step = 0; step < 20; ++step) optimizer.step(closure);
  return x.item<double>();
}

TEST(Lbfgs, StrongWolfeStepsAroundNaN) {
  EXPECT_NEAR(minimum_of([](const Tensor& x) { return sum(x - 3 * log(x)); }, 20), 3, 1e-4);
  // x² + 50·x - 0.01·log x: 2·x² + 50·x = 0.01.
  const double place = (-50 + std::sqrt(2500.08)) / 4;
  EXPECT_NEAR(minimum_of([](const Tensor& x) { return sum(square(x) + 50 * x - 0.01 * log(x)); }, 1), place, 1e-4);
  EXPECT_NEAR(minimum_of([](const Tensor& x) { return sum(exp(x * 40) - x); }, -15), std::log(1 / 40.) / 40, 1e-4)
      << "overflow";
  EXPECT_NEAR(minimum_of([](const Tensor& x) { return sum(2 * x - sqrt(x)); }, 9), 1. / 16, 1e-4)
      << "an infinite slope at 0, NaN below";
}

TEST(Lbfgs, KeepsParametersWhereThereIsNoDirection) {
  for (const LineSearch search : {LineSearch::none, LineSearch::strong_wolfe}) {
    const Tensor x = full({2}, -1.).requires_grad(true);
    LBFGS optimizer({x}, {.line_search = search});
    const Tensor loss = optimizer.step([&] {
      optimizer.zero_grad();
      const Tensor value = sum(sqrt(x));
      value.backward();
      return value;
    });
    EXPECT_TRUE(std::isnan(loss.item<double>()));
    EXPECT_EQ(x.to_vector<float>(), std::vector<float>(2, -1));
  }
}

TEST(Lbfgs, RejectsStepsWithoutClosureAndHalfTypes) {
  Tensor x = zeros({2}).requires_grad(true);
  LBFGS optimizer({x});
  EXPECT_THROW(static_cast<Optimizer&>(optimizer).step(), ValueError);
  EXPECT_THROW(LBFGS({zeros({2}, {.dtype = bfloat16}).requires_grad(true)}), DTypeError);
  EXPECT_THROW(Muon({zeros({2}).requires_grad(true)}), ShapeError);
}

}  // namespace
}  // namespace minima::optim::trajectory_test
