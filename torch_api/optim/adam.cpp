#include <minima/optim/elementwise/adam.h>
#include <torch/optim.h>

#include "optim/adam_common.h"

namespace torch::optim {

namespace {

using AdamRule = detail::AdamRule<AdamOptions, AdamParamState, minima::optim::AdamOptions>;

}  // namespace

template <detail::Either<AdamOptions> Options, class V>
void visit_fields(Options& o, const V& v) {
  detail::visit_adam_options(o, v);
}
template <detail::Either<AdamParamState> State, class V>
void visit_fields(State& s, const V& v) {
  detail::visit_adam_state(s, v);
}

MINIMA_TORCH_DEFINE_OPTIONS(AdamOptions)
MINIMA_TORCH_DEFINE_FIELDS(AdamParamState)
MINIMA_TORCH_DEFINE_SAVE_AND_LOAD(Adam, detail::load_old_adam<AdamParamState>)

Adam::Adam(const std::vector<OptimizerParamGroup>& param_groups, AdamOptions defaults)
    : Optimizer(param_groups, std::make_unique<AdamOptions>(defaults)) {
  detail::check_adam(defaults);
}

Tensor Adam::step(LossClosure closure) { return detail::step<AdamRule>(*this, engine_, closure); }

}  // namespace torch::optim
