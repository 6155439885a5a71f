#pragma once

#include <minima/optim/grouped.h>

namespace minima::optim {

struct LionOptions {
  Setting<double> lr = preset(1e-4);
  Setting<double> beta1 = preset(0.9);
  Setting<double> beta2 = preset(0.99);
  Setting<double> weight_decay = preset(0);
  Setting<bool> maximize = preset(false);

  MINIMA_API void validate() const;
  template <class V>
  void visit(V&& v) {
    v("lr", lr), v("beta1", beta1), v("beta2", beta2), v("weight_decay", weight_decay), v("maximize", maximize);
  }
};
extern template class MINIMA_API Grouped<LionOptions>;

/// Lion (Chen et al., arXiv:2302.06675): steps of one size in the direction of a sign.
///   θ ← (1 - γλ)θ - γ·sign(β₁m + (1-β₁)g);   m ← β₂m + (1-β₂)g
/// Half the state of Adam; wants a learning rate 3 to 10 times smaller and a decay as much larger than AdamW.
class MINIMA_API Lion final : public Grouped<LionOptions> {
 public:
  explicit Lion(const Parameters<LionOptions>& parameters, const LionOptions& options = {})
      : Grouped(parameters, options) {}

 private:
  void update(const ScaledStep& scaled) override;
  std::vector<const char*> state_names(const Slot& slot) const override;
};

}  // namespace minima::optim
