#include <minima/optim/elementwise/rprop.h>

#include <minima/ops/pointwise/arithmetic.h>
#include <minima/optim/elementwise.h>
#include <minima/optim/elementwise/rules/scale_rules.h>
#include <minima/optim/grouped_impl.h>

namespace minima::optim {

template class Grouped<RpropOptions>;

void RpropOptions::validate() const {
  detail::expect_usual(*this);
  detail::expect(eta_minus > 0 && eta_minus < 1, "eta_minus must lie in (0, 1)", eta_minus);
  detail::expect(eta_plus > 1, "eta_plus must be above 1", eta_plus);
}

void Rprop::update(const ScaledStep& scaled) {
  detail::Step pass(*this, scaled);
  for (Slot& slot : slots_) {
    const auto& o = options_[slot.group];
    if (!pass.add(slot, 2)) continue;
    if (pass.is_first()) fill_(slot.state[1], o.lr);
    pass.use(rules::Rprop{.lr = o.lr,
                          .sign = o.maximize ? -1.0 : 1.0,
                          .eta_minus = o.eta_minus,
                          .eta_plus = o.eta_plus,
                          .smallest = o.smallest_step,
                          .largest = o.largest_step});
  }
  pass.run();
}

std::vector<const char*> Rprop::state_names(const Slot&) const { return {"prev", "step_size"}; }

}  // namespace minima::optim
