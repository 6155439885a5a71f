#pragma once

#include <minima/ops/math/math.h>
#include <minima/optim/run.h>

// The updates of single elements, built for the CPU and for CUDA: see elementwise.h. A rule is a struct of numbers.
// What depends on the step is worked out by `at`, once for a parameter on the CPU, once in each block on CUDA, so that
// a step's number and the learning rate may be known to the device alone.

namespace minima::optim::rules {

using detail::Progress;

/// Rules here have kernels on CUDA (multi_tensor.cuh).
template <class Rule> void built_for_cuda(const Rule&);

struct Plain {
  static constexpr int states = 0;
  double lr = 0, weight_decay = 0, sign = 1;
  MINIMA_HD void advance(Progress&) const {}
  MINIMA_HD void at(const Progress&) {}
  template <class T>
  MINIMA_HD void operator()(T& p, T g) const {
    p -= static_cast<T>(lr) * (static_cast<T>(sign) * g + static_cast<T>(weight_decay) * p);
  }
};

struct Momentum {
  static constexpr int states = 1;
  double lr = 0, weight_decay = 0, sign = 1;
  double momentum = 0, dampening = 0;
  double ahead = 0, of_buffer = 1;  ///< the step is ahead·g + of_buffer·b: (0, 1), or (1, μ) for Nesterov
  double keep = 0, take = 1;        ///< of the buffer and of the gradient
  MINIMA_HD void advance(Progress&) const {}
  MINIMA_HD void at(const Progress& progress) {
    keep = progress.steps == 1 ? 0 : momentum;
    take = progress.steps == 1 ? 1 : 1 - dampening;
  }
  template <class T>
  MINIMA_HD void operator()(T& p, T g, T& b) const {
    g = static_cast<T>(sign) * g + static_cast<T>(weight_decay) * p;
    b = static_cast<T>(keep) * b + static_cast<T>(take) * g;
    p -= static_cast<T>(lr) * (static_cast<T>(ahead) * g + static_cast<T>(of_buffer) * b);
  }
};

template <bool Amsgrad>
struct Adam {
  static constexpr int states = Amsgrad ? 3 : 2;
  double lr = 0, sign = 1;
  double l2 = 0;         ///< weight decay that is added to the gradient
  double decoupled = 0;  ///< weight decay of the parameter itself
  double beta1 = 0, beta2 = 0, eps = 0;
  double shrink = 1;           ///< 1 - γλ
  double step_size = 0;        ///< γ / (1 - β₁ᵗ)
  double root_correction = 1;  ///< √(1 - β₂ᵗ)
  MINIMA_HD void advance(Progress&) const {}
  MINIMA_HD void at(const Progress& progress) {
    shrink = 1 - lr * decoupled;
    step_size = lr / (1 - math::pow(beta1, progress.steps));
    root_correction = math::sqrt(1 - math::pow(beta2, progress.steps));
  }

  template <class T, class... Largest>
  MINIMA_HD void operator()(T& p, T g, T& m, T& v, Largest&... largest) const {
    g = static_cast<T>(sign) * g + static_cast<T>(l2) * p;
    p *= static_cast<T>(shrink);
    m += (g - m) * static_cast<T>(1 - beta1);
    v = v * static_cast<T>(beta2) + static_cast<T>(1 - beta2) * g * g;
    T second = v;
    if constexpr (Amsgrad) ((second = largest = largest > v ? largest : v), ...);
    p -= static_cast<T>(step_size) * (m / (math::sqrt(second) / static_cast<T>(root_correction) + static_cast<T>(eps)));
  }
};

}  // namespace minima::optim::rules
