#pragma once

#include <minima/ops/pointwise.h>

namespace minima::detail {

/// The fused derivative of an activation, g · f'(·). It is never recorded, so it needs no gradient.
template <class F>
struct ActivationGradient : Binary<ActivationGradient<F>, F, full_floating> {
  static constexpr Traits traits{.name = "activation_gradient"};
};

/// Applies a functor (T g, T x) to g and x, or g and y: in g's own memory where nothing else uses it.
template <class F>
Tensor activation_gradient(const F& f, Tensor g, const Tensor& x) {
  ActivationGradient<F> op;
  op.f = f;
  if (!may_overwrite(g) || g.dtype() != x.dtype()) return apply(op, g, x);
  apply_in_place(op, g, x);
  return g;
}

}  // namespace minima::detail
