#pragma once

#include <minima/optim/elementwise_optimizer.h>

namespace minima::optim {

struct RMSpropOptions {
  Setting<double> lr = preset(1e-2);
  Setting<double> alpha = preset(0.99);
  Setting<double> eps = preset(1e-8);
  Setting<double> weight_decay = preset(0);
  Setting<double> momentum = preset(0);
  Setting<bool> centered = preset(false);
  Setting<bool> maximize = preset(false);

  void validate() const { detail::expect(alpha >= 0 && alpha <= 1, "alpha must be in [0, 1]", alpha); }
  template <class V>
  void visit(V&& v) {
    v("lr", lr), v("alpha", alpha), v("eps", eps), v("weight_decay", weight_decay), v("momentum", momentum);
    v("centered", centered), v("maximize", maximize);
  }
};
extern template class MINIMA_API Grouped<RMSpropOptions>;
extern template class MINIMA_API ElementwiseOptimizer<RMSpropOptions>;

/// RMSprop (Tieleman & Hinton, lecture 6.5 of "Neural networks for machine learning", 2012), as torch.optim.RMSprop:
///   g ← ∇ + λθ;   v ← αv + (1-α)g²;   d = √v + ε   or, centered,   a ← αa + (1-α)g, d = √(v - a²) + ε
///   b ← μb + g/d;   θ ← θ - γb
class MINIMA_API RMSprop final : public ElementwiseOptimizer<RMSpropOptions> {
 public:
  explicit RMSprop(const Parameters<RMSpropOptions>& parameters, const RMSpropOptions& options = {})
      : ElementwiseOptimizer(parameters, options) {}
};

}  // namespace minima::optim
