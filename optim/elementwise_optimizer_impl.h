#pragma once

#include <minima/optim/elementwise_optimizer.h>
#include <minima/optim/grouped_impl.h>
#include <minima/optim/update_pass.h>

#include <variant>

namespace minima::optim {

namespace detail {

/// Calls f with a rule, or with the alternative that a variant of rules holds.
template <class Rule, class F>
void visit_rule(const Rule& rule, const F& f) {
  f(rule);
}
template <class... Rules, class F>
void visit_rule(const std::variant<Rules...>& rule, const F& f) {
  std::visit(f, rule);
}

}  // namespace detail

template <class Options>
void ElementwiseOptimizer<Options>::update(const ScaledStep& scaled) {
  detail::UpdatePass pass(*this, scaled);
  for (Slot& slot : this->slots_)
    detail::visit_rule(rule_for(this->options_[slot.group]), [&](const auto& rule) { pass.add(slot, rule); });
  pass.run();
}

template <class Options>
std::vector<const char*> ElementwiseOptimizer<Options>::state_names(const Slot& slot) const {
  std::vector<const char*> names;
  detail::visit_rule(rule_for(this->options_[slot.group]),
                     [&](const auto& rule) { names.assign(rule.states.name, rule.states.name + rule.states.count); });
  return names;
}

}  // namespace minima::optim
