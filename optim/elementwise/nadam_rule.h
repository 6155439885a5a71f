#pragma once

#include <minima/optim/elementwise/nadam.h>
#include <minima/optim/update/rule.h>

namespace minima::optim {

namespace rules {

struct NAdam {
  static constexpr StateNames states{"exp_avg", "exp_avg_sq"};
  double lr = 0, sign = 1, l2 = 0, decoupled = 0, beta1 = 0, beta2 = 0, eps = 0, momentum_decay = 0;
  double shrink = 1, correction2 = 1;
  double step_of_gradient = 0, step_of_momentum = 0;  ///< weights of g/d and m/d in the step
  /// μₜ
  MINIMA_HD double momentum(double t) const {
    constexpr double log_of_096 = -0.040821994520255166;
    return beta1 * (1 - 0.5 * math::exp(t * momentum_decay * log_of_096));
  }
  /// The product is Πₜ = μ₁⋯μₜ.
  MINIMA_HD void advance(StepCount& count) const { count.product *= momentum(count.steps); }
  MINIMA_HD void prepare(const StepCount& count) {
    const double mu = momentum(count.steps), next = momentum(count.steps + 1);
    shrink = 1 - lr * decoupled;
    correction2 = bias_correction(beta2, count.steps);
    step_of_gradient = lr * (1 - mu) / (1 - count.product);
    step_of_momentum = lr * next / (1 - count.product * next);
  }
  template <class T>
  MINIMA_HD void operator()(T& p, T g, T& m, T& v) const {
    g = static_cast<T>(sign) * g + static_cast<T>(l2) * p;
    p *= static_cast<T>(shrink);
    m += (g - m) * static_cast<T>(1 - beta1);
    v = v * static_cast<T>(beta2) + static_cast<T>(1 - beta2) * g * g;
    const T root = math::sqrt(v / static_cast<T>(correction2)) + static_cast<T>(eps);
    p -= static_cast<T>(step_of_gradient) * (g / root) + static_cast<T>(step_of_momentum) * (m / root);
  }
};

}  // namespace rules

inline rules::NAdam rule_for(const NAdamOptions& o) {
  return {.lr = o.lr,
          .sign = o.maximize ? -1.0 : 1.0,
          .l2 = o.decoupled_weight_decay ? 0 : double{o.weight_decay},
          .decoupled = o.decoupled_weight_decay ? double{o.weight_decay} : 0,
          .beta1 = o.beta1,
          .beta2 = o.beta2,
          .eps = o.eps,
          .momentum_decay = o.momentum_decay};
}

}  // namespace minima::optim
