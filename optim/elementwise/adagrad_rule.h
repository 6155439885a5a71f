#pragma once

#include <minima/optim/elementwise/adagrad.h>
#include <minima/optim/update/rule.h>

namespace minima::optim {

namespace rules {

struct Adagrad {
  static constexpr StateNames states{"sum"};
  double lr = 0, sign = 1, l2 = 0, eps = 0, lr_decay = 0, initial_sum = 0;
  double step_size = 0;
  double initial_state(int) const { return initial_sum; }
  MINIMA_HD void prepare(const StepCount& count) { step_size = lr / (1 + (count.steps - 1) * lr_decay); }
  template <class T>
  MINIMA_HD void operator()(T& p, T g, T& sum) const {
    g = static_cast<T>(sign) * g + static_cast<T>(l2) * p;
    sum += g * g;
    p -= static_cast<T>(step_size) * (g / (math::sqrt(sum) + static_cast<T>(eps)));
  }
};

}  // namespace rules

inline rules::Adagrad rule_for(const AdagradOptions& o) {
  return {.lr = o.lr,
          .sign = o.maximize ? -1.0 : 1.0,
          .l2 = o.weight_decay,
          .eps = o.eps,
          .lr_decay = o.lr_decay,
          .initial_sum = o.initial_accumulator_value};
}

}  // namespace minima::optim
