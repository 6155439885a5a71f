#pragma once

#include <minima/optim/grouped.h>

namespace minima::optim {

struct AdafactorOptions {
  Setting<double> lr = preset(1e-2);
  Setting<double> beta2_decay = preset(-0.8);
  Setting<double> eps1 = preset(0);  ///< 0: the machine epsilon of the dtype
  Setting<double> eps2 = preset(1e-3);
  Setting<double> d = preset(1);  ///< bound on the root mean square of an update
  Setting<double> weight_decay = preset(0);
  Setting<bool> maximize = preset(false);

  MINIMA_API void validate() const;
  template <class V>
  void visit(V&& v) {
    v("lr", lr), v("beta2_decay", beta2_decay), v("eps1", eps1), v("eps2", eps2), v("d", d);
    v("weight_decay", weight_decay), v("maximize", maximize);
  }
};
extern template class MINIMA_API Grouped<AdafactorOptions>;

/// Adafactor (Shazeer & Stern, arXiv:1804.04235), as torch.optim.Adafactor. The second moment of an [A, B] matrix is
/// the product of a column R [A, 1] and a row C [1, B], so its state has A + B elements instead of A·B.
///   ρ = min(γ, 1/√t);   α = max(ε₂, RMS(θ))·ρ;   w = t^β₂decay
///   R ← R + w(mean of g² over columns - R);   C ← C + w(mean over rows - C);   V = RC / max(mean R, ε₁)
///   (vectors: V ← V + w(g² - V));   u = g/√max(V, ε₁²);   θ ← (1 - γλ)θ - α·u / max(1, RMS(u)/d)
class MINIMA_API Adafactor final : public Grouped<AdafactorOptions> {
 public:
  explicit Adafactor(const Parameters<AdafactorOptions>& parameters, const AdafactorOptions& options = {})
      : Grouped(parameters, options) {}

 private:
  void update(const ScaledStep& scaled) override;
  std::vector<const char*> state_names(const Slot& slot) const override;
  Shape state_shape(const Slot& slot, const char* name) const override;
};

}  // namespace minima::optim
