#pragma once

#include <minima/optim/elementwise/adamax.h>
#include <minima/optim/update/rule.h>

namespace minima::optim {

namespace rules {

struct Adamax {
  static constexpr StateNames states{"exp_avg", "exp_inf"};
  double lr = 0, sign = 1, l2 = 0, beta1 = 0, beta2 = 0, eps = 0;
  double step_size = 0;  ///< γ / (1 - β₁ᵗ)
  MINIMA_HD void prepare(const StepCount& count) { step_size = lr / bias_correction(beta1, count.steps); }
  template <class T>
  MINIMA_HD void operator()(T& p, T g, T& m, T& u) const {
    g = static_cast<T>(sign) * g + static_cast<T>(l2) * p;
    m += (g - m) * static_cast<T>(1 - beta1);
    u = math::max(u * static_cast<T>(beta2), math::abs(g) + static_cast<T>(eps));
    p -= static_cast<T>(step_size) * (m / u);
  }
};

}  // namespace rules

inline rules::Adamax rule_for(const AdamaxOptions& o) {
  return {.lr = o.lr,
          .sign = o.maximize ? -1.0 : 1.0,
          .l2 = o.weight_decay,
          .beta1 = o.beta1,
          .beta2 = o.beta2,
          .eps = o.eps};
}

}  // namespace minima::optim
