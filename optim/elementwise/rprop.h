#pragma once

#include <minima/optim/elementwise_optimizer.h>
#include <minima/tensor/base/check_option.h>

namespace minima::optim {

struct RpropOptions {
  Setting<double> lr = preset(1e-2);
  Setting<double> eta_minus = preset(0.5);
  Setting<double> eta_plus = preset(1.2);
  Setting<double> smallest_step = preset(1e-6);
  Setting<double> largest_step = preset(50);
  Setting<bool> maximize = preset(false);

  void validate() const {
    detail::expect(eta_minus > 0 && eta_minus < 1, "eta_minus must be in (0, 1)", eta_minus);
    detail::expect(eta_plus > 1, "eta_plus must be above 1", eta_plus);
    minima::detail::check_number("optimizer", "smallest_step", smallest_step, minima::detail::from_to(0, largest_step));
  }
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
