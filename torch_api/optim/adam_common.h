#pragma once

#include "optim/engine.h"
#include "optim/fields.h"

// Adam and AdamW share these.

namespace torch::optim::detail {

template <class OptionsType, class StateType, class NativeType>
struct AdamRule {
  using Options = OptionsType;
  using State = StateType;
  using Native = NativeType;

  static Native native(const Options& o) {
    return {.lr = o.lr(),
            .beta1 = std::get<0>(o.betas()),
            .beta2 = std::get<1>(o.betas()),
            .eps = o.eps(),
            .weight_decay = o.weight_decay(),
            .amsgrad = o.amsgrad()};
  }
  static bool has_state(const Options&) { return true; }
  static StateTensors tensors(State& s, const Options& o) {
    if (o.amsgrad()) return {&s.exp_avg(), &s.exp_avg_sq(), &s.max_exp_avg_sq()};
    return {&s.exp_avg(), &s.exp_avg_sq()};
  }
  static int64_t steps(const State& s, int64_t) { return s.step(); }
  static void set_steps(State& s, int64_t steps) { s.step(steps); }
};

template <class Options>
void check_adam(const Options& o) {
  check_not_negative("learning rate", o.lr());
  check_not_negative("epsilon value", o.eps());
  check_beta(0, std::get<0>(o.betas()));
  check_beta(1, std::get<1>(o.betas()));
  check_not_negative("weight_decay value", o.weight_decay());
}

template <class Options, class V>
void visit_adam_options(Options& o, const V& v) {
  v("lr", o.lr()), v("betas", o.betas()), v("eps", o.eps()), v("weight_decay", o.weight_decay());
  v("amsgrad", o.amsgrad());
}
template <class State, class V>
void visit_adam_state(State& s, const V& v) {
  v("step", s.step()), v("exp_avg", s.exp_avg()), v("exp_avg_sq", s.exp_avg_sq());
  v("max_exp_avg_sq", s.max_exp_avg_sq());
}

template <class State>
void load_old_adam(serialize::InputArchive& archive, Optimizer& optimizer) {
  std::vector<int64_t> steps;
  serialize(archive, "step_buffers", steps);
  const auto averages = old_buffers(archive, "exp_average_buffers");
  const auto squares = old_buffers(archive, "exp_average_sq_buffers");
  const auto largest = old_buffers(archive, "max_exp_average_sq_buffers");
  for (size_t i = 0; i < steps.size(); ++i) {
    auto state = std::make_unique<State>();
    state->step(steps[i]).exp_avg(averages.at(i)).exp_avg_sq(squares.at(i));
    if (i < largest.size()) state->max_exp_avg_sq(largest[i]);
    optimizer.state()[optimizer.param_groups().at(0).params().at(i).unsafeGetTensorImpl()] = std::move(state);
  }
}

}  // namespace torch::optim::detail
