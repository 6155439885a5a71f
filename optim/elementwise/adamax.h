#pragma once

#include <minima/optim/elementwise_optimizer.h>

namespace minima::optim {

struct AdamaxOptions {
  Setting<double> lr = preset(2e-3);
  Setting<double> beta1 = preset(0.9);
  Setting<double> beta2 = preset(0.999);
  Setting<double> eps = preset(1e-8);
  Setting<double> weight_decay = preset(0);
  Setting<bool> maximize = preset(false);

  template <class V>
  void visit(V&& v) {
    v("lr", lr), v("beta1", beta1), v("beta2", beta2), v("eps", eps), v("weight_decay", weight_decay);
    v("maximize", maximize);
  }
};
extern template class MINIMA_API Grouped<AdamaxOptions>;
extern template class MINIMA_API ElementwiseOptimizer<AdamaxOptions>;

/// Adamax (Kingma & Ba, arXiv:1412.6980, section 7.1): Adam with the infinity norm, as torch.optim.Adamax.
///   g ← ∇ + λθ;   m ← β₁m + (1-β₁)g;   u ← max(β₂u, |g| + ε);   θ ← θ - γ/(1-β₁ᵗ) · m/u
class MINIMA_API Adamax final : public ElementwiseOptimizer<AdamaxOptions> {
 public:
  explicit Adamax(const Parameters<AdamaxOptions>& parameters, const AdamaxOptions& options = {})
      : ElementwiseOptimizer(parameters, options) {}
};

}  // namespace minima::optim
