#pragma once

#include <minima/optim/grouped.h>

namespace minima::optim {

/// Decoupled: the decay of AdamW, whose default is 0.01 as in PyTorch.
template <bool Decoupled>
struct AdamOptionsOf {
  Setting<double> lr = preset(1e-3);
  Setting<double> beta1 = preset(0.9);
  Setting<double> beta2 = preset(0.999);
  Setting<double> eps = preset(1e-8);
  Setting<double> weight_decay = preset(Decoupled ? 1e-2 : 0.0);
  Setting<bool> amsgrad = preset(false);
  Setting<bool> maximize = preset(false);

  MINIMA_API void validate() const;
  template <class V>
  void visit(V&& v) {
    v("lr", lr), v("beta1", beta1), v("beta2", beta2), v("eps", eps), v("weight_decay", weight_decay);
    v("amsgrad", amsgrad), v("maximize", maximize);
  }
};
using AdamOptions = AdamOptionsOf<false>;
using AdamWOptions = AdamOptionsOf<true>;
extern template class MINIMA_API Grouped<AdamOptions>;
extern template class MINIMA_API Grouped<AdamWOptions>;

/// Adam (Kingma & Ba, arXiv:1412.6980) and AdamW (Loshchilov & Hutter, arXiv:1711.05101), as torch.optim has them:
///   g ← ∇ + λ·θ (Adam)   or   θ ← (1 - γλ)·θ, g ← ∇ (AdamW)
///   m ← β₁m + (1-β₁)g;   v ← β₂v + (1-β₂)g²;   θ ← θ - γ/(1-β₁ᵗ) · m / (√v/√(1-β₂ᵗ) + ε)
/// with learning rate γ and weight decay λ. amsgrad (Reddi et al., ICLR 2018) takes the largest v so far. t counts the
/// updates of each parameter by itself.
template <bool Decoupled>
class MINIMA_API AdamOf final : public Grouped<AdamOptionsOf<Decoupled>> {
 public:
  explicit AdamOf(const Parameters<AdamOptionsOf<Decoupled>>& parameters, const AdamOptionsOf<Decoupled>& options = {})
      : Grouped<AdamOptionsOf<Decoupled>>(parameters, options) {}
  std::string type_name() const override;

 private:
  using Slot = Optimizer::Slot;
  void update(const ScaledStep& scaled) override;
  std::vector<const char*> state_names(const Slot& slot) const override;
};
extern template class MINIMA_API AdamOf<false>;
extern template class MINIMA_API AdamOf<true>;
using Adam = AdamOf<false>;
using AdamW = AdamOf<true>;

}  // namespace minima::optim
