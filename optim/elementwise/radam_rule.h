#pragma once

#include <minima/optim/elementwise/radam.h>
#include <minima/optim/update/rule.h>

namespace minima::optim {

namespace rules {

struct RAdam {
  static constexpr StateNames states{"exp_avg", "exp_avg_sq"};
  double lr = 0, sign = 1, l2 = 0, decoupled = 0, beta1 = 0, beta2 = 0, eps = 0;
  double shrink = 1;
  double step_size = 0;      ///< γ / (1 - β₁ᵗ)
  double rectification = 0;  ///< √(1 - β₂ᵗ) · r; 0 while the variance is unreliable (ρ ≤ 5)
  MINIMA_HD void prepare(const StepCount& count) {
    const double t = count.steps, correction2 = bias_correction(beta2, t);
    shrink = 1 - lr * decoupled;
    step_size = lr / bias_correction(beta1, t);
    const double most = 2 / (1 - beta2) - 1;                            // ρ∞
    const double rho = most - 2 * t * (1 - correction2) / correction2;  // ρₜ
    rectification = 0;
    if (rho > 5)
      rectification =
          math::sqrt(correction2) * math::sqrt((rho - 4) * (rho - 2) * most / ((most - 4) * (most - 2) * rho));
  }
  template <class T>
  MINIMA_HD void operator()(T& p, T g, T& m, T& v) const {
    g = static_cast<T>(sign) * g + static_cast<T>(l2) * p;
    p *= static_cast<T>(shrink);
    m += (g - m) * static_cast<T>(1 - beta1);
    v = v * static_cast<T>(beta2) + static_cast<T>(1 - beta2) * g * g;
    const T adaptive = static_cast<T>(rectification) / (math::sqrt(v) + static_cast<T>(eps));
    p -= static_cast<T>(step_size) * m * (rectification > 0 ? adaptive : T(1));
  }
};

}  // namespace rules

inline rules::RAdam rule_for(const RAdamOptions& o) {
  return {.lr = o.lr,
          .sign = o.maximize ? -1.0 : 1.0,
          .l2 = o.decoupled_weight_decay ? 0 : double{o.weight_decay},
          .decoupled = o.decoupled_weight_decay ? double{o.weight_decay} : 0,
          .beta1 = o.beta1,
          .beta2 = o.beta2,
          .eps = o.eps};
}

}  // namespace minima::optim
