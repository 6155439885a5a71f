#pragma once

#include <minima/ops/pointwise.h>

namespace minima::detail {

/// The fused derivative of an activation, g · f'(·). Never recorded, so it has no gradient of its own.
template <class F>
struct ActivationGradient : Binary<ActivationGradient<F>, F, full_floating> {
  static constexpr Traits traits{.name = "activation_gradient"};
};

/// g and x (or y) through a functor (T g, T x).
template <class F>
Tensor activation_gradient(const F& f, const Tensor& g, const Tensor& x) {
  ActivationGradient<F> op;
  op.f = f;
  return apply(op, g, x);
}

}  // namespace minima::detail
