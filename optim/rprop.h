#pragma once

#include <minima/optim/grouped.h>

namespace minima::optim {

struct RpropOptions {
  double lr = 1e-2;
  double eta_minus = 0.5;
  double eta_plus = 1.2;
  double smallest_step = 1e-6;
  double largest_step = 50;
  bool maximize = false;

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
  explicit Rprop(const std::vector<Tensor>& parameters, const RpropOptions& options = {})
      : Grouped(parameters, options) {}

 private:
  void update(const ScaledStep& scaled) override;
  std::vector<const char*> state_names(const Slot& slot) const override;
};

}  // namespace minima::optim
