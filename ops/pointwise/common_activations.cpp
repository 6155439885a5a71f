#include <minima/ops/pointwise/activation.h>

#include <minima/ops/core/apply.h>
#include <minima/ops/core/complex_ops.h>
#include <minima/ops/core/gradient_arguments.h>
#include <minima/ops/core/op_support.h>
#include <minima/ops/core/spec.h>
#include <minima/ops/loops/scalars.h>
#include <minima/ops/pointwise.h>
#include <minima/ops/pointwise/activation_gradient.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/composed.h>
#include <minima/ops/pointwise/functors/activation.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <utility>

// The activations that first networks need are apart from the others, so that those need not be built with them.

namespace minima {

namespace functor = pointwise::functor;

namespace {

using detail::activation_gradient;
using detail::zero_of;

struct Relu : Unary<Relu, functor::Relu> {
  static constexpr Traits traits{.name = "relu", .passes_where_nonzero = true};
  Tensor gradient(Grad g, Output y) const { return where(y <= 0, zero_of(g), g); }
  Tensor fast_gradient(Grad g, Output y) const { return activation_gradient(functor::ReluGradient{}, std::move(g), y); }
};

struct LeakyRelu : Unary<LeakyRelu, functor::LeakyRelu, full_floating> {
  static constexpr Traits traits{.name = "leaky_relu"};
  Tensor gradient(Grad g, Input<0> x) const { return where(x > 0, g, g * f.slope); }
  Tensor fast_gradient(Grad g, Input<0> x) const {
    return activation_gradient(functor::LeakyReluGradient{f.slope}, std::move(g), x);
  }
};

/// One formula for elu, selu and celu.
struct Sigmoid : Unary<Sigmoid, functor::Sigmoid, full_floating> {
  static constexpr Traits traits{.name = "sigmoid"};
  Tensor gradient(Grad g, Output y) const { return g * ((1 - y) * y); }
  Tensor fast_gradient(Grad g, Output y) const {
    return activation_gradient(functor::SigmoidGradient{}, std::move(g), y);
  }
};

LeakyRelu with_slope(double slope) {
  detail::check_number("leaky_relu", "negative_slope", slope, detail::finite);
  LeakyRelu op;
  op.f = functor::LeakyRelu{slope};
  return op;
}

}  // namespace

Tensor relu(const Tensor& x) { return apply(Relu{}, x); }
Tensor sigmoid(const Tensor& x) { return detail::any_complex(x) ? complex_ops::sigmoid(x) : apply(Sigmoid{}, x); }
Tensor leaky_relu(const Tensor& x, double slope) { return apply(with_slope(slope), x); }

Tensor prelu(const Tensor& input, const Tensor& slopes) {
  detail::check_defined("prelu", input);
  detail::check_defined("prelu", slopes, 1);
  const Tensor x = detail::autocast(Cast::to_lower, input), weight = detail::autocast(Cast::to_lower, slopes);
  if (!is_floating(x.dtype())) throw DTypeError(str("prelu: x must be floating, got ", x, "; convert it with to()"));
  if (weight.dtype() != x.dtype())
    throw DTypeError(str("prelu: weight must have the dtype of x ", x, ", got ", weight, "; convert it with to()"));
  const std::int64_t channels = x.rank() == 0 ? 1 : x.shape()[x.rank() == 1 ? 0 : 1];
  if (weight.rank() > 1 || (weight.numel() != 1 && weight.numel() != channels))
    throw ShapeError(str("prelu: weight must be one number or one for each of the ", channels, " channels of x ", x,
                         ", got ", weight));
  if (weight.numel() == 1) return where(x > 0, x, x * reshape(weight, {}));
  Shape shape;
  for (int d = 0; d < x.rank(); ++d) shape.push_back(d == (x.rank() == 1 ? 0 : 1) ? channels : 1);
  return where(x > 0, x, x * reshape(weight, shape));
}

const Tensor& relu_(const Tensor& x) { return apply_in_place(Relu{}, x), x; }
const Tensor& sigmoid_(const Tensor& x) { return detail::change("sigmoid_", x, sigmoid), x; }
const Tensor& leaky_relu_(const Tensor& x, double slope) { return apply_in_place(with_slope(slope), x), x; }

}  // namespace minima
