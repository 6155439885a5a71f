#pragma once

#include <minima/ops/math.h>

// The updates of single elements, built for the CPU and for CUDA: see elementwise.h.

namespace minima::optim::rules {

/// Rules here have kernels on CUDA (multi_tensor.cuh).
template <class Rule> void built_for_cuda(const Rule&);

struct Plain {
  static constexpr int states = 0;
  double lr, weight_decay, sign;
  template <class T>
  MINIMA_HD void operator()(T& p, T g) const {
    p -= static_cast<T>(lr) * (static_cast<T>(sign) * g + static_cast<T>(weight_decay) * p);
  }
};

struct Momentum {
  static constexpr int states = 1;
  double lr, weight_decay, sign;
  double keep, take;        ///< of the buffer and of the gradient: 0 and 1 at the first step
  double ahead, of_buffer;  ///< the step is ahead·g + of_buffer·b: (0, 1), or (1, μ) for Nesterov
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
  double sign;
  double l2;            ///< weight decay that is added to the gradient
  double shrink;        ///< decoupled weight decay: 1 - γλ
  double beta2, eps;
  double take1, take2;  ///< 1 - β₁, 1 - β₂
  double step_size;     ///< γ / (1 - β₁ᵗ)
  double root_correction;  ///< √(1 - β₂ᵗ)

  template <class T, class... Largest>
  MINIMA_HD void operator()(T& p, T g, T& m, T& v, Largest&... largest) const {
    g = static_cast<T>(sign) * g + static_cast<T>(l2) * p;
    p *= static_cast<T>(shrink);
    m += (g - m) * static_cast<T>(take1);
    v = v * static_cast<T>(beta2) + static_cast<T>(take2) * g * g;
    T second = v;
    if constexpr (Amsgrad) ((second = largest = largest > v ? largest : v), ...);
    p -= static_cast<T>(step_size) * (m / (math::sqrt(second) / static_cast<T>(root_correction) + static_cast<T>(eps)));
  }
};

}  // namespace minima::optim::rules
