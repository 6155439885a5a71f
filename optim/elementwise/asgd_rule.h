#pragma once

#include <minima/optim/elementwise/asgd.h>
#include <minima/optim/update/rule.h>

namespace minima::optim {

namespace rules {

struct ASGD {
  static constexpr StateNames states{"ax"};
  double lr = 0, sign = 1, l2 = 0, lambd = 0, alpha = 0, t0 = 0;
  double step_size = 0, share = 1;
  /// The product is η of the next step.
  MINIMA_HD void prepare(StepCount& count) {
    step_size = count.steps == 1 ? lr : count.product;
    share = 1 / math::max(1.0, count.steps - 1 - t0);
    count.product = lr * math::exp(-alpha * math::log1p(lambd * lr * count.steps));
  }
  template <class T>
  MINIMA_HD void operator()(T& p, T g, T& average) const {
    g = static_cast<T>(sign) * g + static_cast<T>(l2) * p;
    p = p * static_cast<T>(1 - lambd * step_size) - static_cast<T>(step_size) * g;
    average = share == 1 ? p : average + (p - average) * static_cast<T>(share);
  }
};

}  // namespace rules

inline rules::ASGD rule_for(const ASGDOptions& o) {
  return {.lr = o.lr,
          .sign = o.maximize ? -1.0 : 1.0,
          .l2 = o.weight_decay,
          .lambd = o.lambd,
          .alpha = o.alpha,
          .t0 = o.t0};
}

}  // namespace minima::optim
