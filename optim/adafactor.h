#pragma once

#include <minima/optim/grouped.h>

namespace minima::optim {

struct AdafactorOptions {
  double lr = 1e-2;
  double beta2_decay = -0.8;
  double eps1 = 0;     ///< 0: the distance from 1 to the next number of the dtype
  double eps2 = 1e-3;
  double d = 1;        ///< largest root mean square of an update
  double weight_decay = 0;
  bool maximize = false;

  MINIMA_API void validate() const;
  template <class V>
  void visit(V&& v) {
    v("lr", lr), v("beta2_decay", beta2_decay), v("eps1", eps1), v("eps2", eps2), v("d", d);
    v("weight_decay", weight_decay), v("maximize", maximize);
  }
};
extern template class MINIMA_API Grouped<AdafactorOptions>;

/// Adafactor (Shazeer & Stern, arXiv:1804.04235), as torch.optim.Adafactor: second moments of a matrix as the product of
/// a column R and a row C, so that state is about as large as its edges.
///   ρ = min(γ, 1/√t);   α = max(ε₂, RMS(θ))·ρ;   w = t^β₂decay
///   R ← R + w(mean of g² over columns - R);   C ← C + w(mean over rows - C);   V = RC / max(mean R, ε₁)
///   (vectors: V ← V + w(g² - V));   u = g/√max(V, ε₁²);   θ ← (1 - γλ)θ - α·u / max(1, RMS(u)/d)
class MINIMA_API Adafactor final : public Grouped<AdafactorOptions> {
 public:
  explicit Adafactor(const std::vector<Tensor>& parameters, const AdafactorOptions& options = {})
      : Grouped(parameters, options) {}

 private:
  void update(const ScaledStep& scaled) override;
  std::vector<const char*> state_names(const Slot& slot) const override;
  Shape state_shape(const Slot& slot, const char* name) const override;
};

}  // namespace minima::optim
