#pragma once

#include <minima/optim/elementwise/rmsprop.h>
#include <minima/optim/update/rule.h>

#include <variant>

namespace minima::optim {

namespace rules {

template <bool HasMomentum, bool Centered>
struct RMSprop {
  static constexpr StateNames states = HasMomentum && Centered ? StateNames{"square_avg", "momentum_buffer", "grad_avg"}
                                       : HasMomentum           ? StateNames{"square_avg", "momentum_buffer"}
                                       : Centered              ? StateNames{"square_avg", "grad_avg"}
                                                               : StateNames{"square_avg"};
  double lr = 0, sign = 1, l2 = 0, alpha = 0, eps = 0, momentum = 0;
  static RMSprop of(const RMSpropOptions& o) {
    return {.lr = o.lr,
            .sign = o.maximize ? -1.0 : 1.0,
            .l2 = o.weight_decay,
            .alpha = o.alpha,
            .eps = o.eps,
            .momentum = o.momentum};
  }
  template <class T, class... More>
  MINIMA_HD void operator()(T& p, T g, T& square, More&... more) const {
    g = static_cast<T>(sign) * g + static_cast<T>(l2) * p;
    square = square * static_cast<T>(alpha) + static_cast<T>(1 - alpha) * g * g;
    if constexpr (HasMomentum && Centered) step_with_both(p, g, square, more...);
    else if constexpr (HasMomentum) step_with_momentum(p, g, square, more...);
    else if constexpr (Centered) p -= static_cast<T>(lr) * (g / root(square - squared_mean(g, more...)));
    else p -= static_cast<T>(lr) * (g / root(square));
  }

 private:
  template <class T> MINIMA_HD T root(T variance) const { return math::sqrt(variance) + static_cast<T>(eps); }
  /// Updates the running mean of the gradient and returns its square.
  template <class T> MINIMA_HD T squared_mean(T g, T& mean) const {
    mean += (g - mean) * static_cast<T>(1 - alpha);
    return mean * mean;
  }
  template <class T> MINIMA_HD void step_with_momentum(T& p, T g, T variance, T& buffer) const {
    buffer = buffer * static_cast<T>(momentum) + g / root(variance);
    p -= static_cast<T>(lr) * buffer;
  }
  template <class T> MINIMA_HD void step_with_both(T& p, T g, T square, T& buffer, T& mean) const {
    step_with_momentum(p, g, square - squared_mean(g, mean), buffer);
  }
};

}  // namespace rules

inline auto rule_for(const RMSpropOptions& o) -> std::variant<rules::RMSprop<false, false>, rules::RMSprop<false, true>,
                                                              rules::RMSprop<true, false>, rules::RMSprop<true, true>> {
  if (o.momentum != 0 && o.centered) return rules::RMSprop<true, true>::of(o);
  if (o.momentum != 0) return rules::RMSprop<true, false>::of(o);
  if (o.centered) return rules::RMSprop<false, true>::of(o);
  return rules::RMSprop<false, false>::of(o);
}

}  // namespace minima::optim
