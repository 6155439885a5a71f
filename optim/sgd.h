#pragma once

#include <minima/optim/grouped.h>

namespace minima::optim {

struct SgdOptions {
  double lr = 1e-3;
  double momentum = 0;
  double dampening = 0;
  double weight_decay = 0;
  bool nesterov = false;
  bool maximize = false;

  MINIMA_API void validate() const;
  template <class V>
  void visit(V&& v) {
    v("lr", lr), v("momentum", momentum), v("dampening", dampening), v("weight_decay", weight_decay);
    v("nesterov", nesterov), v("maximize", maximize);
  }
};
extern template class MINIMA_API Grouped<SgdOptions>;

/// Stochastic gradient descent (torch.optim.SGD):
///   g ← ∇ + λ·θ;   b ← g at the first step, μ·b + (1 - τ)·g later;   θ ← θ - γ·(nesterov ? g + μ·b : b)
/// with learning rate γ, momentum μ, dampening τ, weight decay λ; without momentum b is g.
class MINIMA_API SGD final : public Grouped<SgdOptions> {
 public:
  explicit SGD(const std::vector<Tensor>& parameters, const SgdOptions& options = {}) : Grouped(parameters, options) {}

 private:
  void update(const ScaledStep& scaled) override;
  std::vector<const char*> state_names(const Slot& slot) const override;
};

}  // namespace minima::optim
