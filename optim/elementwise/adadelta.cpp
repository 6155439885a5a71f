#include <minima/optim/elementwise/adadelta.h>

#include <minima/optim/elementwise.h>
#include <minima/optim/elementwise/rules/scale_rules.h>
#include <minima/optim/grouped_impl.h>

namespace minima::optim {

template class Grouped<AdadeltaOptions>;

void AdadeltaOptions::validate() const {
  detail::expect_usual(*this);
  detail::expect(rho >= 0 && rho <= 1, "rho must lie in [0, 1]", rho);
}

void Adadelta::update(const ScaledStep& scaled) {
  detail::Step pass(*this, scaled);
  for (Slot& slot : slots_) {
    const auto& o = options_[slot.group];
    if (!pass.add(slot, 2)) continue;
    pass.use(
        rules::Adadelta{.lr = o.lr, .sign = o.maximize ? -1.0 : 1.0, .l2 = o.weight_decay, .rho = o.rho, .eps = o.eps});
  }
  pass.run();
}

std::vector<const char*> Adadelta::state_names(const Slot&) const { return {"square_avg", "acc_delta"}; }

}  // namespace minima::optim
