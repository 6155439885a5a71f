#include <minima/train/early_stopping.h>

#include <minima/io/checkpoint/checkpoint.h>
#include <minima/io/counter.h>
#include <minima/io/state.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstdint>
#include <limits>

namespace minima {

Best::Best(const BestOptions& options)
    : options_(options), value_((options.maximize ? -1 : 1) * std::numeric_limits<double>::infinity()) {
  detail::check_number("Best", "min_delta", options.min_delta, detail::not_negative);
}

bool Best::update(double value) {
  const bool is_better = options_.maximize ? value > value_ + options_.min_delta : value < value_ - options_.min_delta;
  if (is_better) value_ = value;
  return is_better;
}

State Best::state_dict() const {
  State state;
  state.set_number("best", value_);
  state.set_integer("maximize", options_.maximize);
  return state;
}

void Best::load_state_dict(const State& state) {
  const double best = state.number("best");
  // States of earlier versions do not say.
  if (state.find_text("maximize") && (state.integer("maximize") != 0) != options_.maximize)
    throw ValueError(str("Best: maximize is ", options_.maximize ? "true" : "false", " here and not in the state"));
  value_ = best;
}

EarlyStopping::EarlyStopping(std::int64_t patience, const BestOptions& options) : patience_(patience), best_(options) {
  if (patience <= 0) throw ValueError(str("EarlyStopping: patience must be positive, got ", patience));
}

bool EarlyStopping::update(double metric) {
  without_ = best_.update(metric) ? 0 : without_ + 1;
  return without_ >= patience_;
}

State EarlyStopping::state_dict() const {
  State state = best_.state_dict();
  state.set_integer("without", without_);
  return state;
}

void EarlyStopping::load_state_dict(const State& state) {
  const std::int64_t without = detail::counter(state, "without");
  best_.load_state_dict(state);
  without_ = without;
}

bool KeepBest::update(double metric, const State& state) {
  if (!best_.update(metric)) return false;
  save(path_, state);
  return true;
}

}  // namespace minima
