#pragma once

#include <minima/optim/rules.h>

namespace minima::optim::rules {

/// Moves an average (in the parameter's place) towards a value (in the gradient's) by a share of the way.
struct Average {
  static constexpr int states = 0;
  double lr = 0;  ///< the share
  MINIMA_HD void advance(Progress&) const {}
  MINIMA_HD void at(const Progress&) {}
  template <class T>
  MINIMA_HD void operator()(T& average, T value) const {
    average += (value - average) * static_cast<T>(lr);
  }
};

}  // namespace minima::optim::rules
