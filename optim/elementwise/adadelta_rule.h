#pragma once

#include <minima/optim/elementwise/adadelta.h>
#include <minima/optim/update/rule.h>

namespace minima::optim {

namespace rules {

struct Adadelta {
  static constexpr StateNames states{"square_avg", "acc_delta"};
  double lr = 0, sign = 1, l2 = 0, rho = 0, eps = 0;
  template <class T>
  MINIMA_HD void operator()(T& p, T g, T& square, T& moved) const {
    g = static_cast<T>(sign) * g + static_cast<T>(l2) * p;
    square = square * static_cast<T>(rho) + static_cast<T>(1 - rho) * g * g;
    const T delta = math::sqrt(moved + static_cast<T>(eps)) / math::sqrt(square + static_cast<T>(eps)) * g;
    moved = moved * static_cast<T>(rho) + static_cast<T>(1 - rho) * delta * delta;
    p -= static_cast<T>(lr) * delta;
  }
};

}  // namespace rules

inline rules::Adadelta rule_for(const AdadeltaOptions& o) {
  return {.lr = o.lr, .sign = o.maximize ? -1.0 : 1.0, .l2 = o.weight_decay, .rho = o.rho, .eps = o.eps};
}

}  // namespace minima::optim
