#include <minima/optim/elementwise/adam.h>
#include <torch/optim.h>

#include "optim/adam_common.h"

namespace torch::optim {

namespace {

using AdamWRule = detail::AdamRule<AdamWOptions, AdamWParamState, minima::optim::AdamWOptions>;

}  // namespace

template <detail::Either<AdamWOptions> Options, class V>
void visit_fields(Options& o, const V& v) {
  detail::visit_adam_options(o, v);
}
template <detail::Either<AdamWParamState> State, class V>
void visit_fields(State& s, const V& v) {
  detail::visit_adam_state(s, v);
}

MINIMA_TORCH_DEFINE_OPTIONS(AdamWOptions)
MINIMA_TORCH_DEFINE_FIELDS(AdamWParamState)
MINIMA_TORCH_DEFINE_SAVE_AND_LOAD(AdamW, detail::load_old_adam<AdamWParamState>)

AdamW::AdamW(const std::vector<OptimizerParamGroup>& param_groups, AdamWOptions defaults)
    : Optimizer(param_groups, std::make_unique<AdamWOptions>(defaults)) {
  detail::check_adam(defaults);
}

Tensor AdamW::step(LossClosure closure) { return detail::step<AdamWRule>(*this, engine_, closure); }

}  // namespace torch::optim
