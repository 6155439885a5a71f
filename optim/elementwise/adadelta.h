#pragma once

#include <minima/optim/elementwise_optimizer.h>

namespace minima::optim {

struct AdadeltaOptions {
  Setting<double> lr = preset(1);
  Setting<double> rho = preset(0.9);
  Setting<double> eps = preset(1e-6);
  Setting<double> weight_decay = preset(0);
  Setting<bool> maximize = preset(false);

  void validate() const { detail::expect(rho >= 0 && rho <= 1, "rho must be in [0, 1]", rho); }
  template <class V>
  void visit(V&& v) {
    v("lr", lr), v("rho", rho), v("eps", eps), v("weight_decay", weight_decay), v("maximize", maximize);
  }
};
extern template class MINIMA_API Grouped<AdadeltaOptions>;
extern template class MINIMA_API ElementwiseOptimizer<AdadeltaOptions>;

/// Adadelta (Zeiler, arXiv:1212.5701), as torch.optim.Adadelta:
///   g ← ∇ + λθ;   v ← ρv + (1-ρ)g²;   δ = √(u + ε)/√(v + ε) · g;   u ← ρu + (1-ρ)δ²;   θ ← θ - γδ
class MINIMA_API Adadelta final : public ElementwiseOptimizer<AdadeltaOptions> {
 public:
  explicit Adadelta(const Parameters<AdadeltaOptions>& parameters, const AdadeltaOptions& options = {})
      : ElementwiseOptimizer(parameters, options) {}
};

}  // namespace minima::optim
