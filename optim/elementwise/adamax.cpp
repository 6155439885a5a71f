#include <minima/optim/elementwise/adamax.h>

#include <minima/optim/elementwise.h>
#include <minima/optim/elementwise/rules/moment_rules.h>
#include <minima/optim/grouped_impl.h>

namespace minima::optim {

template class Grouped<AdamaxOptions>;

void AdamaxOptions::validate() const { detail::expect_usual(*this); }

void Adamax::update(const ScaledStep& scaled) {
  detail::Step pass(*this, scaled);
  for (Slot& slot : slots_) {
    const auto& o = options_[slot.group];
    if (!pass.add(slot, 2)) continue;
    pass.use(rules::Adamax{.lr = o.lr,
                           .sign = o.maximize ? -1.0 : 1.0,
                           .l2 = o.weight_decay,
                           .beta1 = o.beta1,
                           .beta2 = o.beta2,
                           .eps = o.eps});
  }
  pass.run();
}

std::vector<const char*> Adamax::state_names(const Slot&) const { return {"exp_avg", "exp_inf"}; }

}  // namespace minima::optim
