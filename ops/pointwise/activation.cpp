#include <minima/ops/pointwise/activation.h>

#include <minima/ops/loops/zero_of.h>
#include <minima/ops/pointwise/activation_gradient.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/pointwise/functors/activation.h>
#include <minima/ops/pointwise/trigonometry.h>

namespace minima {

namespace functor = pointwise::functor;

namespace {

using detail::activation_gradient;

template <class Self, class F>
using Activation = Unary<Self, F, full_floating>;

struct Relu : Unary<Relu, functor::Relu> {
  static constexpr Traits traits{.name = "relu"};
  Tensor gradient(Grad g, Output y) const { return where(y <= 0, detail::zero_of(g), g); }
  Tensor fast_gradient(Grad g, Output y) const { return activation_gradient(functor::ReluGradient{}, g, y); }
};

struct Gelu : Activation<Gelu, functor::Gelu> {
  static constexpr Traits traits{.name = "gelu"};
  Tensor gradient(Grad g, Input<0> x) const {
    constexpr double root_half = 0.70710678118654752, density_at_0 = 0.39894228040143268;
    return g * (erfc(x * -root_half) * 0.5 + x * exp(x * x * -0.5) * density_at_0);
  }
  Tensor fast_gradient(Grad g, Input<0> x) const { return activation_gradient(functor::GeluGradient{}, g, x); }
};

struct GeluTanh : Activation<GeluTanh, functor::GeluTanh> {
  static constexpr Traits traits{.name = "gelu_tanh"};
  Tensor gradient(Grad g, Input<0> x) const {
    constexpr double twice = 2 * 0.79788456080286536;
    const Tensor near = clamp(x, -100, 100), squared = near * near,
                 s = sigmoid((near + squared * near * 0.044715) * twice);
    return g * (s * (near * (1 - s) * (squared * 0.134145 + 1) * twice + 1));
  }
  Tensor fast_gradient(Grad g, Input<0> x) const { return activation_gradient(functor::GeluTanhGradient{}, g, x); }
};

struct Sigmoid : Activation<Sigmoid, functor::Sigmoid> {
  static constexpr Traits traits{.name = "sigmoid"};
  Tensor gradient(Grad g, Output y) const { return g * ((1 - y) * y); }
  Tensor fast_gradient(Grad g, Output y) const { return activation_gradient(functor::SigmoidGradient{}, g, y); }
};

struct Tanh : Activation<Tanh, functor::Tanh> {
  static constexpr Traits traits{.name = "tanh"};
  Tensor gradient(Grad g, Output y) const { return g * (1 - y * y); }
  Tensor fast_gradient(Grad g, Output y) const { return activation_gradient(functor::TanhGradient{}, g, y); }
};

struct Silu : Activation<Silu, functor::Silu> {
  static constexpr Traits traits{.name = "silu"};
  Tensor gradient(Grad g, Input<0> x) const {
    const Tensor s = sigmoid(x);
    return g * (s * (x * (1 - s) + 1));
  }
  Tensor fast_gradient(Grad g, Input<0> x) const { return activation_gradient(functor::SiluGradient{}, g, x); }
};

}  // namespace

Tensor relu(const Tensor& x) { return apply(Relu{}, x); }
Tensor gelu(const Tensor& x) { return apply(Gelu{}, x); }
Tensor gelu_tanh(const Tensor& x) { return apply(GeluTanh{}, x); }
Tensor sigmoid(const Tensor& x) { return apply(Sigmoid{}, x); }
Tensor tanh(const Tensor& x) { return apply(Tanh{}, x); }
Tensor silu(const Tensor& x) { return apply(Silu{}, x); }

void relu_(const Tensor& x) { apply_in_place(Relu{}, x); }

}  // namespace minima
