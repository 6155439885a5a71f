#include <minima/optim/elementwise/adagrad.h>

#include <minima/ops/pointwise/arithmetic.h>
#include <minima/optim/elementwise.h>
#include <minima/optim/elementwise/rules/scale_rules.h>
#include <minima/optim/grouped_impl.h>

namespace minima::optim {

template class Grouped<AdagradOptions>;

void AdagradOptions::validate() const {
  detail::expect_usual(*this);
  detail::expect(lr_decay >= 0, "lr_decay must not be negative", lr_decay);
  detail::expect(initial_accumulator_value >= 0, "initial_accumulator_value must not be negative",
                 initial_accumulator_value);
}

void Adagrad::update(const ScaledStep& scaled) {
  detail::Step pass(*this, scaled);
  for (Slot& slot : slots_) {
    const auto& o = options_[slot.group];
    if (!pass.add(slot, 1)) continue;
    if (pass.is_first() && o.initial_accumulator_value != 0) fill_(slot.state[0], o.initial_accumulator_value);
    pass.use(rules::Adagrad{
        .lr = o.lr, .sign = o.maximize ? -1.0 : 1.0, .l2 = o.weight_decay, .eps = o.eps, .lr_decay = o.lr_decay});
  }
  pass.run();
}

std::vector<const char*> Adagrad::state_names(const Slot&) const { return {"sum"}; }

}  // namespace minima::optim
