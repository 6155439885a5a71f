#include <minima/optim/structured/lamb.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/reduce/sum.h>
#include <minima/optim/grouped.h>
#include <minima/optim/grouped_impl.h>  // IWYU pragma: keep
#include <minima/optim/step_result.h>
#include <minima/optim/structured/lamb_rule.h>
#include <minima/optim/update/gradients.h>
#include <minima/optim/update_pass.h>
#include <minima/tensor/tensor.h>

#include <vector>

namespace minima::optim {

template class Grouped<LambOptions>;

namespace {

Tensor norm(const Tensor& x) { return sqrt(sum(square(x))); }

}  // namespace

/// Computes all directions in one pass, then moves each tensor by its trust ratio, which stays on the device.
void Lamb::update(const ScaledStep& scaled) {
  detail::expect_whole("LAMB", parameters());
  detail::UpdatePass pass(*this, scaled);
  std::vector<const Slot*> moved;
  for (Slot& slot : slots_)
    if (pass.add(slot, rule_for(options_[slot.group]))) moved.push_back(&slot);
  pass.run();
  for (const Slot* slot : moved) {
    const Tensor parameter = slot->master.defined() ? slot->master : slot->parameter.detach();
    const Tensor direction = slot->state[2], size = norm(parameter), step = norm(direction);
    const Tensor zero = zeros_like(size), one = ones_like(size);
    Tensor ratio = where(logical_and(size > 0, step > 0), size / step, one);
    if (scaled.found_inf.defined()) ratio = where(scaled.found_inf.to(ratio.device()) != 0, zero, ratio);
    sub_(parameter, direction * (ratio * options_[slot->group].lr));
    if (slot->master.defined()) copy_(slot->parameter.detach(), parameter);
  }
}

std::vector<const char*> Lamb::state_names(const Slot&) const { return {"exp_avg", "exp_avg_sq"}; }

}  // namespace minima::optim
