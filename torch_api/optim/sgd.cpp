#include <minima/optim/elementwise/sgd.h>
#include <torch/optim.h>

#include "optim/engine.h"
#include "optim/fields.h"

namespace torch::optim {

namespace {

struct SGDRule {
  using Options = SGDOptions;
  using State = SGDParamState;
  using Native = minima::optim::SGDOptions;
  static Native native(const Options& o) {
    return {.lr = o.lr(),
            .momentum = o.momentum(),
            .dampening = o.dampening(),
            .weight_decay = o.weight_decay(),
            .nesterov = o.nesterov()};
  }
  static bool has_state(const Options& o) { return o.momentum() != 0; }
  static detail::StateTensors tensors(State& s, const Options&) { return {&s.momentum_buffer()}; }
  // Only the first update, which fills the buffer, differs from the others.
  static int64_t steps(const State& s, int64_t counted) {
    return s.momentum_buffer().defined() ? std::max<int64_t>(counted, 1) : 0;
  }
  static void set_steps(State&, int64_t) {}
};

void load_old_sgd(serialize::InputArchive& archive, Optimizer& optimizer) {
  const auto buffers = detail::old_buffers(archive, "momentum_buffers");
  for (size_t i = 0; i < buffers.size(); ++i) {
    auto state = std::make_unique<SGDParamState>();
    state->momentum_buffer(buffers[i]);
    optimizer.state()[optimizer.param_groups().at(0).params().at(i).unsafeGetTensorImpl()] = std::move(state);
  }
}

}  // namespace

template <detail::Either<SGDOptions> Options, class V>
void visit_fields(Options& o, const V& v) {
  v("lr", o.lr()), v("momentum", o.momentum()), v("dampening", o.dampening()), v("weight_decay", o.weight_decay());
  v("nesterov", o.nesterov());
}
template <detail::Either<SGDParamState> State, class V>
void visit_fields(State& s, const V& v) {
  v("momentum_buffer", s.momentum_buffer());
}

MINIMA_TORCH_DEFINE_OPTIONS(SGDOptions)
MINIMA_TORCH_DEFINE_FIELDS(SGDParamState)
MINIMA_TORCH_DEFINE_SAVE_AND_LOAD(SGD, load_old_sgd)

SGD::SGD(const std::vector<OptimizerParamGroup>& param_groups, SGDOptions defaults)
    : Optimizer(param_groups, std::make_unique<SGDOptions>(defaults)) {
  detail::check_not_negative("learning rate", defaults.lr());
  detail::check_not_negative("momentum value", defaults.momentum());
  detail::check_not_negative("weight_decay value", defaults.weight_decay());
  TORCH_CHECK(!defaults.nesterov() || (defaults.momentum() > 0 && defaults.dampening() == 0),
              "Nesterov momentum requires a momentum and zero dampening");
}

Tensor SGD::step(LossClosure closure) { return detail::step<SGDRule>(*this, engine_, closure); }

}  // namespace torch::optim
