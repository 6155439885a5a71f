#pragma once

#include <minima/optim/elementwise_optimizer.h>

namespace minima::optim {

struct RpropOptions {
  Setting<double> lr = preset(1e-2);
  Setting<double> eta_minus = preset(0.5);
  Setting<double> eta_plus = preset(1.2);
  Setting<double> smallest_step = preset(1e-6);  ///< from 0 to largest_step
  Setting<double> largest_step = preset(50);
  Setting<bool> maximize = preset(false);

  MINIMA_API void validate() const;
  template <class V>
  void visit(V&& v) {
    v("lr", lr), v("eta_minus", eta_minus), v("eta_plus", eta_plus), v("smallest_step", smallest_step);
    v("largest_step", largest_step), v("maximize", maximize);
  }
};
extern template class MINIMA_API Grouped<RpropOptions>;
extern template class MINIMA_API ElementwiseOptimizer<RpropOptions>;

/// Resilient backpropagation (Riedmiller & Braun, 1993), as torch.optim.Rprop, for full-batch gradients:
///   s ← clamp(s · (g·g' > 0 ? η⁺ : g·g' < 0 ? η⁻ : 1), smallest, largest);   g ← 0 where g·g' < 0
///   θ ← θ - sign(g)·s
/// with the previous gradient g' and step sizes s, which start at `lr`.
class MINIMA_API Rprop final : public ElementwiseOptimizer<RpropOptions> {
 public:
  explicit Rprop(const Parameters<RpropOptions>& parameters, const RpropOptions& options = {})
      : ElementwiseOptimizer(parameters, options) {}
};

}  // namespace minima::optim
