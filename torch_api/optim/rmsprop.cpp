#include <minima/optim/elementwise/rmsprop.h>
#include <torch/optim.h>

#include "optim/engine.h"
#include "optim/fields.h"

namespace torch::optim {

namespace {

struct RMSpropRule {
  using Options = RMSpropOptions;
  using State = RMSpropParamState;
  using Native = minima::optim::RMSpropOptions;
  static Native native(const Options& o) {
    return {.lr = o.lr(),
            .alpha = o.alpha(),
            .eps = o.eps(),
            .weight_decay = o.weight_decay(),
            .momentum = o.momentum(),
            .centered = o.centered()};
  }
  static bool has_state(const Options&) { return true; }
  static detail::StateTensors tensors(State& s, const Options& o) {
    detail::StateTensors all{&s.square_avg()};
    if (o.momentum() != 0) all.push_back(&s.momentum_buffer());
    if (o.centered()) all.push_back(&s.grad_avg());
    return all;
  }
  static int64_t steps(const State& s, int64_t) { return s.step(); }
  static void set_steps(State& s, int64_t steps) { s.step(steps); }
};

/// The old format has no step counts; they start at 0.
void load_old_rmsprop(serialize::InputArchive& archive, Optimizer& optimizer) {
  const auto squares = detail::old_buffers(archive, "square_average_buffers");
  const auto momenta = detail::old_buffers(archive, "momentum_buffers");
  const auto averages = detail::old_buffers(archive, "grad_average_buffers");
  for (size_t i = 0; i < squares.size(); ++i) {
    auto state = std::make_unique<RMSpropParamState>();
    state->square_avg(squares[i]);
    if (i < momenta.size()) state->momentum_buffer(momenta[i]);
    if (i < averages.size()) state->grad_avg(averages[i]);
    optimizer.state()[optimizer.param_groups().at(0).params().at(i).unsafeGetTensorImpl()] = std::move(state);
  }
}

}  // namespace

template <detail::Either<RMSpropOptions> Options, class V>
void visit_fields(Options& o, const V& v) {
  v("lr", o.lr()), v("alpha", o.alpha()), v("eps", o.eps()), v("weight_decay", o.weight_decay());
  v("momentum", o.momentum()), v("centered", o.centered());
}
template <detail::Either<RMSpropParamState> State, class V>
void visit_fields(State& s, const V& v) {
  v("step", s.step()), v("square_avg", s.square_avg()), v("momentum_buffer", s.momentum_buffer());
  v("grad_avg", s.grad_avg());
}

MINIMA_TORCH_DEFINE_OPTIONS(RMSpropOptions)
MINIMA_TORCH_DEFINE_FIELDS(RMSpropParamState)
MINIMA_TORCH_DEFINE_SAVE_AND_LOAD(RMSprop, load_old_rmsprop)

RMSprop::RMSprop(const std::vector<OptimizerParamGroup>& param_groups, RMSpropOptions defaults)
    : Optimizer(param_groups, std::make_unique<RMSpropOptions>(defaults)) {
  detail::check_not_negative("learning rate", defaults.lr());
  detail::check_not_negative("epsilon value", defaults.eps());
  detail::check_not_negative("momentum value", defaults.momentum());
  detail::check_not_negative("weight_decay value", defaults.weight_decay());
  detail::check_not_negative("alpha value", defaults.alpha());
}

Tensor RMSprop::step(LossClosure closure) { return detail::step<RMSpropRule>(*this, engine_, closure); }

}  // namespace torch::optim
