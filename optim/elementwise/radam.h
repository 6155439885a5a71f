#pragma once

#include <minima/optim/elementwise_optimizer.h>

namespace minima::optim {

struct RAdamOptions {
  Setting<double> lr = preset(1e-3);
  Setting<double> beta1 = preset(0.9);
  Setting<double> beta2 = preset(0.999);
  Setting<double> eps = preset(1e-8);
  Setting<double> weight_decay = preset(0);
  Setting<bool> decoupled_weight_decay = preset(false);
  Setting<bool> maximize = preset(false);

  template <class V>
  void visit(V&& v) {
    v("lr", lr), v("beta1", beta1), v("beta2", beta2), v("eps", eps), v("weight_decay", weight_decay);
    v("decoupled_weight_decay", decoupled_weight_decay), v("maximize", maximize);
  }
};
extern template class MINIMA_API Grouped<RAdamOptions>;
extern template class MINIMA_API ElementwiseOptimizer<RAdamOptions>;

/// RAdam (Liu et al., arXiv:1908.03265): Adam that steps without v until the variance of v is tractable, as
/// torch.optim.RAdam.
///   g ← ∇ + λθ   or, decoupled,   θ ← (1 - γλ)θ, g ← ∇
///   m ← β₁m + (1-β₁)g;   v ← β₂v + (1-β₂)g²;   ρ∞ = 2/(1-β₂) - 1;   ρ = ρ∞ - 2tβ₂ᵗ/(1-β₂ᵗ)
///   θ ← θ - γ/(1-β₁ᵗ) · m · (ρ > 5 ? √((ρ-4)(ρ-2)ρ∞ / ((ρ∞-4)(ρ∞-2)ρ)) · √(1-β₂ᵗ)/(√v + ε) : 1)
class MINIMA_API RAdam final : public ElementwiseOptimizer<RAdamOptions> {
 public:
  explicit RAdam(const Parameters<RAdamOptions>& parameters, const RAdamOptions& options = {})
      : ElementwiseOptimizer(parameters, options) {}
};

}  // namespace minima::optim
