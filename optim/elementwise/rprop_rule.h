#pragma once

#include <minima/optim/elementwise/rprop.h>
#include <minima/optim/update/rule.h>

namespace minima::optim {

namespace rules {

struct Rprop {
  static constexpr StateNames states{"prev", "step_size"};
  double lr = 0, sign = 1, eta_minus = 0, eta_plus = 0, smallest = 0, largest = 0;
  double initial_state(int i) const { return i == 1 ? lr : 0; }
  template <class T>
  MINIMA_HD void operator()(T& p, T g, T& previous, T& size) const {
    g *= static_cast<T>(sign);
    const T agreement = g * previous;
    const T factor = agreement > 0 ? static_cast<T>(eta_plus) : agreement < 0 ? static_cast<T>(eta_minus) : T(1);
    size = math::min(math::max(size * factor, static_cast<T>(smallest)), static_cast<T>(largest));
    g = agreement < 0 ? T(0) : g;
    p -= math::sign(g) * size;
    previous = g;
  }
};

}  // namespace rules

inline rules::Rprop rule_for(const RpropOptions& o) {
  return {.lr = o.lr,
          .sign = o.maximize ? -1.0 : 1.0,
          .eta_minus = o.eta_minus,
          .eta_plus = o.eta_plus,
          .smallest = o.smallest_step,
          .largest = o.largest_step};
}

}  // namespace minima::optim
