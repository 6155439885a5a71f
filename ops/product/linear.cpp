#include <minima/ops/product/linear.h>

#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/product/gemm/activation.h>
#include <minima/ops/product/kernels.h>
#include <minima/ops/product/linear_rules.h>

#include <array>

namespace minima {

namespace {

using detail::LinearWants;

LinearWants wants_of(Needs needs) { return {.x = needs[0], .weight = needs[1], .bias = needs[2]}; }

Gradients<3> fused_gradient(const Tensor& gz, const Tensor& x, const Tensor& weight, const TensorSpec& like_x,
                            const TensorSpec& like_weight, const Into<1, true>& into, Needs needs) {
  bool written = false;
  Gradients<3> gradients = detail::linear_fast_gradient(
      gz, x, weight, {like_x, like_weight, into.tensor, into.accumulate, into.dtype}, wants_of(needs), written);
  if (written) into.done();
  return gradients;
}

bool may_overwrite(const Tensor& g) { return detail::is_unshared(g) && g.is_contiguous(); }

/// Shared by the variants, which differ in the gradient of their activation.
struct LinearBase {
  TensorSpec result(const Tensor& x, const Tensor& weight, const Tensor& bias) const {
    return detail::check_linear("linear", x, weight, bias);
  }
  Cost cost(const Tensor& x, const Tensor& weight, const Tensor& bias) const {
    return detail::linear_cost(x, weight, bias, result(x, weight, bias));
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
  void list_attributes(detail::AttributeVisitor& visitor) const { visitor.word("activation", "none"); }
  Gradients<3> gradient(Grad g, Input<0, 1> x, Input<1, 0> weight, Needs needs) const {
    return detail::linear_gradient(g, x, weight, wants_of(needs));
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
  void list_attributes(detail::AttributeVisitor& visitor) const { visitor.word("activation", "relu"); }
  Gradients<3> gradient(Grad g, Input<0, 1> x, Input<1, 0> weight, Output y, Needs needs) const {
    return detail::linear_gradient(detail::through_activation(g, y, Activation::relu), x, weight, wants_of(needs));
  }
  Gradients<3> fast_gradient(Grad g, Input<0, 1> x, Input<1, 0> weight, Spec<0> like_x, Spec<1> like_weight, Output y,
                             Into<1, true> into, Needs needs) const {
    const Tensor gz = detail::activation_gradient(g, y, Activation::relu, may_overwrite(g));
    return fused_gradient(gz, x, weight, like_x, like_weight, into, needs);
  }
};

constexpr const char* name_of(Activation gelu) { return gelu == Activation::gelu ? "gelu" : "gelu_tanh"; }

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
  void list_attributes(detail::AttributeVisitor& visitor) const { visitor.word("activation", name_of(gelu)); }
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
  void list_attributes(detail::AttributeVisitor& visitor) const { visitor.word("activation", name_of(gelu)); }
  Gradients<3> gradient(Grad g, GradAt<1> by_before, Input<0, 1> x, Input<1, 0> weight, OutputAt<1> before,
                        Needs needs) const {
    Tensor gz = by_before;
    if (g.defined()) {
      const Tensor by_sum = detail::through_activation(g, before, gelu);
      gz = gz.defined() ? gz + by_sum : by_sum;
    }
    return detail::linear_gradient(gz, x, weight, wants_of(needs));
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
