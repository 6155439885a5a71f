#pragma once

#include <minima/optim/grouped.h>

namespace minima::optim {

struct LambOptions {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-6;
  double weight_decay = 0.01;
  bool maximize = false;

  MINIMA_API void validate() const;
  template <class V>
  void visit(V&& v) {
    v("lr", lr), v("beta1", beta1), v("beta2", beta2), v("eps", eps), v("weight_decay", weight_decay);
    v("maximize", maximize);
  }
};
extern template class MINIMA_API Grouped<LambOptions>;

/// LAMB (You et al., arXiv:1904.00962, algorithm 2 with φ(z) = z): Adam's direction with a step for each tensor in
/// proportion to its norm, for very large batches.
///   m ← β₁m + (1-β₁)g;   v ← β₂v + (1-β₂)g²;   u = m/(1-β₁ᵗ) / (√(v/(1-β₂ᵗ)) + ε) + λθ
///   θ ← θ - γ · r · u,   r = ‖θ‖/‖u‖, or 1 where one of them is 0
class MINIMA_API Lamb final : public Grouped<LambOptions> {
 public:
  explicit Lamb(const std::vector<Tensor>& parameters, const LambOptions& options = {}) : Grouped(parameters, options) {}

 private:
  void update(const ScaledStep& scaled) override;
  std::vector<const char*> state_names(const Slot& slot) const override;
};

}  // namespace minima::optim
