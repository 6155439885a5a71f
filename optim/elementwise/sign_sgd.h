#pragma once

#include <minima/optim/elementwise_optimizer.h>

namespace minima::optim {

struct SignSGDOptions {
  Setting<double> lr = preset(1e-4);
  Setting<double> weight_decay = preset(0);
  Setting<bool> maximize = preset(false);

  template <class V>
  void visit(V&& v) {
    v("lr", lr), v("weight_decay", weight_decay), v("maximize", maximize);
  }
};
extern template class MINIMA_API Grouped<SignSGDOptions>;
extern template class MINIMA_API ElementwiseOptimizer<SignSGDOptions>;

/// signSGD (Bernstein et al., arXiv:1802.04434) with decoupled weight decay: every element moves by γ, without state.
///   θ ← (1 - γλ)θ - γ·sign(g)
/// Elements whose gradient is 0 or NaN only decay.
class MINIMA_API SignSGD final : public ElementwiseOptimizer<SignSGDOptions> {
 public:
  explicit SignSGD(const Parameters<SignSGDOptions>& parameters, const SignSGDOptions& options = {})
      : ElementwiseOptimizer(parameters, options) {}
};

}  // namespace minima::optim
