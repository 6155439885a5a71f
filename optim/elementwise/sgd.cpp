#include <minima/optim/elementwise/sgd.h>

#include <minima/optim/elementwise.h>
#include <minima/optim/grouped_impl.h>
#include <minima/optim/rules.h>
#include <minima/tensor/base/format.h>

namespace minima::optim {

template class Grouped<SgdOptions>;

void SgdOptions::validate() const {
  detail::expect(lr >= 0, "lr must not be negative", lr);
  detail::expect(momentum >= 0, "momentum must not be negative", momentum);
  detail::expect(weight_decay >= 0, "weight_decay must not be negative", weight_decay);
  detail::expect(!nesterov || momentum > 0, "nesterov needs a momentum above 0", momentum);
  detail::expect(!nesterov || dampening == 0, "nesterov needs a dampening of 0", dampening);
}

void SGD::update(const ScaledStep& scaled) {
  detail::Step pass(*this, scaled);
  for (Slot& slot : slots_) {
    const SgdOptions& o = options_[slot.group];
    const double sign = o.maximize ? -1 : 1;
    if (!pass.add(slot, o.momentum != 0 ? 1 : 0)) continue;
    if (o.momentum == 0) pass.use(rules::Plain{.lr = o.lr, .weight_decay = o.weight_decay, .sign = sign});
    else
      pass.use(rules::Momentum{.lr = o.lr,
                               .weight_decay = o.weight_decay,
                               .sign = sign,
                               .momentum = o.momentum,
                               .dampening = o.dampening,
                               .ahead = o.nesterov ? 1.0 : 0.0,
                               .of_buffer = o.nesterov ? double{o.momentum} : 1});
  }
  pass.run();
}

std::vector<const char*> SGD::state_names(const Slot& slot) const {
  if (options_[slot.group].momentum == 0) return {};
  return {"momentum_buffer"};
}

void detail::expect(bool holds, const char* what, double value) {
  if (!holds) throw ValueError(str("optimizer: ", what, ", got ", value));
}

}  // namespace minima::optim
