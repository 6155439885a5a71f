#pragma once

#include <minima/optim/elementwise_optimizer.h>

namespace minima::optim {

struct LionOptions {
  Setting<double> lr = preset(1e-4);
  Setting<double> beta1 = preset(0.9);
  Setting<double> beta2 = preset(0.99);
  Setting<double> weight_decay = preset(0);
  Setting<bool> maximize = preset(false);

  template <class V>
  void visit(V&& v) {
    v("lr", lr), v("beta1", beta1), v("beta2", beta2), v("weight_decay", weight_decay), v("maximize", maximize);
  }
};
extern template class MINIMA_API Grouped<LionOptions>;
extern template class MINIMA_API ElementwiseOptimizer<LionOptions>;

/// Lion (Chen et al., arXiv:2302.06675): every element moves by γ in the direction of a sign.
///   θ ← (1 - γλ)θ - γ·sign(β₁m + (1-β₁)g);   m ← β₂m + (1-β₂)g
/// Half the state of Adam. Use a learning rate 3 to 10 times smaller than AdamW's, and a weight decay as much larger.
class MINIMA_API Lion final : public ElementwiseOptimizer<LionOptions> {
 public:
  explicit Lion(const Parameters<LionOptions>& parameters, const LionOptions& options = {})
      : ElementwiseOptimizer(parameters, options) {}
};

}  // namespace minima::optim
