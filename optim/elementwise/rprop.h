#pragma once

#include <minima/optim/grouped.h>

namespace minima::optim {

struct RpropOptions {
  Setting<double> lr = preset(1e-2);
  Setting<double> eta_minus = preset(0.5);
  Setting<double> eta_plus = preset(1.2);
  Setting<double> smallest_step = preset(1e-6);
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

/// Resilient backpropagation (Riedmiller & Braun, 1993), as torch.optim.Rprop; for gradients of the whole data set:
///   s ← clamp(s · (g·g' > 0 ? η⁺ : g·g' < 0 ? η⁻ : 1), smallest, largest);   g ← 0 where g·g' < 0
///   θ ← θ - sign(g)·s
/// with the gradient g' of the step before. `lr` is what all steps s start with.
class MINIMA_API Rprop final : public Grouped<RpropOptions> {
 public:
  explicit Rprop(const Parameters<RpropOptions>& parameters, const RpropOptions& options = {})
      : Grouped(parameters, options) {}

 private:
  void update(const ScaledStep& scaled) override;
  std::vector<const char*> state_names(const Slot& slot) const override;
};

}  // namespace minima::optim
