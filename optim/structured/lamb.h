#pragma once

#include <minima/optim/grouped.h>

namespace minima::optim {

struct LambOptions {
  Setting<double> lr = preset(1e-3);
  Setting<double> beta1 = preset(0.9);
  Setting<double> beta2 = preset(0.999);
  Setting<double> eps = preset(1e-6);
  Setting<double> weight_decay = preset(0.01);
  Setting<bool> maximize = preset(false);

  template <class V>
  void visit(V&& v) {
    v("lr", lr), v("beta1", beta1), v("beta2", beta2), v("eps", eps), v("weight_decay", weight_decay);
    v("maximize", maximize);
  }
};
extern template class MINIMA_API Grouped<LambOptions>;

/// LAMB (You et al., arXiv:1904.00962, algorithm 2 with φ(z) = z), for very large batches: Adam's direction, with a
/// step in proportion to the norm of each tensor.
///   m ← β₁m + (1-β₁)g;   v ← β₂v + (1-β₂)g²;   u = m/(1-β₁ᵗ) / (√(v/(1-β₂ᵗ)) + ε) + λθ
///   θ ← θ - γ · r · u,   r = ‖θ‖/‖u‖, or 1 if either norm is 0
class MINIMA_API Lamb final : public Grouped<LambOptions> {
 public:
  explicit Lamb(const Parameters<LambOptions>& parameters, const LambOptions& options = {})
      : Grouped(parameters, options) {}

 private:
  void update(const ScaledStep& scaled) override;
  std::vector<const char*> state_names(const Slot& slot) const override;
};

}  // namespace minima::optim
