#pragma once

#include <minima/ops/op.h>
#include <minima/ops/product/gemm/activation.h>

#include <optional>

// Shared by linear and feed_forward: argument checks and the gradients of a linear layer.

namespace minima::detail {

/// Throws unless x [..., in], weight [out, in] and bias [out], or none, fit. Returns the spec of x · weightᵀ.
TensorSpec check_linear(const char* op, const Tensor& x, const Tensor& weight, const Tensor& bias);

/// FLOPs and least bytes of x · weightᵀ + bias, with `result` its spec.
Cost linear_cost(const Tensor& x, const Tensor& weight, const Tensor& bias, const TensorSpec& result);

/// Says which gradients of a layer a formula computes.
struct LinearWants {
  bool x = false, weight = false, bias = false;
};

/// With gz the gradient before the activation: gz · W, gzᵀ · x and Σ gz, by public operators.
Gradients<3> linear_gradient(const Tensor& gz, const Tensor& x, const Tensor& weight, const LinearWants& wants);

/// g · activation'(·) by public operators, from the activation's input for both gelus, from its output for relu.
Tensor through_activation(const Tensor& g, const Tensor& saved, Activation activation);

/// The inputs' specs, and the `.grad` that takes the weight's gradient, as an Into<…, true> has it.
struct LinearTarget {
  const TensorSpec& x;
  const TensorSpec& weight;
  const Tensor& into;
  bool accumulate;
  std::optional<DType> dtype;
};

/// linear_gradient by products that write directly into their destination. `written` is set if that was `target.into`.
/// The gradients of weight and bias are wider than these where `target.dtype` says so.
Gradients<3> linear_fast_gradient(const Tensor& gz, const Tensor& x, const Tensor& weight, const LinearTarget& target,
                                  const LinearWants& wants, bool& written);

/// FLOPs and least bytes of gz · W or gzᵀ · x.
Cost linear_product_cost(const Tensor& gz, const Shape& weight);

}  // namespace minima::detail
