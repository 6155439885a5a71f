#include "tests/support/temporary_folder.h"

#include <minima/io/checkpoint/checkpoint.h>
#include <minima/io/files/atomic_file.h>
#include <minima/ops/creation/creation.h>
#include <minima/optim/elementwise/adam.h>
#include <minima/optim/schedules/plot.h>
#include <minima/optim/schedules/scheduler.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

namespace minima::optim::schedules_test {
namespace {

constexpr int steps = 1001, every = 7;

const State& fixture() {
  static const State state = load(MINIMA_FIXTURES "/schedules.safetensors");
  return state;
}

Tensor parameter() {
  Tensor x = zeros({1});
  x.requires_grad(true);
  return x;
}

/// Two groups with base rates 0.1 and 0.02.
struct Two {
  AdamW optimizer{{parameter()}, {.lr = 0.1}};
  Two() { optimizer.add_param_group({parameter()}, {.lr = 0.02}); }
};

void expect_row(const Tensor& expected, const AdamW& optimizer, int t, const std::string& name) {
  const auto lrs = expected[t / every].to_vector<double>();
  for (std::size_t g = 0; g < 2; ++g)
    ASSERT_NEAR(optimizer.lr(g), lrs[g], 1e-9 * (1e-3 + lrs[g])) << name << " group " << g << " at step " << t;
}

void expect_schedule(const std::string& name, const Schedule& schedule) {
  Two two;
  Scheduler scheduler(two.optimizer, schedule);
  const Tensor* momentum = fixture().find(name + ".momentum");
  for (int t = 0; t < steps; ++t) {
    if (t % every == 0) {
      expect_row(fixture().tensor(name + ".lr"), two.optimizer, t, name);
      const double expected = momentum ? (*momentum)[t / every][0].item<double>() : 0.9;
      ASSERT_NEAR(two.optimizer.momentum(), expected, 1e-12) << name << " at step " << t;
    }
    if (t + 1 < steps) scheduler.step();
  }
}

TEST(Schedules, FollowPyTorch) {
  using namespace schedules;
  expect_schedule("constant", constant(0.25, 40));
  expect_schedule("linear", linear(300, 0.2, 0.7));
  expect_schedule("step", schedules::step(90, 0.5));
  expect_schedule("multistep", multistep({50, 300, 700}, 0.3));
  expect_schedule("exponential", exponential(0.995));
  expect_schedule("polynomial", polynomial(800, 1.7));
  expect_schedule("cosine", cosine(400, 0.003));
  expect_schedule("cosine_restarts", cosine_restarts(60, 2, 0.001));
  expect_schedule("cosine_restarts_equal", cosine_restarts(130));
  expect_schedule("one_cycle", one_cycle({.max_lr = 0.5, .steps = steps}));
  expect_schedule("one_cycle_three",
                  one_cycle({.max_lr = 0.5, .steps = steps, .rising = 0.25, .linear = true, .three_phases = true}));
  expect_schedule("lambda", lambda([](std::int64_t t) { return 1 / (1 + 0.01 * static_cast<double>(t)); }));
  expect_schedule("chained", chained({constant(0.1, 20), exponential(0.99), schedules::step(100, 0.9)}));
  expect_schedule("sequential",
                  sequential({linear(100, 0.1), cosine(500, 0.001), constant(0.05, 1000000)}, {100, 600}));
}

TEST(Schedules, PlateauFollowsPyTorch) {
  const auto follow = [](const std::string& name, const PlateauOptions& options) {
    Two two;
    ReduceOnPlateau plateau(two.optimizer, options);
    for (int t = 0; t < steps; ++t) {
      const double metric = 1 + std::cos(t / 40.) * std::exp(-t / 300.) + 0.05 * std::sin(t * 1.7);
      plateau.step(metric);
      if (t % every == 0) expect_row(fixture().tensor(name + ".lr"), two.optimizer, t, name);
    }
  };
  follow("plateau", {.factor = 0.5, .patience = 8});
  follow("plateau_max", {.maximize = true,
                         .factor = 0.7,
                         .patience = 3,
                         .threshold = 0.01,
                         .relative = false,
                         .cooldown = 5,
                         .least = 1e-3});
}

/// How often the rate is reduced over these metrics.
int reductions(const std::vector<double>& metrics, const PlateauOptions& options) {
  Two two;
  ReduceOnPlateau plateau(two.optimizer, options);
  int count = 0;
  for (const double metric : metrics) count += plateau.step(metric);
  return count;
}

TEST(Schedules, PlateauTakesNegativeMetrics) {
  // Where PyTorch (2.15) never reduces: its bar for a negative best value is worse than that value.
  for (const double level : {1., -1., 0.})
    for (const bool maximize : {false, true})
      EXPECT_EQ(reductions(std::vector<double>(8, level), {.maximize = maximize, .patience = 2}), 2)
          << level << (maximize ? " maximized" : " minimized");
  std::vector<double> rising, falling;
  for (int i = 0; i < 8; ++i) {
    rising.push_back(-1 + 0.05 * i);
    falling.push_back(-1 - 0.2 * i);
  }
  EXPECT_EQ(reductions(rising, {.patience = 2, .threshold = 0.1}), 2);
  EXPECT_EQ(reductions(falling, {.patience = 2, .threshold = 0.1}), 0);
  EXPECT_EQ(reductions(falling, {.maximize = true, .patience = 2, .threshold = 0.1}), 2);
  EXPECT_EQ(reductions(std::vector<double>(8, NAN), {.patience = 2}), 2);
}

TEST(Schedules, WarmUpPrecedesAnySchedule) {
  const Schedule schedule = schedules::warmup(100, schedules::cosine(200, 0.1, true), 0.2);
  EXPECT_DOUBLE_EQ(schedule(0, 2), 0.4);
  EXPECT_DOUBLE_EQ(schedule(50, 2), 1.2);
  EXPECT_DOUBLE_EQ(schedule(100, 2), 2);
  EXPECT_NEAR(schedule(200, 2), 1.05, 1e-12);
  EXPECT_NEAR(schedule(5000, 2), 0.1, 1e-12);
}

TEST(Schedules, InverseSquareRootPeaksAfterItsWarmUp) {
  const Schedule schedule = schedules::inverse_sqrt(400);
  EXPECT_EQ(schedule(0), 0);
  EXPECT_DOUBLE_EQ(schedule(100), 0.25);
  EXPECT_DOUBLE_EQ(schedule(400), 1);
  EXPECT_DOUBLE_EQ(schedule(1600), 0.5);
}

TEST(Schedules, WarmUpStableDecayHasThreePhases) {
  const Schedule root = schedules::warmup_stable_decay(10, 80, 100, schedules::Decay::square_root, 0.1);
  EXPECT_DOUBLE_EQ(root(5), 0.5);
  EXPECT_DOUBLE_EQ(root(60), 1);
  EXPECT_DOUBLE_EQ(root(115), 0.1 + 0.9 * 0.5);
  EXPECT_NEAR(root(500), 0.1, 1e-12);
  EXPECT_DOUBLE_EQ(schedules::warmup_stable_decay(10, 80, 100, schedules::Decay::linear)(140), 0.5);
  EXPECT_DOUBLE_EQ(schedules::warmup_stable_decay(10, 80, 100, schedules::Decay::cosine)(140), 0.5);
}

TEST(Scheduler, ResumesFromItsState) {
  Two one, other;
  Scheduler scheduler(one.optimizer, schedules::exponential(0.9));
  for (int i = 0; i < 5; ++i) scheduler.step();
  Scheduler again(other.optimizer, schedules::exponential(0.9));
  other.optimizer.set_lr(7);
  again.load_state_dict(scheduler.state_dict());
  again.step();
  EXPECT_NEAR(other.optimizer.lr(0), 0.1 * std::pow(0.9, 6), 1e-15);
  EXPECT_NEAR(other.optimizer.lr(1), 0.02 * std::pow(0.9, 6), 1e-15);
}

TEST(Scheduler, DoesNotAdvanceAfterASkippedStep) {
  Two two;
  Scheduler scheduler(two.optimizer, schedules::exponential(0.5));
  scheduler.step(StepResult{ones({})});
  EXPECT_EQ(scheduler.steps(), 0);
  scheduler.step(StepResult{zeros({})});
  EXPECT_EQ(scheduler.steps(), 1);
  EXPECT_DOUBLE_EQ(two.optimizer.lr(), 0.05);
}

TEST(Scheduler, SchedulesTheMomentumOfOneCycle) {
  Two two;
  Scheduler scheduler(two.optimizer, schedules::one_cycle({.max_lr = 1, .steps = 100}));
  EXPECT_DOUBLE_EQ(two.optimizer.options().beta1, 0.95);
  EXPECT_NEAR(two.optimizer.lr(), 0.04, 1e-12);
  for (int t = 1; t < 100; ++t) scheduler.step();
  EXPECT_THROW(scheduler.step(), ValueError);
}

TEST(Schedules, RejectInvalidArguments) {
  EXPECT_THROW(schedules::cosine(0), ValueError);
  EXPECT_THROW(schedules::sequential({schedules::constant()}, {5}), ValueError);
  EXPECT_THROW(schedules::one_cycle({.max_lr = 1, .steps = 10, .rising = 1}), ValueError);
}

TEST(Schedules, ArePlotted) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "schedule.svg";
  plot(path, schedules::one_cycle({.max_lr = 1, .steps = 50}), {.steps = 50, .title = "One cycle"});
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_NE(text.str().find("<svg"), std::string::npos);
  EXPECT_NE(text.str().find("One cycle"), std::string::npos);
  EXPECT_NE(text.str().find("Momentum"), std::string::npos);
}

}  // namespace
}  // namespace minima::optim::schedules_test
