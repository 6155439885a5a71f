#include <minima/optim/elementwise/adam.h>

#include <minima/optim/elementwise.h>
#include <minima/optim/grouped_impl.h>
#include <minima/optim/rules.h>

namespace minima::optim {

namespace {

template <bool Amsgrad, bool Decoupled>
rules::Adam<Amsgrad> rule_for(const AdamOptionsOf<Decoupled>& o) {
  return {.lr = o.lr,
          .sign = o.maximize ? -1.0 : 1.0,
          .l2 = Decoupled ? 0 : double{o.weight_decay},
          .decoupled = Decoupled ? double{o.weight_decay} : 0,
          .beta1 = o.beta1,
          .beta2 = o.beta2,
          .eps = o.eps};
}

}  // namespace

template <bool Decoupled>
void AdamOptionsOf<Decoupled>::validate() const {
  detail::expect(lr >= 0, "lr must not be negative", lr);
  detail::expect(beta1 >= 0 && beta1 < 1, "beta1 must lie in [0, 1)", beta1);
  detail::expect(beta2 >= 0 && beta2 < 1, "beta2 must lie in [0, 1)", beta2);
  detail::expect(eps >= 0, "eps must not be negative", eps);
  detail::expect(weight_decay >= 0, "weight_decay must not be negative", weight_decay);
}

template <bool Decoupled>
std::string AdamOf<Decoupled>::type_name() const {
  return Decoupled ? "AdamW" : "Adam";
}

template <bool Decoupled>
void AdamOf<Decoupled>::update(const ScaledStep& scaled) {
  detail::Step pass(*this, scaled);
  for (Slot& slot : this->slots_) {
    const auto& o = this->options_[slot.group];
    if (!pass.add(slot, o.amsgrad ? 3 : 2)) continue;
    if (o.amsgrad) pass.use(rule_for<true>(o));
    else pass.use(rule_for<false>(o));
  }
  pass.run();
}

template <bool Decoupled>
std::vector<const char*> AdamOf<Decoupled>::state_names(const Slot& slot) const {
  if (this->options_[slot.group].amsgrad) return {"exp_avg", "exp_avg_sq", "max_exp_avg_sq"};
  return {"exp_avg", "exp_avg_sq"};
}

template class Grouped<AdamOptions>;
template class Grouped<AdamWOptions>;
template struct AdamOptionsOf<false>;
template struct AdamOptionsOf<true>;
template class AdamOf<false>;
template class AdamOf<true>;

}  // namespace minima::optim
