#pragma once

#include <minima/optim/elementwise/sgd.h>
#include <minima/optim/update/rule.h>

#include <variant>

namespace minima::optim {

namespace rules {

struct PlainSGD {
  static constexpr StateNames states{};
  double lr = 0, weight_decay = 0, sign = 1;
  template <class T>
  MINIMA_HD void operator()(T& p, T g) const {
    p -= static_cast<T>(lr) * (static_cast<T>(sign) * g + static_cast<T>(weight_decay) * p);
  }
};

struct Momentum {
  static constexpr StateNames states{"momentum_buffer"};
  double lr = 0, weight_decay = 0, sign = 1, momentum = 0, dampening = 0;
  double step_of_gradient = 0, step_of_buffer = 1;  ///< weights of g and b in the step: 0 and 1, or 1 and μ (Nesterov)
  double buffer_decay = 0, buffer_intake = 1;       ///< b ← buffer_decay·b + buffer_intake·g
  MINIMA_HD void prepare(const StepCount& count) {
    buffer_decay = count.steps == 1 ? 0 : momentum;
    buffer_intake = count.steps == 1 ? 1 : 1 - dampening;
  }
  template <class T>
  MINIMA_HD void operator()(T& p, T g, T& b) const {
    g = static_cast<T>(sign) * g + static_cast<T>(weight_decay) * p;
    b = static_cast<T>(buffer_decay) * b + static_cast<T>(buffer_intake) * g;
    p -= static_cast<T>(lr) * (static_cast<T>(step_of_gradient) * g + static_cast<T>(step_of_buffer) * b);
  }
};

}  // namespace rules

inline std::variant<rules::PlainSGD, rules::Momentum> rule_for(const SGDOptions& o) {
  const double sign = o.maximize ? -1 : 1;
  if (o.momentum == 0) return rules::PlainSGD{.lr = o.lr, .weight_decay = o.weight_decay, .sign = sign};
  return rules::Momentum{.lr = o.lr,
                         .weight_decay = o.weight_decay,
                         .sign = sign,
                         .momentum = o.momentum,
                         .dampening = o.dampening,
                         .step_of_gradient = o.nesterov ? 1.0 : 0.0,
                         .step_of_buffer = o.nesterov ? double{o.momentum} : 1};
}

}  // namespace minima::optim
