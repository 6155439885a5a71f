#pragma once

#include <minima/optim/rules.h>

// Relatives of Adam: with averages of the gradient and of its size.

namespace minima::optim::rules {

struct Adamax {
  static constexpr int states = 2;
  double lr = 0, sign = 1, l2 = 0, beta1 = 0, beta2 = 0, eps = 0;
  double step_size = 0;  ///< γ / (1 - β₁ᵗ)
  MINIMA_HD void advance(Progress&) const {}
  MINIMA_HD void at(const Progress& progress) { step_size = lr / (1 - math::pow(beta1, progress.steps)); }
  template <class T>
  MINIMA_HD void operator()(T& p, T g, T& m, T& u) const {
    g = static_cast<T>(sign) * g + static_cast<T>(l2) * p;
    m += (g - m) * static_cast<T>(1 - beta1);
    u = math::max(u * static_cast<T>(beta2), math::abs(g) + static_cast<T>(eps));
    p -= static_cast<T>(step_size) * (m / u);
  }
};

struct NAdam {
  static constexpr int states = 2;
  double lr = 0, sign = 1, l2 = 0, decoupled = 0, beta1 = 0, beta2 = 0, eps = 0, momentum_decay = 0;
  double shrink = 1, correction2 = 1;
  double of_gradient = 0, of_momentum = 0;  ///< their shares of the step
  /// μₜ
  MINIMA_HD double momentum(double t) const { return beta1 * (1 - 0.5 * math::pow(0.96, t * momentum_decay)); }
  /// The product is that of all μ so far.
  MINIMA_HD void advance(Progress& progress) const { progress.product *= momentum(progress.steps); }
  MINIMA_HD void at(const Progress& progress) {
    const double mu = momentum(progress.steps), next = momentum(progress.steps + 1);
    shrink = 1 - lr * decoupled;
    correction2 = 1 - math::pow(beta2, progress.steps);
    of_gradient = lr * (1 - mu) / (1 - progress.product);
    of_momentum = lr * next / (1 - progress.product * next);
  }
  template <class T>
  MINIMA_HD void operator()(T& p, T g, T& m, T& v) const {
    g = static_cast<T>(sign) * g + static_cast<T>(l2) * p;
    p *= static_cast<T>(shrink);
    m += (g - m) * static_cast<T>(1 - beta1);
    v = v * static_cast<T>(beta2) + static_cast<T>(1 - beta2) * g * g;
    const T root = math::sqrt(v / static_cast<T>(correction2)) + static_cast<T>(eps);
    p -= static_cast<T>(of_gradient) * (g / root) + static_cast<T>(of_momentum) * (m / root);
  }
};

struct RAdam {
  static constexpr int states = 2;
  double lr = 0, sign = 1, l2 = 0, decoupled = 0, beta1 = 0, beta2 = 0, eps = 0;
  double shrink = 1;
  double step_size = 0;  ///< γ / (1 - β₁ᵗ)
  double rectified = 0;  ///< √(1 - β₂ᵗ) · r; 0 while the variance is not to be trusted
  MINIMA_HD void advance(Progress&) const {}
  MINIMA_HD void at(const Progress& progress) {
    const double t = progress.steps, power = math::pow(beta2, t);
    shrink = 1 - lr * decoupled;
    step_size = lr / (1 - math::pow(beta1, t));
    const double most = 2 / (1 - beta2) - 1;                // ρ∞
    const double rho = most - 2 * t * power / (1 - power);  // ρₜ
    rectified = 0;
    if (rho > 5)
      rectified = math::sqrt(1 - power) * math::sqrt((rho - 4) * (rho - 2) * most / ((most - 4) * (most - 2) * rho));
  }
  template <class T>
  MINIMA_HD void operator()(T& p, T g, T& m, T& v) const {
    g = static_cast<T>(sign) * g + static_cast<T>(l2) * p;
    p *= static_cast<T>(shrink);
    m += (g - m) * static_cast<T>(1 - beta1);
    v = v * static_cast<T>(beta2) + static_cast<T>(1 - beta2) * g * g;
    const T adaptive = static_cast<T>(rectified) / (math::sqrt(v) + static_cast<T>(eps));
    p -= static_cast<T>(step_size) * m * (rectified > 0 ? adaptive : T(1));
  }
};

/// The update of LAMB before its layer-wise trust ratio: the third state holds it.
struct LambDirection {
  static constexpr int states = 3;
  double lr = 0, sign = 1, weight_decay = 0, beta1 = 0, beta2 = 0, eps = 0;
  double correction1 = 1, correction2 = 1;
  MINIMA_HD void advance(Progress&) const {}
  MINIMA_HD void at(const Progress& progress) {
    correction1 = 1 - math::pow(beta1, progress.steps);
    correction2 = 1 - math::pow(beta2, progress.steps);
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

}  // namespace minima::optim::rules
