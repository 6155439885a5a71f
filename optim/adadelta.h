#pragma once

#include <minima/optim/grouped.h>

namespace minima::optim {

struct AdadeltaOptions {
  double lr = 1;
  double rho = 0.9;
  double eps = 1e-6;
  double weight_decay = 0;
  bool maximize = false;

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
  explicit Adadelta(const std::vector<Tensor>& parameters, const AdadeltaOptions& options = {})
      : Grouped(parameters, options) {}

 private:
  void update(const ScaledStep& scaled) override;
  std::vector<const char*> state_names(const Slot& slot) const override;
};

}  // namespace minima::optim
