#pragma once

#include <minima/optim/grouped.h>

namespace minima::optim {

struct SgdOptions {
  Setting<double> lr = preset(1e-3);
  Setting<double> momentum = preset(0);
  Setting<double> dampening = preset(0);
  Setting<double> weight_decay = preset(0);
  Setting<bool> nesterov = preset(false);
  Setting<bool> maximize = preset(false);

  MINIMA_API void validate() const;
  template <class V>
  void visit(V&& v) {
    v("lr", lr), v("momentum", momentum), v("dampening", dampening), v("weight_decay", weight_decay);
    v("nesterov", nesterov), v("maximize", maximize);
  }
};
extern template class MINIMA_API Grouped<SgdOptions>;

/// Stochastic gradient descent (torch.optim.SGD):
///   g ← ∇ + λ·θ;   b ← g at the first step, μ·b + (1 - τ)·g later;   θ ← θ - γ·(nesterov ? g + μ·b : b)
/// with learning rate γ, momentum μ, dampening τ, weight decay λ; without momentum b is g.
class MINIMA_API SGD final : public Grouped<SgdOptions> {
 public:
  explicit SGD(const Parameters<SgdOptions>& parameters, const SgdOptions& options = {})
      : Grouped(parameters, options) {}

 private:
  void update(const ScaledStep& scaled) override;
  std::vector<const char*> state_names(const Slot& slot) const override;
};

}  // namespace minima::optim
