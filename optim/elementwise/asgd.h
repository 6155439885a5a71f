#pragma once

#include <minima/optim/elementwise_optimizer.h>

namespace minima::optim {

struct ASGDOptions {
  Setting<double> lr = preset(1e-2);
  Setting<double> lambd = preset(1e-4);
  Setting<double> alpha = preset(0.75);
  Setting<double> t0 = preset(1e6);  ///< the step after which parameters are averaged
  Setting<double> weight_decay = preset(0);
  Setting<bool> maximize = preset(false);

  MINIMA_API void validate() const;
  template <class V>
  void visit(V&& v) {
    v("lr", lr), v("lambd", lambd), v("alpha", alpha), v("t0", t0), v("weight_decay", weight_decay);
    v("maximize", maximize);
  }
};
extern template class MINIMA_API Grouped<ASGDOptions>;
extern template class MINIMA_API ElementwiseOptimizer<ASGDOptions>;

/// Averaged stochastic gradient descent (Polyak & Juditsky, 1992), as torch.optim.ASGD:
///   g ← ∇ + weight_decay·θ;   θ ← (1 - λη)θ - ηg;   ax ← ax + (θ - ax) / max(1, t - 1 - t₀)
///   η = γ in the first step t = 1, and for the next one η ← γ / (1 + λγt)^α
/// A schedule of γ therefore takes effect one step late. The averages are the state `ax`; averages of all weights
/// during training: averaging.h.
class MINIMA_API ASGD final : public ElementwiseOptimizer<ASGDOptions> {
 public:
  explicit ASGD(const Parameters<ASGDOptions>& parameters, const ASGDOptions& options = {})
      : ElementwiseOptimizer(parameters, options) {}

 private:
  const char* product_name() const override { return "eta"; }
};

}  // namespace minima::optim
