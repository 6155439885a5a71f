#include <minima/ops/pointwise/activation.h>

#include <minima/autograd/mode.h>
#include <minima/ops/copy/casts.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/core/apply.h>
#include <minima/ops/core/gradient_arguments.h>
#include <minima/ops/core/op_support.h>
#include <minima/ops/core/spec.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/loops/scalars.h>
#include <minima/ops/pointwise.h>
#include <minima/ops/pointwise/activation_gradient.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/composed.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/pointwise/functors/activation.h>
#include <minima/ops/pointwise/trigonometry.h>
#include <minima/ops/view/split.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace minima {

namespace functor = pointwise::functor;

namespace {

using detail::activation_gradient;
using detail::zero_of;

template <class Self, class F>
using Activation = Unary<Self, F, full_floating>;

struct Gelu : Activation<Gelu, functor::Gelu> {
  static constexpr Traits traits{.name = "gelu"};
  Tensor gradient(Grad g, Input<0> x) const {
    constexpr double root_half = 0.70710678118654752, density_at_0 = 0.39894228040143268;
    return g * (erfc(x * -root_half) * 0.5 + x * exp(x * x * -0.5) * density_at_0);
  }
  Tensor fast_gradient(Grad g, Input<0> x) const {
    return activation_gradient(functor::GeluGradient{}, std::move(g), x);
  }
};

struct GeluTanh : Activation<GeluTanh, functor::GeluTanh> {
  static constexpr Traits traits{.name = "gelu_tanh"};
  Tensor gradient(Grad g, Input<0> x) const {
    constexpr double twice = 2 * 0.79788456080286536;
    const Tensor near = clamp(x, -100, 100), squared = near * near,
                 s = sigmoid((near + squared * near * 0.044715) * twice);
    return g * (s * (near * (1 - s) * (squared * 0.134145 + 1) * twice + 1));
  }
  Tensor fast_gradient(Grad g, Input<0> x) const {
    return activation_gradient(functor::GeluTanhGradient{}, std::move(g), x);
  }
};

/// Never recorded, so it needs no gradient.
struct GluGradient : Ternary<GluGradient, functor::GluGradient, full_floating> {
  static constexpr Traits traits{.name = "glu_gradient"};
};

struct Glu : Binary<Glu, functor::Glu, full_floating> {
  static constexpr Traits traits{.name = "glu"};
  Gradients<2> gradient(Grad g, Input<1> b, Output y, Needs needs) const {
    return {needs[0] ? apply(Glu{}, g, b) : Tensor(), needs[1] ? g * y * sigmoid(-b) : Tensor()};
  }
  Gradients<2> fast_gradient(Grad g, Input<1> b, Output y, Needs needs) const {
    return {needs[0] ? apply(Glu{}, g, b) : Tensor(), needs[1] ? apply(GluGradient{}, g, y, b) : Tensor()};
  }
};

struct Silu : Activation<Silu, functor::Silu> {
  static constexpr Traits traits{.name = "silu"};
  Tensor gradient(Grad g, Input<0> x) const {
    const Tensor s = sigmoid(x);
    return g * (s * (x * (1 - s) + 1));
  }
  Tensor fast_gradient(Grad g, Input<0> x) const {
    return activation_gradient(functor::SiluGradient{}, std::move(g), x);
  }
};

/// Never recorded, so it needs no gradient.
struct SwigluGradient : Ternary<SwigluGradient, functor::SwigluGradient, full_floating> {
  static constexpr Traits traits{.name = "swiglu_gradient"};
};

struct Swiglu : Binary<Swiglu, functor::Swiglu, full_floating> {
  static constexpr Traits traits{.name = "swiglu"};
  Gradients<2> gradient(Grad g, Input<0> gate, Input<1, 0> x, Needs needs) const {
    Tensor by_gate;
    if (needs[0]) {
      const Tensor s = sigmoid(gate);
      by_gate = g * x * (s * (gate * (1 - s) + 1));
    }
    return {by_gate, needs[1] ? apply(Swiglu{}, gate, g) : Tensor()};
  }
  Gradients<2> fast_gradient(Grad g, Input<0> gate, Input<1, 0> x, Needs needs) const {
    Tensor by_x = needs[1] ? apply(Swiglu{}, gate, g) : Tensor();
    if (!needs[0]) return {Tensor(), std::move(by_x)};
    // The last reader of g may overwrite it.
    Tensor by_gate = std::move(g);
    const bool same = by_gate.dtype() == gate.dtype() && by_gate.dtype() == x.dtype();
    if (same && detail::may_overwrite(by_gate)) apply_in_place(SwigluGradient{}, by_gate, gate, x);
    else by_gate = apply(SwigluGradient{}, by_gate, gate, x);
    return {std::move(by_gate), std::move(by_x)};
  }
};

template <class Self>
struct EluFamily : Activation<Self, functor::Elu> {
  Tensor gradient(Grad g, Input<0> x) const {
    const auto& [alpha, scale, rate] = this->f;
    // Above 0 this takes exp(0): an overflow there would make 0 · ∞ = NaN in higher derivatives.
    return where(x > 0, g * scale, g * (exp(relu(-x) * -rate) * (alpha * scale * rate)));
  }
  Tensor fast_gradient(Grad g, Input<0> x) const {
    return activation_gradient(functor::EluGradient{this->f.alpha, this->f.scale, this->f.rate}, std::move(g), x);
  }
};
struct Elu : EluFamily<Elu> {
  static constexpr Traits traits{.name = "elu"};
};
struct Selu : EluFamily<Selu> {
  static constexpr Traits traits{.name = "selu"};
};
struct Celu : EluFamily<Celu> {
  static constexpr Traits traits{.name = "celu"};
};

struct Softplus : Activation<Softplus, functor::Softplus> {
  static constexpr Traits traits{.name = "softplus", .autocast = Cast::to_float32};
  Tensor gradient(Grad g, Input<0> x) const {
    const Tensor z = x * f.beta;
    return where(z > f.threshold, g, g * sigmoid(z));
  }
  Tensor fast_gradient(Grad g, Input<0> x) const {
    return activation_gradient(functor::SoftplusGradient{f.beta, f.threshold}, std::move(g), x);
  }
};

struct Mish : Activation<Mish, functor::Mish> {
  static constexpr Traits traits{.name = "mish"};
  Tensor gradient(Grad g, Input<0> x) const {
    const Tensor th = tanh(softplus(x));
    return g * (th + x * (1 - th * th) * sigmoid(x));
  }
  Tensor fast_gradient(Grad g, Input<0> x) const {
    return activation_gradient(functor::MishGradient{}, std::move(g), x);
  }
};

struct Hardswish : Activation<Hardswish, functor::Hardswish> {
  static constexpr Traits traits{.name = "hardswish"};
  Tensor gradient(Grad g, Input<0> x) const { return where(x <= -3, zero_of(g), where(x >= 3, g, g * (x / 3 + 0.5))); }
  Tensor fast_gradient(Grad g, Input<0> x) const {
    return activation_gradient(functor::HardswishGradient{}, std::move(g), x);
  }
};

struct Hardsigmoid : Activation<Hardsigmoid, functor::Hardsigmoid> {
  static constexpr Traits traits{.name = "hardsigmoid"};
  Tensor gradient(Grad g, Input<0> x) const { return where(logical_and(x > -3, x < 3), g / 6, zero_of(g)); }
  Tensor fast_gradient(Grad g, Input<0> x) const {
    return activation_gradient(functor::HardsigmoidGradient{}, std::move(g), x);
  }
};

/// hardtanh and relu6.
template <class Self>
struct HardtanhFamily : Activation<Self, functor::Hardtanh> {
  Tensor gradient(Grad g, Input<0> x) const {
    return where(logical_and(x > this->f.low, x < this->f.high), g, zero_of(g));
  }
  Tensor fast_gradient(Grad g, Input<0> x) const {
    return activation_gradient(functor::HardtanhGradient{this->f.low, this->f.high}, std::move(g), x);
  }
};
struct Hardtanh : HardtanhFamily<Hardtanh> {
  static constexpr Traits traits{.name = "hardtanh"};
};
struct Relu6 : HardtanhFamily<Relu6> {
  static constexpr Traits traits{.name = "relu6"};
};

struct ReluSquared : Activation<ReluSquared, functor::ReluSquared> {
  static constexpr Traits traits{.name = "relu_squared"};
  Tensor gradient(Grad g, Input<0> x) const { return g * relu(x) * 2; }
  Tensor fast_gradient(Grad g, Input<0> x) const {
    return activation_gradient(functor::ReluSquaredGradient{}, std::move(g), x);
  }
};

struct Softsign : Activation<Softsign, functor::Softsign> {
  static constexpr Traits traits{.name = "softsign"};
  Tensor gradient(Grad g, Input<0> x) const { return g / square(abs(x) + 1); }
  Tensor fast_gradient(Grad g, Input<0> x) const {
    return activation_gradient(functor::SoftsignGradient{}, std::move(g), x);
  }
};

struct LogSigmoid : Activation<LogSigmoid, functor::LogSigmoid> {
  static constexpr Traits traits{.name = "log_sigmoid"};
  Tensor gradient(Grad g, Input<0> x) const { return g * sigmoid(-x); }
  Tensor fast_gradient(Grad g, Input<0> x) const {
    return activation_gradient(functor::LogSigmoidGradient{}, std::move(g), x);
  }
};

/// Both shrink functions have the same derivative: 1 outside [-λ, λ], and 0 at NaN.
template <class Self, class F>
struct Shrinkage : Activation<Self, F> {
  Tensor gradient(Grad g, Input<0> x) const {
    return where(logical_or(x<-this->f.lambda, x> this->f.lambda), g, zero_of(g));
  }
  Tensor fast_gradient(Grad g, Input<0> x) const {
    return activation_gradient(functor::HardshrinkGradient{this->f.lambda}, std::move(g), x);
  }
};
struct Hardshrink : Shrinkage<Hardshrink, functor::Hardshrink> {
  static constexpr Traits traits{.name = "hardshrink"};
};
struct Softshrink : Shrinkage<Softshrink, functor::Softshrink> {
  static constexpr Traits traits{.name = "softshrink"};
};

template <class Op, class F>
Op with(const F& f) {
  Op op;
  op.f = f;
  return op;
}

}  // namespace

Tensor gelu(const Tensor& x) { return apply(Gelu{}, x); }
Tensor gelu_tanh(const Tensor& x) { return apply(GeluTanh{}, x); }
Tensor silu(const Tensor& x) { return apply(Silu{}, x); }
Tensor elu(const Tensor& x, double alpha) {
  detail::check_number("elu", "alpha", alpha, detail::finite);
  return apply(with<Elu>(functor::Elu{.alpha = alpha}), x);
}
Tensor selu(const Tensor& x) {
  return apply(
      with<Selu>(functor::Elu{.alpha = 1.6732632423543772848170429916717, .scale = 1.0507009873554804934193349852946}),
      x);
}
Tensor celu(const Tensor& x, double alpha) {
  if (alpha == 0) throw ValueError("celu: alpha must not be 0, it divides x");
  detail::check_number("celu", "alpha", alpha, detail::finite);
  return apply(with<Celu>(functor::Elu{.alpha = alpha, .rate = 1 / alpha}), x);
}
Tensor softplus(const Tensor& x, double beta, double threshold) {
  detail::check_number("softplus", "beta", beta, detail::finite_not_zero);
  detail::check_number("softplus", "threshold", threshold, detail::any_number);
  return apply(with<Softplus>(functor::Softplus{beta, threshold}), x);
}
Tensor mish(const Tensor& x) { return apply(Mish{}, x); }
Tensor hardswish(const Tensor& x) { return apply(Hardswish{}, x); }
Tensor hardsigmoid(const Tensor& x) { return apply(Hardsigmoid{}, x); }
Tensor hardtanh(const Tensor& x, double low, double high) {
  if (!(low <= high)) throw ValueError(str("hardtanh: low must not be above high, got ", low, " and ", high));
  return apply(with<Hardtanh>(functor::Hardtanh{low, high}), x);
}
Tensor relu6(const Tensor& x) { return apply(with<Relu6>(functor::Hardtanh{0, 6}), x); }
Tensor relu_squared(const Tensor& x) { return apply(ReluSquared{}, x); }
Tensor softsign(const Tensor& x) { return apply(Softsign{}, x); }
Tensor log_sigmoid(const Tensor& x) { return apply(LogSigmoid{}, x); }
Tensor hardshrink(const Tensor& x, double lambda) {
  detail::check_number("hardshrink", "lambda", lambda, detail::not_negative);
  return apply(with<Hardshrink>(functor::Hardshrink{lambda}), x);
}
Tensor softshrink(const Tensor& x, double lambda) {
  detail::check_number("softshrink", "lambda", lambda, detail::not_negative);
  return apply(with<Softshrink>(functor::Softshrink{lambda}), x);
}

Tensor tanhshrink(const Tensor& x) {
  detail::check_defined("tanhshrink", x);
  detail::check_all_floating("tanhshrink", x);
  const Tensor wide = detail::in_full(x);  // the difference cancels
  return cast(wide - tanh(wide), x.dtype());
}

Tensor threshold(const Tensor& x, Scalar limit, Scalar value) {
  detail::check_defined("threshold", x);
  detail::check_number("threshold", value, x.dtype());
  return where(x <= limit, full({}, value, {.dtype = x.dtype(), .device = x.device()}), x);
}

Tensor rrelu(const Tensor& x, double lower, double upper, bool training, RandomGenerator* generator) {
  detail::check_defined("rrelu", x);
  detail::check_number("rrelu", "lower", lower, detail::finite);
  detail::check_number("rrelu", "upper", upper, detail::finite);
  if (!(lower <= upper)) throw ValueError(str("rrelu: lower = ", lower, " must be at most upper = ", upper));
  if (!training) return leaky_relu(x, (lower + upper) / 2);
  const Tensor slopes = no_grad(
      [&] { return (lower + (upper - lower) * rand(x.shape(), {.device = x.device()}, generator)).to(x.dtype()); });
  return where(x >= 0, x, x * slopes);
}

Tensor swiglu(const Tensor& gate, const Tensor& x) { return apply(Swiglu{}, gate, x); }

Tensor glu(const Tensor& x, std::int64_t dim) {
  detail::check_defined("glu", x);
  if (!is_floating(x.dtype())) throw DTypeError(str("glu: needs a floating tensor, got ", x, "; convert it with to()"));
  if (x.rank() == 0) throw ShapeError(str("glu: x needs a dimension to halve, got ", x));
  const int along = wrap_dim(dim, x.rank(), "glu");
  const std::int64_t size = x.shape()[along];
  if (size % 2 != 0) throw ShapeError(str("glu: the size of x ", x, " along dimension ", along, " must be even"));
  const std::vector<Tensor> halves = chunk(x, 2, along);  // one if it is empty
  return apply(Glu{}, halves.front(), halves.back());
}

const Tensor& elu_(const Tensor& x, double alpha) {
  detail::check_number("elu_", "alpha", alpha, detail::finite);
  apply_in_place(with<Elu>(functor::Elu{.alpha = alpha}), x);
  return x;
}

}  // namespace minima
