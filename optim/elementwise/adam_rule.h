#pragma once

#include <minima/optim/elementwise/adam.h>
#include <minima/optim/update/rule.h>

#include <variant>

namespace minima::optim {

namespace rules {

template <bool Amsgrad>
struct Adam {
  static constexpr StateNames states =
      Amsgrad ? StateNames{"exp_avg", "exp_avg_sq", "max_exp_avg_sq"} : StateNames{"exp_avg", "exp_avg_sq"};
  double lr = 0, sign = 1;
  double l2 = 0;         ///< weight decay added to the gradient (Adam)
  double decoupled = 0;  ///< weight decay applied to the parameter (AdamW)
  double beta1 = 0, beta2 = 0, eps = 0;
  double shrink = 1;           ///< 1 - γλ
  double step_size = 0;        ///< γ / (1 - β₁ᵗ)
  double root_correction = 1;  ///< √(1 - β₂ᵗ)

  template <bool Decoupled>
  static Adam of(const AdamOptionsOf<Decoupled>& o) {
    return {.lr = o.lr,
            .sign = o.maximize ? -1.0 : 1.0,
            .l2 = Decoupled ? 0 : double{o.weight_decay},
            .decoupled = Decoupled ? double{o.weight_decay} : 0,
            .beta1 = o.beta1,
            .beta2 = o.beta2,
            .eps = o.eps};
  }
  MINIMA_HD void prepare(const StepCount& count) {
    shrink = 1 - lr * decoupled;
    step_size = lr / bias_correction(beta1, count.steps);
    root_correction = math::sqrt(bias_correction(beta2, count.steps));
  }

  template <class T, class... Largest>
  MINIMA_HD void operator()(T& p, T g, T& m, T& v, Largest&... largest) const {
    g = static_cast<T>(sign) * g + static_cast<T>(l2) * p;
    p *= static_cast<T>(shrink);
    m += (g - m) * static_cast<T>(1 - beta1);
    v = v * static_cast<T>(beta2) + static_cast<T>(1 - beta2) * g * g;
    T second = v;
    if constexpr (Amsgrad) ((second = largest = largest > v ? largest : v), ...);
    p -= static_cast<T>(step_size) * (m / (math::sqrt(second) / static_cast<T>(root_correction) + static_cast<T>(eps)));
  }
};

}  // namespace rules

template <bool Decoupled>
std::variant<rules::Adam<false>, rules::Adam<true>> rule_for(const AdamOptionsOf<Decoupled>& o) {
  if (o.amsgrad) return rules::Adam<true>::of(o);
  return rules::Adam<false>::of(o);
}

}  // namespace minima::optim
