#pragma once

#include <minima/optim/elementwise_optimizer.h>

namespace minima::optim {

struct SGDOptions {
  Setting<double> lr = preset(1e-3);
  Setting<double> momentum = preset(0);
  Setting<double> dampening = preset(0);
  Setting<double> weight_decay = preset(0);
  Setting<bool> nesterov = preset(false);
  Setting<bool> maximize = preset(false);

  void validate() const {
    detail::expect(!nesterov || momentum > 0, "nesterov needs a momentum above 0", momentum);
    detail::expect(!nesterov || dampening == 0, "nesterov needs a dampening of 0", dampening);
  }
  template <class V>
  void visit(V&& v) {
    v("lr", lr), v("momentum", momentum), v("dampening", dampening), v("weight_decay", weight_decay);
    v("nesterov", nesterov), v("maximize", maximize);
  }
};
extern template class MINIMA_API Grouped<SGDOptions>;
extern template class MINIMA_API ElementwiseOptimizer<SGDOptions>;

/// Stochastic gradient descent, as torch.optim.SGD:
///   g ← ∇ + λ·θ;   b ← g at the first step, μ·b + (1 - τ)·g later;   θ ← θ - γ·(nesterov ? g + μ·b : b)
/// with learning rate γ, momentum μ, dampening τ and weight decay λ. Without momentum b is g.
class MINIMA_API SGD final : public ElementwiseOptimizer<SGDOptions> {
 public:
  explicit SGD(const Parameters<SGDOptions>& parameters, const SGDOptions& options = {})
      : ElementwiseOptimizer(parameters, options) {}
};

}  // namespace minima::optim
