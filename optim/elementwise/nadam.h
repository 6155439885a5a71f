#pragma once

#include <minima/optim/elementwise_optimizer.h>

namespace minima::optim {

struct NAdamOptions {
  Setting<double> lr = preset(2e-3);
  Setting<double> beta1 = preset(0.9);
  Setting<double> beta2 = preset(0.999);
  Setting<double> eps = preset(1e-8);
  Setting<double> weight_decay = preset(0);
  Setting<double> momentum_decay = preset(4e-3);  ///< ψ
  Setting<bool> decoupled_weight_decay = preset(false);
  Setting<bool> maximize = preset(false);

  void validate() const { detail::expect(momentum_decay >= 0, "momentum_decay must not be negative", momentum_decay); }
  template <class V>
  void visit(V&& v) {
    v("lr", lr), v("beta1", beta1), v("beta2", beta2), v("eps", eps), v("weight_decay", weight_decay);
    v("momentum_decay", momentum_decay), v("decoupled_weight_decay", decoupled_weight_decay), v("maximize", maximize);
  }
};
extern template class MINIMA_API Grouped<NAdamOptions>;
extern template class MINIMA_API ElementwiseOptimizer<NAdamOptions>;

/// NAdam (Dozat, ICLR 2016 workshop): Adam with Nesterov's momentum, as torch.optim.NAdam.
///   g ← ∇ + λθ   or, decoupled,   θ ← (1 - γλ)θ, g ← ∇
///   μₜ = β₁(1 - ½·0.96^(tψ));   m ← β₁m + (1-β₁)g;   v ← β₂v + (1-β₂)g²;   d = √(v/(1-β₂ᵗ)) + ε
///   θ ← θ - γ(1-μₜ)/(1-Πₜ) · g/d - γμₜ₊₁/(1-Πₜμₜ₊₁) · m/d,   Πₜ = μ₁⋯μₜ
class MINIMA_API NAdam final : public ElementwiseOptimizer<NAdamOptions> {
 public:
  explicit NAdam(const Parameters<NAdamOptions>& parameters, const NAdamOptions& options = {})
      : ElementwiseOptimizer(parameters, options) {}

 private:
  const char* product_name() const override { return "mu_product"; }
};

}  // namespace minima::optim
