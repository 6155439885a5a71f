#pragma once

#include <minima/optim/elementwise_optimizer.h>

namespace minima::optim {

struct AdagradOptions {
  Setting<double> lr = preset(1e-2);
  Setting<double> lr_decay = preset(0);
  Setting<double> weight_decay = preset(0);
  Setting<double> initial_accumulator_value = preset(0);
  Setting<double> eps = preset(1e-10);
  Setting<bool> maximize = preset(false);

  void validate() const {
    detail::expect(lr_decay >= 0, "lr_decay must not be negative", lr_decay);
    detail::expect(initial_accumulator_value >= 0, "initial_accumulator_value must not be negative",
                   initial_accumulator_value);
  }
  template <class V>
  void visit(V&& v) {
    v("lr", lr), v("lr_decay", lr_decay), v("weight_decay", weight_decay), v("eps", eps);
    v("initial_accumulator_value", initial_accumulator_value), v("maximize", maximize);
  }
};
extern template class MINIMA_API Grouped<AdagradOptions>;
extern template class MINIMA_API ElementwiseOptimizer<AdagradOptions>;

/// Adagrad (Duchi, Hazan & Singer, JMLR 12, 2011), as torch.optim.Adagrad:
///   g ← ∇ + λθ;   s ← s + g²;   θ ← θ - γ/(1 + (t-1)η) · g/(√s + ε)
/// with learning rate decay η and s starting at `initial_accumulator_value`.
class MINIMA_API Adagrad final : public ElementwiseOptimizer<AdagradOptions> {
 public:
  explicit Adagrad(const Parameters<AdagradOptions>& parameters, const AdagradOptions& options = {})
      : ElementwiseOptimizer(parameters, options) {}
};

}  // namespace minima::optim
