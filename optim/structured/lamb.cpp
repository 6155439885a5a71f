#include <minima/optim/structured/lamb.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/reduce/sum.h>
#include <minima/optim/elementwise.h>
#include <minima/optim/elementwise/rules/moment_rules.h>
#include <minima/optim/grouped_impl.h>

namespace minima::optim {

template class Grouped<LambOptions>;

namespace {

Tensor norm(const Tensor& x) { return sqrt(sum(square(x))); }

}  // namespace

void LambOptions::validate() const { detail::expect_usual(*this); }

/// The directions in one pass, then each tensor by its own ratio, which stays on the device.
void Lamb::update(const ScaledStep& scaled) {
  detail::Step pass(*this, scaled);
  std::vector<const Slot*> moved;
  for (Slot& slot : slots_) {
    const LambOptions& o = options_[slot.group];
    if (!pass.add(slot, 3)) continue;
    moved.push_back(&slot);
    pass.use(rules::LambDirection{.lr = o.lr,
                                  .sign = o.maximize ? -1.0 : 1.0,
                                  .weight_decay = o.weight_decay,
                                  .beta1 = o.beta1,
                                  .beta2 = o.beta2,
                                  .eps = o.eps});
  }
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
