#pragma once

#include <minima/optim/elementwise/sign_sgd.h>
#include <minima/optim/update/rule.h>

namespace minima::optim {

namespace rules {

struct SignSGD {
  static constexpr StateNames states{};
  double lr = 0, sign = 1, decoupled = 0;
  double shrink = 1;  ///< 1 - γλ
  MINIMA_HD void prepare(const StepCount&) { shrink = 1 - lr * decoupled; }
  template <class T>
  MINIMA_HD void operator()(T& p, T g) const {
    p = p * static_cast<T>(shrink) - static_cast<T>(lr) * math::sign(static_cast<T>(sign) * g);
  }
};

}  // namespace rules

inline rules::SignSGD rule_for(const SignSGDOptions& o) {
  return {.lr = o.lr, .sign = o.maximize ? -1.0 : 1.0, .decoupled = o.weight_decay};
}

}  // namespace minima::optim
