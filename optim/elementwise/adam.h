#pragma once

#include <minima/optim/elementwise_optimizer.h>

namespace minima::optim {

/// Decoupled: AdamW, whose weight decay defaults to 0.01 as in PyTorch.
template <bool Decoupled>
struct AdamOptionsOf {
  Setting<double> lr = preset(1e-3);
  Setting<double> beta1 = preset(0.9);
  Setting<double> beta2 = preset(0.999);
  Setting<double> eps = preset(1e-8);
  Setting<double> weight_decay = preset(Decoupled ? 1e-2 : 0.0);
  Setting<bool> amsgrad = preset(false);
  Setting<bool> maximize = preset(false);

  template <class V>
  void visit(V&& v) {
    v("lr", lr), v("beta1", beta1), v("beta2", beta2), v("eps", eps), v("weight_decay", weight_decay);
    v("amsgrad", amsgrad), v("maximize", maximize);
  }
};
using AdamOptions = AdamOptionsOf<false>;
using AdamWOptions = AdamOptionsOf<true>;
extern template class MINIMA_API Grouped<AdamOptions>;
extern template class MINIMA_API ElementwiseOptimizer<AdamOptions>;
extern template class MINIMA_API Grouped<AdamWOptions>;
extern template class MINIMA_API ElementwiseOptimizer<AdamWOptions>;

/// Adam (Kingma & Ba, arXiv:1412.6980), as torch.optim.Adam:
///   g ← ∇ + λθ
///   m ← β₁m + (1-β₁)g;   v ← β₂v + (1-β₂)g²;   θ ← θ - γ/(1-β₁ᵗ) · m / (√v/√(1-β₂ᵗ) + ε)
/// with learning rate γ and weight decay λ. With amsgrad (Reddi et al., ICLR 2018) the largest v so far takes the place
/// of v. t counts the updates of each parameter separately.
class MINIMA_API Adam final : public ElementwiseOptimizer<AdamOptions> {
 public:
  explicit Adam(const Parameters<AdamOptions>& parameters, const AdamOptions& options = {})
      : ElementwiseOptimizer(parameters, options) {}
};
/// AdamW (Loshchilov & Hutter, arXiv:1711.05101), as torch.optim.AdamW: Adam with decoupled weight decay,
///   θ ← (1 - γλ)θ,   g ← ∇
class MINIMA_API AdamW final : public ElementwiseOptimizer<AdamWOptions> {
 public:
  explicit AdamW(const Parameters<AdamWOptions>& parameters, const AdamWOptions& options = {})
      : ElementwiseOptimizer(parameters, options) {}
};

}  // namespace minima::optim
