#pragma once

#include <minima/optim/rules.h>

// Rules that scale or clip the gradient by what it was before: Adagrad's family, and those that take signs.

namespace minima::optim::rules {

struct Adagrad {
  static constexpr int states = 1;
  double lr = 0, sign = 1, l2 = 0, eps = 0, lr_decay = 0;
  double step_size = 0;
  MINIMA_HD void advance(Progress&) const {}
  MINIMA_HD void at(const Progress& progress) { step_size = lr / (1 + (progress.steps - 1) * lr_decay); }
  template <class T>
  MINIMA_HD void operator()(T& p, T g, T& sum) const {
    g = static_cast<T>(sign) * g + static_cast<T>(l2) * p;
    sum += g * g;
    p -= static_cast<T>(step_size) * (g / (math::sqrt(sum) + static_cast<T>(eps)));
  }
};

struct Adadelta {
  static constexpr int states = 2;
  double lr = 0, sign = 1, l2 = 0, rho = 0, eps = 0;
  MINIMA_HD void advance(Progress&) const {}
  MINIMA_HD void at(const Progress&) {}
  template <class T>
  MINIMA_HD void operator()(T& p, T g, T& square, T& moved) const {
    g = static_cast<T>(sign) * g + static_cast<T>(l2) * p;
    square = square * static_cast<T>(rho) + static_cast<T>(1 - rho) * g * g;
    const T delta = math::sqrt(moved + static_cast<T>(eps)) / math::sqrt(square + static_cast<T>(eps)) * g;
    moved = moved * static_cast<T>(rho) + static_cast<T>(1 - rho) * delta * delta;
    p -= static_cast<T>(lr) * delta;
  }
};

/// States: the mean square, then the momentum's buffer and the mean, where there are such.
template <bool HasMomentum, bool Centered>
struct RmsProp {
  static constexpr int states = 1 + HasMomentum + Centered;
  double lr = 0, sign = 1, l2 = 0, alpha = 0, eps = 0, momentum = 0;
  MINIMA_HD void advance(Progress&) const {}
  MINIMA_HD void at(const Progress&) {}
  template <class T, class... More>
  MINIMA_HD void operator()(T& p, T g, T& square, More&... more) const {
    g = static_cast<T>(sign) * g + static_cast<T>(l2) * p;
    square = square * static_cast<T>(alpha) + static_cast<T>(1 - alpha) * g * g;
    if constexpr (HasMomentum && Centered) with_both(p, g, square, more...);
    else if constexpr (HasMomentum) with_momentum(p, g, square, more...);
    else if constexpr (Centered) p -= static_cast<T>(lr) * (g / root(square - centre(g, more...)));
    else p -= static_cast<T>(lr) * (g / root(square));
  }

 private:
  template <class T> MINIMA_HD T root(T variance) const { return math::sqrt(variance) + static_cast<T>(eps); }
  /// The square of the running mean.
  template <class T> MINIMA_HD T centre(T g, T& mean) const {
    mean += (g - mean) * static_cast<T>(1 - alpha);
    return mean * mean;
  }
  template <class T> MINIMA_HD void with_momentum(T& p, T g, T variance, T& buffer) const {
    buffer = buffer * static_cast<T>(momentum) + g / root(variance);
    p -= static_cast<T>(lr) * buffer;
  }
  template <class T> MINIMA_HD void with_both(T& p, T g, T square, T& buffer, T& mean) const {
    with_momentum(p, g, square - centre(g, mean), buffer);
  }
};

struct Rprop {
  static constexpr int states = 2;
  double lr = 0, sign = 1, eta_minus = 0, eta_plus = 0, smallest = 0, largest = 0;
  MINIMA_HD void advance(Progress&) const {}
  MINIMA_HD void at(const Progress&) {}
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

struct Lion {
  static constexpr int states = 1;
  double lr = 0, sign = 1, decoupled = 0, beta1 = 0, beta2 = 0;
  double shrink = 1;
  MINIMA_HD void advance(Progress&) const {}
  MINIMA_HD void at(const Progress&) { shrink = 1 - lr * decoupled; }
  template <class T>
  MINIMA_HD void operator()(T& p, T g, T& m) const {
    g *= static_cast<T>(sign);
    p *= static_cast<T>(shrink);
    p -= static_cast<T>(lr) * math::sign(static_cast<T>(beta1) * m + static_cast<T>(1 - beta1) * g);
    m = static_cast<T>(beta2) * m + static_cast<T>(1 - beta2) * g;
  }
};

}  // namespace minima::optim::rules
