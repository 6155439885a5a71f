#include <minima/optim/schedules/scheduler.h>

#include <minima/io/counter.h>
#include <minima/io/state.h>
#include <minima/optim/optimizer.h>
#include <minima/optim/schedules/schedule.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace minima::optim {

Scheduler::Scheduler(Optimizer& optimizer, const Schedule& schedule) : optimizer_(optimizer), schedule_(schedule) {
  apply();
}

void Scheduler::step() {
  ++step_;
  apply();
}

void Scheduler::apply() {
  for (std::size_t g = base_lrs_.size(); g < optimizer_.group_count(); ++g) {
    base_lrs_.push_back(optimizer_.lr(g));
    base_momenta_.push_back(optimizer_.momentum(g));
  }
  for (std::size_t g = 0; g < base_lrs_.size(); ++g) {
    optimizer_.set_lr(schedule_(step_, base_lrs_[g]), g);
    if (schedule_.has_momentum()) optimizer_.set_momentum(schedule_.momentum(step_, base_momenta_[g]), g);
  }
}

State Scheduler::state_dict() const {
  State state;
  state.set_integer("step", step_);
  for (std::size_t g = 0; g < base_lrs_.size(); ++g) {
    state.set_number(str("base_lr.", g), base_lrs_[g]);
    state.set_number(str("base_momentum.", g), base_momenta_[g]);
  }
  return state;
}

void Scheduler::load_state_dict(const State& state) {
  const std::int64_t step = minima::detail::counter(state, "step");
  std::vector<double> lrs, momenta;
  for (std::size_t g = 0; state.find_text(str("base_lr.", g)); ++g) {
    lrs.push_back(state.number(str("base_lr.", g)));
    momenta.push_back(state.number(str("base_momentum.", g)));
  }
  if (lrs.size() > optimizer_.group_count())
    throw ValueError(
        str("Scheduler: the state has ", lrs.size(), " groups, but the optimizer has ", optimizer_.group_count()));
  step_ = step;
  base_lrs_ = lrs;
  base_momenta_ = momenta;
  apply();
}

ReduceOnPlateau::ReduceOnPlateau(Optimizer& optimizer, const PlateauOptions& options)
    : optimizer_(optimizer),
      options_(options),
      best_((options.maximize ? -1 : 1) * std::numeric_limits<double>::infinity()) {
  constexpr const char* name = "ReduceOnPlateau";
  minima::detail::check_number(name, "factor", options.factor, minima::detail::from_below(0, 1));
  minima::detail::check_count(name, "patience", options.patience, 0);
  minima::detail::check_number(name, "threshold", options.threshold, minima::detail::not_negative);
  minima::detail::check_count(name, "cooldown", options.cooldown, 0);
  minima::detail::check_number(name, "least", options.least, minima::detail::not_negative);
  minima::detail::check_number(name, "eps", options.eps, minima::detail::not_negative);
}

bool ReduceOnPlateau::is_better(double metric) const {
  const double sign = options_.maximize ? 1 : -1;
  // A fraction of |best|. PyTorch multiplies by 1 ± threshold, which puts the bar on the wrong side of a negative best.
  const double toward = best_ < 0 ? -sign : sign;
  const double bar = options_.relative ? best_ * (1 + toward * options_.threshold) : best_ + sign * options_.threshold;
  return options_.maximize ? metric > bar : metric < bar;
}

bool ReduceOnPlateau::step(double metric) {
  if (is_better(metric)) {
    best_ = metric;
    bad_ = 0;
  } else {
    ++bad_;
  }
  if (cooling_ > 0) {
    --cooling_;
    bad_ = 0;  // metrics during the cooldown do not count
  }
  if (bad_ <= options_.patience) return false;
  cooling_ = options_.cooldown;
  bad_ = 0;
  return reduce();
}

bool ReduceOnPlateau::reduce() {
  bool any = false;
  for (std::size_t g = 0; g < optimizer_.group_count(); ++g) {
    const double old = optimizer_.lr(g), lr = std::max(old * options_.factor, options_.least);
    if (old - lr <= options_.eps) continue;
    optimizer_.set_lr(lr, g);
    any = true;
  }
  return any;
}

State ReduceOnPlateau::state_dict() const {
  State state;
  state.set_number("best", best_);
  state.set_integer("bad", bad_);
  state.set_integer("cooling", cooling_);
  return state;
}

void ReduceOnPlateau::load_state_dict(const State& state) {
  const double best = state.number("best");
  const std::int64_t bad = minima::detail::counter(state, "bad"), cooling = minima::detail::counter(state, "cooling");
  best_ = best;
  bad_ = bad;
  cooling_ = cooling;
}

}  // namespace minima::optim
