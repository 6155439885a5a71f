#pragma once

#include <minima/optim/grouped.h>

namespace minima::optim {

struct AdagradOptions {
  Setting<double> lr = preset(1e-2);
  Setting<double> lr_decay = preset(0);
  Setting<double> weight_decay = preset(0);
  Setting<double> initial_accumulator_value = preset(0);
  Setting<double> eps = preset(1e-10);
  Setting<bool> maximize = preset(false);

  MINIMA_API void validate() const;
  template <class V>
  void visit(V&& v) {
    v("lr", lr), v("lr_decay", lr_decay), v("weight_decay", weight_decay), v("eps", eps);
    v("initial_accumulator_value", initial_accumulator_value), v("maximize", maximize);
  }
};
extern template class MINIMA_API Grouped<AdagradOptions>;

/// Adagrad (Duchi, Hazan & Singer, JMLR 12, 2011), as torch.optim.Adagrad:
///   g ← ∇ + λθ;   s ← s + g²;   θ ← θ - γ/(1 + (t-1)η) · g/(√s + ε)
/// with s starting at `initial_accumulator_value` and the decay η of the learning rate.
class MINIMA_API Adagrad final : public Grouped<AdagradOptions> {
 public:
  explicit Adagrad(const Parameters<AdagradOptions>& parameters, const AdagradOptions& options = {})
      : Grouped(parameters, options) {}

 private:
  void update(const ScaledStep& scaled) override;
  std::vector<const char*> state_names(const Slot& slot) const override;
};

}  // namespace minima::optim
