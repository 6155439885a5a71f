#pragma once

#include <minima/optim/grouped.h>

namespace minima::optim {

/// An optimizer that updates every element on its own: a rule (optim/update/rule.h) and its options. Defined in
/// elementwise_optimizer_impl.h.
template <class Options>
class ElementwiseOptimizer : public Grouped<Options> {
 protected:
  using Grouped<Options>::Grouped;

 private:
  using Slot = Optimizer::Slot;
  void update(const ScaledStep& scaled) final;
  std::vector<const char*> state_names(const Slot& slot) const final;
};

}  // namespace minima::optim
