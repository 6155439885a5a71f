#pragma once

#include <minima/optim/structured/lamb.h>
#include <minima/optim/update/rule.h>

namespace minima::optim {

namespace rules {

/// LAMB's update before the trust ratio of each tensor; the third state holds it.
struct LambDirection {
  static constexpr StateNames states{"exp_avg", "exp_avg_sq", "direction"};
  double lr = 0, sign = 1, weight_decay = 0, beta1 = 0, beta2 = 0, eps = 0;
  double correction1 = 1, correction2 = 1;
  MINIMA_HD void prepare(const StepCount& count) {
    correction1 = bias_correction(beta1, count.steps);
    correction2 = bias_correction(beta2, count.steps);
  }
  template <class T>
  MINIMA_HD void operator()(T& p, T g, T& m, T& v, T& direction) const {
    g *= static_cast<T>(sign);
    m += (g - m) * static_cast<T>(1 - beta1);
    v = v * static_cast<T>(beta2) + static_cast<T>(1 - beta2) * g * g;
    const T root = math::sqrt(v / static_cast<T>(correction2)) + static_cast<T>(eps);
    direction = m / static_cast<T>(correction1) / root + static_cast<T>(weight_decay) * p;
  }
};

}  // namespace rules

inline rules::LambDirection rule_for(const LambOptions& o) {
  return {.lr = o.lr,
          .sign = o.maximize ? -1.0 : 1.0,
          .weight_decay = o.weight_decay,
          .beta1 = o.beta1,
          .beta2 = o.beta2,
          .eps = o.eps};
}

}  // namespace minima::optim
