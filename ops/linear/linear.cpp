#include <minima/ops/linear/linear.h>

#include <minima/ops/core/on_cuda.h>
#include <minima/ops/core/reported.h>
#include <minima/ops/gemm/activation.h>
#include <minima/ops/linear/linear_kernels.h>
#include <minima/ops/loops/zero_of.h>
#include <minima/ops/matmul/matmul.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/activation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace minima {

namespace {

/// [..., C] → [rows, C], with all leading dimensions merged.
Tensor rows_of(const Tensor& x) {
  std::int64_t rows = 1;
  for (int i = 0; i + 1 < x.rank(); ++i) rows *= x.shape()[i];
  return reshape(x, {rows, x.shape().back()});
}

/// With gz the gradient before the activation: gz · W, gzᵀ · x and Σ gz, by public operators.
Gradients<3> composite_gradient(const Tensor& gz, const Tensor& x, const Tensor& weight, Needs needs) {
  Gradients<3> gradients;
  if (needs[0]) gradients[0] = matmul(gz, weight);
  if (needs[1]) gradients[1] = matmul(t(rows_of(gz)), rows_of(x));
  if (needs[2]) gradients[2] = sum(rows_of(gz), {0});
  return gradients;
}

/// The same by products that write directly into their destination.
Gradients<3> fused_gradient(const Tensor& gz, const Tensor& x, const Tensor& weight, const TensorSpec& like_x,
                            const TensorSpec& like_weight, const Into<1, true>& into, Needs needs) {
  // Each product reads or writes gz, x and weight.
  const double rows =
      static_cast<double>(gz.numel()) / static_cast<double>(std::max<std::int64_t>(gz.shape().back(), 1));
  const double features = static_cast<double>(like_x.shape().back());
  const Cost product{
      .flops = 2 * static_cast<double>(gz.numel()) * features,
      .bytes = static_cast<double>(gz.itemsize()) *
               (static_cast<double>(gz.numel()) + static_cast<double>(numel(like_weight.shape())) + rows * features)};
  Gradients<3> gradients;
  if (needs[0]) {
    const detail::Reported reported("linear_input_gradient", product);
    gradients[0] = detail::allocate(spec_of(like_x.shape(), like_x.dtype, like_x.device));
    detail::linear_input_gradient(gz, weight, gradients[0]);
  }
  if (needs[1]) {
    const detail::Reported reported("linear_weight_gradient", product);
    const bool direct = into.tensor.defined() && detail::is_product_target(into.tensor.layout());
    if (!direct) {
      // In weight's own memory order, so that it can become `.grad` directly.
      const Layout layout = Layout::dense_like(like_weight.layout);
      gradients[1] = detail::allocate({layout, into.dtype.value_or(like_weight.dtype), like_weight.device});
    }
    const Tensor& target = direct ? into.tensor : gradients[1];
    Tensor by_bias;
    if (needs[2] && detail::on_cuda(gz))
      by_bias = detail::allocate(spec_of({like_weight.shape()[0]}, target.dtype(), like_weight.device));
    if (detail::linear_weight_gradient(gz, x, target, direct && into.accumulate, by_bias)) gradients[2] = by_bias;
    if (direct) into.done();
  }
  if (needs[2] && !gradients[2].defined()) gradients[2] = sum(rows_of(gz), {0});
  return gradients;
}

bool may_overwrite(const Tensor& g) { return detail::is_unshared(g) && g.is_contiguous(); }

/// Shared by the variants, which differ in the gradient of their activation.
struct LinearBase {
  TensorSpec result(const Tensor& x, const Tensor& weight, const Tensor& bias) const {
    if (weight.rank() != 2) throw ShapeError(str("linear: weight must be [out, in], got ", weight));
    if (x.rank() == 0) throw ShapeError(str("linear: x must be [..., in], got a scalar; weight is ", weight.shape()));
    if (x.shape().back() != weight.shape()[1])
      throw ShapeError(str("linear: x ", x.shape(), " has ", x.shape().back(), " features in its last dimension, but ",
                           "weight ", weight.shape(), " takes ", weight.shape()[1],
                           x.shape().back() == weight.shape()[0] ? "; transpose weight?" : ""));
    if (bias.defined() && bias.shape() != Shape{weight.shape()[0]})
      throw ShapeError(
          str("linear: bias must be [", weight.shape()[0], "] for weight ", weight.shape(), ", got ", bias.shape()));
    if (!is_floating(x.dtype())) throw DTypeError(str("linear: needs a floating x, got ", x, "; convert it with to()"));
    if (weight.dtype() != x.dtype() || (bias.defined() && bias.dtype() != x.dtype()))
      throw DTypeError(str("linear: dtypes differ: x ", x, ", weight ", weight,
                           bias.defined() ? str(", bias ", bias) : "", "; convert them with to()"));
    Shape shape = x.shape();
    shape[shape.rank() - 1] = weight.shape()[0];
    return spec_of(shape, x.dtype(), x.device());
  }

  Cost cost(const Tensor& x, const Tensor& weight, const Tensor& bias) const {
    const auto outputs = static_cast<double>(result(x, weight, bias).numel());
    const auto elements = static_cast<double>(x.numel()) + static_cast<double>(weight.numel()) +
                          static_cast<double>(bias.defined() ? bias.numel() : 0) + outputs;
    return {.flops = 2 * outputs * static_cast<double>(weight.shape()[1]),
            .bytes = elements * static_cast<double>(x.itemsize())};
  }
};

struct Linear : LinearBase {
  static constexpr Traits traits{.name = "linear", .autocast = Cast::to_lower, .optional = 0b100};
  void cpu(const Tensor& x, const Tensor& weight, const Tensor& bias, Tensor& y) const {
    detail::linear_kernel(x, weight, bias, Activation::none, y);
  }
  void cuda(const Tensor& x, const Tensor& weight, const Tensor& bias, Tensor& y) const {
    detail::linear_kernel(x, weight, bias, Activation::none, y);
  }
  Gradients<3> gradient(Grad g, Input<0, 1> x, Input<1, 0> weight, Needs needs) const {
    return composite_gradient(g, x, weight, needs);
  }
  Gradients<3> fast_gradient(Grad g, Input<0, 1> x, Input<1, 0> weight, Spec<0> like_x, Spec<1> like_weight,
                             Into<1, true> into, Needs needs) const {
    return fused_gradient(g, x, weight, like_x, like_weight, into, needs);
  }
};

/// Saves only the output: it is positive exactly where relu's input was.
struct LinearRelu : LinearBase {
  static constexpr Traits traits{.name = "linear", .autocast = Cast::to_lower, .optional = 0b100};
  void cpu(const Tensor& x, const Tensor& weight, const Tensor& bias, Tensor& y) const {
    detail::linear_kernel(x, weight, bias, Activation::relu, y);
  }
  void cuda(const Tensor& x, const Tensor& weight, const Tensor& bias, Tensor& y) const {
    detail::linear_kernel(x, weight, bias, Activation::relu, y);
  }
  Gradients<3> gradient(Grad g, Input<0, 1> x, Input<1, 0> weight, Output y, Needs needs) const {
    return composite_gradient(where(y <= 0, detail::zero_of(g), g), x, weight, needs);
  }
  Gradients<3> fast_gradient(Grad g, Input<0, 1> x, Input<1, 0> weight, Spec<0> like_x, Spec<1> like_weight, Output y,
                             Into<1, true> into, Needs needs) const {
    const Tensor gz = detail::activation_gradient(g, y, Activation::relu, may_overwrite(g));
    return fused_gradient(gz, x, weight, like_x, like_weight, into, needs);
  }
};

/// The derivative of gelu by public operators, from the values before the activation.
Tensor gelu_slope(const Tensor& x) {
  constexpr double root_half = 0.70710678118654752, density_at_0 = 0.39894228040143268;
  return erfc(x * -root_half) * 0.5 + x * exp(x * x * -0.5) * density_at_0;
}
Tensor gelu_tanh_slope(const Tensor& x) {
  constexpr double twice = 2 * 0.79788456080286536, cubic = 0.044715;  // 2√(2/π)
  const Tensor square = x * x, s = sigmoid((x + x * square * cubic) * twice);
  return s * (x * (1 - s) * (square * (3 * cubic) + 1) * twice + 1);
}

/// For calls that are not recorded.
template <Activation gelu>
struct LinearGeluOnly : LinearBase {
  static constexpr Traits traits{.name = "linear", .autocast = Cast::to_lower, .optional = 0b100};
  void cpu(const Tensor& x, const Tensor& weight, const Tensor& bias, Tensor& y) const {
    detail::linear_kernel(x, weight, bias, gelu, y);
  }
  void cuda(const Tensor& x, const Tensor& weight, const Tensor& bias, Tensor& y) const {
    detail::linear_kernel(x, weight, bias, gelu, y);
  }
};

/// The values before the activation are a public output, not a hidden one, so that the gradient's own gradient reaches
/// x through them.
template <Activation gelu>
struct LinearGelu : LinearBase {
  static constexpr Traits traits{.name = "linear", .autocast = Cast::to_lower, .optional = 0b100};
  std::array<TensorSpec, 2> result(const Tensor& x, const Tensor& weight, const Tensor& bias) const {
    const TensorSpec spec = LinearBase::result(x, weight, bias);
    return {spec, spec};
  }
  void cpu(const Tensor& x, const Tensor& weight, const Tensor& bias, Tensor& y, Tensor& before) const {
    detail::linear_kernel(x, weight, bias, gelu, y, before);
  }
  void cuda(const Tensor& x, const Tensor& weight, const Tensor& bias, Tensor& y, Tensor& before) const {
    detail::linear_kernel(x, weight, bias, gelu, y, before);
  }
  Gradients<3> gradient(Grad g, GradAt<1> by_before, Input<0, 1> x, Input<1, 0> weight, OutputAt<1> before,
                        Needs needs) const {
    Tensor gz = by_before;
    if (g.defined()) {
      const Tensor by_sum = g * (gelu == Activation::gelu ? gelu_slope(before) : gelu_tanh_slope(before));
      gz = gz.defined() ? gz + by_sum : by_sum;
    }
    return composite_gradient(gz, x, weight, needs);
  }
  Gradients<3> fast_gradient(Grad g, GradAt<1> by_before, Input<0, 1> x, Input<1, 0> weight, Spec<0> like_x,
                             Spec<1> like_weight, OutputAt<1> before, Into<1, true> into, Needs needs) const {
    Tensor gz = by_before;
    if (g.defined()) {
      const Tensor by_sum = detail::activation_gradient(g, before, gelu, may_overwrite(g));
      gz = gz.defined() ? gz + by_sum : by_sum;
    }
    return fused_gradient(gz, x, weight, like_x, like_weight, into, needs);
  }
};

template <Activation gelu>
Tensor linear_gelu(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  const bool recording = detail::check_inputs(LinearGelu<gelu>::traits, detail::InputRefs(x, weight, bias));
  if (recording) return apply(LinearGelu<gelu>{}, x, weight, bias)[0];
  return apply(LinearGeluOnly<gelu>{}, x, weight, bias);
}

}  // namespace

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias, Activation activation) {
  switch (activation) {
    case Activation::none: break;
    case Activation::relu: return apply(LinearRelu{}, x, weight, bias);
    case Activation::gelu: return linear_gelu<Activation::gelu>(x, weight, bias);
    case Activation::gelu_tanh: return linear_gelu<Activation::gelu_tanh>(x, weight, bias);
  }
  return apply(Linear{}, x, weight, bias);
}

}  // namespace minima
