#include <minima/optim/elementwise/rmsprop.h>

#include <minima/optim/elementwise.h>
#include <minima/optim/elementwise/rules/scale_rules.h>
#include <minima/optim/grouped_impl.h>

namespace minima::optim {

template class Grouped<RMSpropOptions>;

void RMSpropOptions::validate() const {
  detail::expect_usual(*this);
  detail::expect(alpha >= 0 && alpha <= 1, "alpha must lie in [0, 1]", alpha);
}

namespace {

template <bool HasMomentum, bool Centered>
rules::RmsProp<HasMomentum, Centered> rule_for(const RMSpropOptions& o) {
  return {.lr = o.lr,
          .sign = o.maximize ? -1.0 : 1.0,
          .l2 = o.weight_decay,
          .alpha = o.alpha,
          .eps = o.eps,
          .momentum = o.momentum};
}

}  // namespace

void RMSprop::update(const ScaledStep& scaled) {
  detail::Step pass(*this, scaled);
  for (Slot& slot : slots_) {
    const auto& o = options_[slot.group];
    const bool moves = o.momentum != 0;
    if (!pass.add(slot, 1 + moves + o.centered)) continue;
    if (moves && o.centered) pass.use(rule_for<true, true>(o));
    else if (moves) pass.use(rule_for<true, false>(o));
    else if (o.centered) pass.use(rule_for<false, true>(o));
    else pass.use(rule_for<false, false>(o));
  }
  pass.run();
}

std::vector<const char*> RMSprop::state_names(const Slot& slot) const {
  const RMSpropOptions& o = options_[slot.group];
  std::vector<const char*> names{"square_avg"};
  if (o.momentum != 0) names.push_back("momentum_buffer");
  if (o.centered) names.push_back("grad_avg");
  return names;
}

}  // namespace minima::optim
