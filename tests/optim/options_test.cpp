#include "tests/optim/optimizers.h"
#include "tests/support/options.h"

#include <minima/ops/creation/creation.h>
#include <minima/optim/averaging/averaging.h>
#include <minima/optim/gradient/accumulation.h>
#include <minima/optim/gradient/clip.h>
#include <minima/optim/gradient/spike_detector.h>
#include <minima/optim/schedules/plot.h>
#include <minima/optim/schedules/schedule.h>
#include <minima/optim/schedules/scheduler.h>
#include <minima/optim/structured/lbfgs.h>
#include <minima/optim/structured/muon.h>

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

namespace minima::optim::options_test {
namespace {

using i64 = std::int64_t;
using test::OptionRow;

std::vector<Tensor> parameters() {
  const Tensor x = ones({2, 2}).requires_grad(true);
  x.set_grad(ones({2, 2}));
  return {x};
}

/// An option that `visit` shows may be any finite number from 0 on, except for these:
const std::map<std::string, std::string> ranges{
    {"beta1", "[0, 1)"},
    {"beta2", "[0, 1)"},
    {"AdadeltaOptions.rho", "[0, 1]"},
    {"RMSpropOptions.alpha", "[0, 1]"},
    {"eta_minus", "(0, 1)"},
    {"eta_plus", "(1, inf)"},
    {"beta2_decay", "(-inf, 0]"},
    {"d", "[1, inf)"},
    {"dampening", "(-inf, inf)"},
    {"smallest_step", "[0, 50]"},
    {"largest_step", "[1e-6, inf)"},
};

/// Steps with the option number `index` of those that `visit` shows.
template <class Optimizer, class Options, int index>
void step_with(double value) {
  Options options;
  int next = 0;
  options.visit([&](const char*, auto& setting) {
    if constexpr (std::is_same_v<decltype(setting), Setting<double>&>)
      if (next == index) setting = value;
    ++next;
  });
  Optimizer optimizer(parameters(), options);
  optimizer.step();
}

template <class Optimizer, class Options>
void add(std::vector<OptionRow>& rows, const std::string& name) {
  void (*calls[])(double) = {step_with<Optimizer, Options, 0>, step_with<Optimizer, Options, 1>,
                             step_with<Optimizer, Options, 2>, step_with<Optimizer, Options, 3>,
                             step_with<Optimizer, Options, 4>, step_with<Optimizer, Options, 5>,
                             step_with<Optimizer, Options, 6>, step_with<Optimizer, Options, 7>};
  std::size_t next = 0;
  Options().visit([&]<class T>(const char* option, T&) {
    const std::string full = name + "." + option;
    if (std::is_same_v<T, Setting<double>>) {
      const auto own = ranges.find(full), common = ranges.find(option);
      const std::string range = own != ranges.end()      ? own->second
                                : common != ranges.end() ? common->second
                                                         : "[0, inf)";
      rows.push_back({full, range, calls[next], "", "smallest_step"});  // Rprop's bounds are checked together
    }
    ++next;
  });
}

std::vector<OptionRow> optimizers() {
  std::vector<OptionRow> rows{
      {"LBFGSOptions.lr", "[0, inf)", [](double v) { LBFGS(parameters(), {.lr = v}); }},
      {"LBFGSOptions.max_iterations", "[1, inf)", [](int v) { LBFGS(parameters(), {.max_iterations = v}); }},
      {"LBFGSOptions.max_evaluations", "[0, inf)", [](int v) { LBFGS(parameters(), {.max_evaluations = v}); }},
      {"LBFGSOptions.tolerance_grad", "[0, inf)", [](double v) { LBFGS(parameters(), {.tolerance_grad = v}); }},
      {"LBFGSOptions.tolerance_change", "[0, inf)", [](double v) { LBFGS(parameters(), {.tolerance_change = v}); }},
      {"LBFGSOptions.history", "[1, inf)", [](int v) { LBFGS(parameters(), {.history = v}); }},
      {"MuonOptions.lr", "[0, inf)", [](double v) { Muon(parameters(), {.lr = v}).step(); }},
      {"MuonOptions.weight_decay", "[0, inf)", [](double v) { Muon(parameters(), {.weight_decay = v}).step(); }},
      {"MuonOptions.momentum", "[0, inf)", [](double v) { Muon(parameters(), {.momentum = v}).step(); }},
      {"MuonOptions.a", "(-inf, inf)", [](double v) { Muon(parameters(), {.a = v}).step(); }},
      {"MuonOptions.b", "(-inf, inf)", [](double v) { Muon(parameters(), {.b = v}).step(); }},
      {"MuonOptions.c", "(-inf, inf)", [](double v) { Muon(parameters(), {.c = v}).step(); }},
      {"MuonOptions.eps", "[0, inf)", [](double v) { Muon(parameters(), {.eps = v}).step(); }},
      {"MuonOptions.steps", "[1, 99]", [](int v) { Muon(parameters(), {.steps = v}).step(); }},
  };
  std::set<std::string> added;  // some stand in the table with several options
  test::each_optimizer([&]<class Optimizer, class Options>(const std::string& name, const Options&) {
    const std::string optimizer = name.substr(0, name.find(' '));
    const bool is_adam = std::is_same_v<Options, AdamOptions> || std::is_same_v<Options, AdamWOptions>;
    if (added.insert(optimizer).second)
      add<Optimizer, Options>(rows, is_adam ? "AdamOptionsOf" : optimizer + "Options");
  });
  return rows;
}

/// Constructs and asks for some rates.
void ask(const Schedule& schedule) {
  for (const i64 step : {0, 1, 9}) schedule(step, 1);
}

std::vector<OptionRow> schedules_and_others() {
  return {
      {"OneCycleOptions.max_lr", "[0, inf)", [](double v) { ask(schedules::one_cycle({.max_lr = v, .steps = 10})); }},
      {"OneCycleOptions.steps", "[1, inf)", [](i64 v) { schedules::one_cycle({.max_lr = 1, .steps = v})(0); }},
      {"OneCycleOptions.rising", "(0, 1)",
       [](double v) { ask(schedules::one_cycle({.max_lr = 1, .steps = 10, .rising = v})); }},
      {"OneCycleOptions.base_momentum", "[0, inf)",
       [](double v) { ask(schedules::one_cycle({.max_lr = 1, .steps = 10, .base_momentum = v})); }},
      {"OneCycleOptions.max_momentum", "[0, inf)",
       [](double v) { ask(schedules::one_cycle({.max_lr = 1, .steps = 10, .max_momentum = v})); }},
      {"OneCycleOptions.start_divisor", "(0, inf)",
       [](double v) { ask(schedules::one_cycle({.max_lr = 1, .steps = 10, .start_divisor = v})); }},
      {"OneCycleOptions.end_divisor", "(0, inf)",
       [](double v) { ask(schedules::one_cycle({.max_lr = 1, .steps = 10, .end_divisor = v})); }},
      {"constant.factor", "[0, inf)", [](double v) { ask(schedules::constant(v, 5)); }},
      {"constant.steps", "[0, inf)", [](i64 v) { ask(schedules::constant(1, v)); }},
      {"linear.steps", "[1, inf)", [](i64 v) { ask(schedules::linear(v)); }},
      {"linear.start", "[0, inf)", [](double v) { ask(schedules::linear(5, v)); }},
      {"linear.end", "[0, inf)", [](double v) { ask(schedules::linear(5, 1, v)); }},
      {"step.every", "[1, inf)", [](i64 v) { ask(schedules::step(v)); }},
      {"step.g", "[0, inf)", [](double v) { ask(schedules::step(3, v)); }},
      {"multistep.g", "[0, inf)", [](double v) { ask(schedules::multistep({3}, v)); }},
      {"exponential.g", "[0, inf)", [](double v) { ask(schedules::exponential(v)); }},
      {"polynomial.steps", "[1, inf)", [](i64 v) { ask(schedules::polynomial(v)); }},
      {"polynomial.power", "[0, inf)", [](double v) { ask(schedules::polynomial(5, v)); }},
      {"cosine.steps", "[1, inf)", [](i64 v) { ask(schedules::cosine(v)); }},
      {"cosine.least", "[0, inf)", [](double v) { ask(schedules::cosine(5, v)); }},
      {"cosine_restarts.period", "[1, inf)", [](i64 v) { ask(schedules::cosine_restarts(v)); }},
      {"cosine_restarts.growth", "[1, inf)", [](i64 v) { ask(schedules::cosine_restarts(2, v)); }},
      {"cosine_restarts.least", "[0, inf)", [](double v) { ask(schedules::cosine_restarts(2, 1, v)); }},
      {"inverse_sqrt.warmup", "[1, inf)", [](i64 v) { ask(schedules::inverse_sqrt(v)); }},
      {"warmup_stable_decay.warmup", "[0, inf)", [](i64 v) { ask(schedules::warmup_stable_decay(v, 2, 2)); }},
      {"warmup_stable_decay.stable", "[0, inf)", [](i64 v) { ask(schedules::warmup_stable_decay(2, v, 2)); }},
      {"warmup_stable_decay.decay", "[1, inf)", [](i64 v) { ask(schedules::warmup_stable_decay(2, 2, v)); }},
      {"warmup_stable_decay.least", "[0, inf)",
       [](double v) { ask(schedules::warmup_stable_decay(2, 2, 2, schedules::Decay::linear, v)); }},
      {"warmup.steps", "[1, inf)", [](i64 v) { ask(schedules::warmup(v, schedules::constant())); }},
      {"warmup.start", "[0, inf)", [](double v) { ask(schedules::warmup(5, schedules::constant(), v)); }},
      {"SchedulePlot.steps", "[1, 100000000]", [](i64 v) { plot_svg(schedules::constant(), {.steps = v}); }},
      {"SchedulePlot.lr", "[0, inf)", [](double v) { plot_svg(schedules::constant(), {.steps = 9, .lr = v}); }},
      {"PlateauOptions.factor", "[0, 1)",
       [](double v) {
         SGD sgd(parameters(), {});
         ReduceOnPlateau(sgd, {.factor = v}).step(1);
       }},
      {"PlateauOptions.patience", "[0, inf)",
       [](i64 v) {
         SGD sgd(parameters(), {});
         ReduceOnPlateau(sgd, {.patience = v}).step(1);
       }},
      {"PlateauOptions.threshold", "[0, inf)",
       [](double v) {
         SGD sgd(parameters(), {});
         ReduceOnPlateau(sgd, {.threshold = v}).step(1);
       }},
      {"PlateauOptions.cooldown", "[0, inf)",
       [](i64 v) {
         SGD sgd(parameters(), {});
         ReduceOnPlateau(sgd, {.cooldown = v}).step(1);
       }},
      {"PlateauOptions.least", "[0, inf)",
       [](double v) {
         SGD sgd(parameters(), {});
         ReduceOnPlateau(sgd, {.least = v}).step(1);
       }},
      {"PlateauOptions.eps", "[0, inf)",
       [](double v) {
         SGD sgd(parameters(), {});
         ReduceOnPlateau(sgd, {.eps = v}).step(1);
       }},
      {"SpikeOptions.window", "[20, inf)", [](i64 v) { SpikeDetector({.window = v}); }},
      {"SpikeOptions.z", "(0, inf)", [](double v) { SpikeDetector({.z = v}); }},
      {"SpikeOptions.warmup", "[2, 128]", [](i64 v) { SpikeDetector({.warmup = v}); }},
      {"AccumulationOptions.batches", "[0, inf)", [](i64 v) { Accumulation(2, {.batches = v}).part(ones({}), 1); }},
      {"Accumulation.part", "[1, inf)", [](i64 v) { Accumulation accumulation(v); }},
      {"EmaOptions.decay", "[0, 1]", [](double v) { Ema(parameters(), {.decay = v}).update(); }},
      {"clip_grad_norm_.max_norm", "[0, inf]", [](double v) { clip_grad_norm_(parameters(), v); }, "clips nothing"},
      {"clip_grad_norm_.p", "(0, inf]", [](double v) { clip_grad_norm_(parameters(), 1, v); }, "the largest element"},
      {"clip_grad_value_.limit", "[0, inf]", [](double v) { clip_grad_value_(parameters(), v); }, "clips nothing"},
  };
}

TEST(Options, OfOptimAreChecked) {
  std::vector<OptionRow> rows = optimizers();
  const auto others = schedules_and_others();
  rows.insert(rows.end(), others.begin(), others.end());
  test::try_options("optim", rows);
}

}  // namespace
}  // namespace minima::optim::options_test
