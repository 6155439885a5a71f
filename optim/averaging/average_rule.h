#pragma once

#include <minima/optim/update/rule.h>

namespace minima::optim::rules {

/// Moves an average (passed as the parameter) towards a value (passed as the gradient).
struct Average {
  static constexpr StateNames states{};
  static constexpr bool reads_halves = false;  ///< values are converted to the average's dtype first
  double lr = 0;                               ///< fraction of the distance to cover
  template <class T>
  MINIMA_HD void operator()(T& average, T value) const {
    average += (value - average) * static_cast<T>(lr);
  }
};

}  // namespace minima::optim::rules
