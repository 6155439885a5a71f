#pragma once

#include <minima/ops/pointwise.h>

namespace minima::detail {

/// The fused derivative of an activation, g · f'(·). It is never recorded, so it needs no gradient.
template <class F>
struct ActivationGradient : Binary<ActivationGradient<F>, F, full_floating> {
  static constexpr Traits traits{.name = "activation_gradient"};
};

/// Applies a functor (T g, T x) to g and x, or g and y.
template <class F>
Tensor activation_gradient(const F& f, const Tensor& g, const Tensor& x) {
  ActivationGradient<F> op;
  op.f = f;
  return apply(op, g, x);
}

}  // namespace minima::detail
