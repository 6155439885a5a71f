#pragma once

#include <minima/optim/elementwise/lion.h>
#include <minima/optim/update/rule.h>

namespace minima::optim {

namespace rules {

struct Lion {
  static constexpr StateNames states{"exp_avg"};
  double lr = 0, sign = 1, decoupled = 0, beta1 = 0, beta2 = 0;
  double shrink = 1;  ///< 1 - γλ
  MINIMA_HD void prepare(const StepCount&) { shrink = 1 - lr * decoupled; }
  template <class T>
  MINIMA_HD void operator()(T& p, T g, T& m) const {
    g *= static_cast<T>(sign);
    p *= static_cast<T>(shrink);
    p -= static_cast<T>(lr) * math::sign(static_cast<T>(beta1) * m + static_cast<T>(1 - beta1) * g);
    m = static_cast<T>(beta2) * m + static_cast<T>(1 - beta2) * g;
  }
};

}  // namespace rules

inline rules::Lion rule_for(const LionOptions& o) {
  return {.lr = o.lr, .sign = o.maximize ? -1.0 : 1.0, .decoupled = o.weight_decay, .beta1 = o.beta1, .beta2 = o.beta2};
}

}  // namespace minima::optim
