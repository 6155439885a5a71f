#include <minima/optim/elementwise/radam.h>

#include <minima/optim/elementwise.h>
#include <minima/optim/elementwise/rules/moment_rules.h>
#include <minima/optim/grouped_impl.h>

namespace minima::optim {

template class Grouped<RAdamOptions>;

void RAdamOptions::validate() const { detail::expect_usual(*this); }

void RAdam::update(const ScaledStep& scaled) {
  detail::Step pass(*this, scaled);
  for (Slot& slot : slots_) {
    const auto& o = options_[slot.group];
    if (!pass.add(slot, 2)) continue;
    pass.use(rules::RAdam{.lr = o.lr,
                          .sign = o.maximize ? -1.0 : 1.0,
                          .l2 = o.decoupled_weight_decay ? 0 : double{o.weight_decay},
                          .decoupled = o.decoupled_weight_decay ? double{o.weight_decay} : 0,
                          .beta1 = o.beta1,
                          .beta2 = o.beta2,
                          .eps = o.eps});
  }
  pass.run();
}

std::vector<const char*> RAdam::state_names(const Slot&) const { return {"exp_avg", "exp_avg_sq"}; }

}  // namespace minima::optim
