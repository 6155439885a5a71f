#include <minima/optim/elementwise/adagrad.h>
#include <torch/optim.h>

#include "optim/engine.h"
#include "optim/fields.h"

namespace torch::optim {

namespace {

struct AdagradRule {
  using Options = AdagradOptions;
  using State = AdagradParamState;
  using Native = minima::optim::AdagradOptions;
  static Native native(const Options& o) {
    return {.lr = o.lr(),
            .lr_decay = o.lr_decay(),
            .weight_decay = o.weight_decay(),
            .initial_accumulator_value = o.initial_accumulator_value(),
            .eps = o.eps()};
  }
  static bool has_state(const Options&) { return true; }
  static detail::StateTensors tensors(State& s, const Options&) { return {&s.sum()}; }
  static int64_t steps(const State& s, int64_t) { return s.step(); }
  static void set_steps(State& s, int64_t steps) { s.step(steps); }
};

void load_old_adagrad(serialize::InputArchive& archive, Optimizer& optimizer) {
  std::vector<int64_t> steps;
  serialize(archive, "step_buffers", steps);
  const auto sums = detail::old_buffers(archive, "sum_buffers");
  for (size_t i = 0; i < sums.size(); ++i) {
    auto state = std::make_unique<AdagradParamState>();
    state->sum(sums[i]).step(steps.at(i));
    optimizer.state()[optimizer.param_groups().at(0).params().at(i).unsafeGetTensorImpl()] = std::move(state);
  }
}

}  // namespace

template <detail::Either<AdagradOptions> Options, class V>
void visit_fields(Options& o, const V& v) {
  v("lr", o.lr()), v("lr_decay", o.lr_decay()), v("weight_decay", o.weight_decay());
  v("initial_accumulator_value", o.initial_accumulator_value()), v("eps", o.eps());
}
template <detail::Either<AdagradParamState> State, class V>
void visit_fields(State& s, const V& v) {
  v("step", s.step()), v("sum", s.sum());
}

MINIMA_TORCH_DEFINE_OPTIONS(AdagradOptions)
MINIMA_TORCH_DEFINE_FIELDS(AdagradParamState)
MINIMA_TORCH_DEFINE_SAVE_AND_LOAD(Adagrad, load_old_adagrad)

Adagrad::Adagrad(const std::vector<OptimizerParamGroup>& param_groups, AdagradOptions defaults)
    : Optimizer(param_groups, std::make_unique<AdagradOptions>(defaults)) {
  detail::check_not_negative("learning rate", defaults.lr());
  detail::check_not_negative("lr_decay value", defaults.lr_decay());
  detail::check_not_negative("weight_decay value", defaults.weight_decay());
  detail::check_not_negative("initial_accumulator_value value", defaults.initial_accumulator_value());
  detail::check_not_negative("epsilon value", defaults.eps());
  for (const OptimizerParamGroup& group : param_groups_)
    for (const Tensor& parameter : group.params()) {
      auto state = std::make_unique<AdagradParamState>();
      state->sum(torch::full_like(parameter.detach(), defaults.initial_accumulator_value()));
      state_[parameter.unsafeGetTensorImpl()] = std::move(state);
    }
}

Tensor Adagrad::step(LossClosure closure) { return detail::step<AdagradRule>(*this, engine_, closure); }

}  // namespace torch::optim
