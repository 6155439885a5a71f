#include <minima/optim/elementwise/lion.h>

#include <minima/optim/elementwise.h>
#include <minima/optim/elementwise/rules/scale_rules.h>
#include <minima/optim/grouped_impl.h>

namespace minima::optim {

template class Grouped<LionOptions>;

void LionOptions::validate() const { detail::expect_usual(*this); }

void Lion::update(const ScaledStep& scaled) {
  detail::Step pass(*this, scaled);
  for (Slot& slot : slots_) {
    const auto& o = options_[slot.group];
    if (!pass.add(slot, 1)) continue;
    pass.use(rules::Lion{
        .lr = o.lr, .sign = o.maximize ? -1.0 : 1.0, .decoupled = o.weight_decay, .beta1 = o.beta1, .beta2 = o.beta2});
  }
  pass.run();
}

std::vector<const char*> Lion::state_names(const Slot&) const { return {"exp_avg"}; }

}  // namespace minima::optim
