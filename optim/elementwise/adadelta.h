#pragma once

#include <minima/optim/grouped.h>

namespace minima::optim {

struct AdadeltaOptions {
  Setting<double> lr = preset(1);
  Setting<double> rho = preset(0.9);
  Setting<double> eps = preset(1e-6);
  Setting<double> weight_decay = preset(0);
  Setting<bool> maximize = preset(false);

  MINIMA_API void validate() const;
  template <class V>
  void visit(V&& v) {
    v("lr", lr), v("rho", rho), v("eps", eps), v("weight_decay", weight_decay), v("maximize", maximize);
  }
};
extern template class MINIMA_API Grouped<AdadeltaOptions>;

/// Adadelta (Zeiler, arXiv:1212.5701), as torch.optim.Adadelta:
///   g ← ∇ + λθ;   v ← ρv + (1-ρ)g²;   δ = √(u + ε)/√(v + ε) · g;   u ← ρu + (1-ρ)δ²;   θ ← θ - γδ
class MINIMA_API Adadelta final : public Grouped<AdadeltaOptions> {
 public:
  explicit Adadelta(const Parameters<AdadeltaOptions>& parameters, const AdadeltaOptions& options = {})
      : Grouped(parameters, options) {}

 private:
  void update(const ScaledStep& scaled) override;
  std::vector<const char*> state_names(const Slot& slot) const override;
};

}  // namespace minima::optim
