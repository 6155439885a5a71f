#include <minima/ops/product/linear_rules.h>

#include <minima/ops/core/gradient_arguments.h>
#include <minima/ops/core/on_cuda.h>
#include <minima/ops/core/op_support.h>
#include <minima/ops/core/reported.h>
#include <minima/ops/core/spec.h>
#include <minima/ops/loops/scalars.h>
#include <minima/ops/pointwise/activation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/product/gemm/activation.h>
#include <minima/ops/product/kernels.h>
#include <minima/ops/product/matmul.h>
#include <minima/ops/reduce/kernels.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/device/observer.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cstdint>

namespace minima::detail {

namespace {

/// [..., C] → [rows, C], with all leading dimensions merged.
Tensor rows_of(const Tensor& x) {
  std::int64_t rows = 1;
  for (int i = 0; i + 1 < x.rank(); ++i) rows *= x.shape()[i];
  return reshape(x, {rows, x.shape().back()});
}

/// Σ gz over its rows, in `dtype`.
Tensor bias_gradient(const Tensor& gz, DType dtype) {
  const Tensor rows = rows_of(gz);
  if (dtype == gz.dtype()) return sum(rows, {0});
  const auto count = static_cast<double>(gz.numel());
  const Reported reported("sum", {.flops = count, .bytes = count * static_cast<double>(gz.itemsize())});
  Tensor result = allocate(spec_of({rows.shape()[1]}, dtype, gz.device()));
  if constexpr (has_cuda_kernels)
    if (on_cuda(gz)) return sum_kernel_cuda(rows, {0}, result), result;
  sum_kernel_cpu(rows, {0}, result);
  return result;
}

}  // namespace

TensorSpec check_linear(const char* op, const Tensor& x, const Tensor& weight, const Tensor& bias) {
  if (weight.rank() != 2) throw ShapeError(str(op, ": weight must be [out, in], got ", weight));
  if (x.rank() == 0) throw ShapeError(str(op, ": x must be [..., in], got a scalar; weight is ", weight.shape()));
  if (x.shape().back() != weight.shape()[1])
    throw ShapeError(str(op, ": x ", x.shape(), " has ", x.shape().back(), " features in its last dimension, but ",
                         "weight ", weight.shape(), " takes ", weight.shape()[1],
                         x.shape().back() == weight.shape()[0] ? "; transpose weight?" : ""));
  if (bias.defined() && bias.shape() != Shape{weight.shape()[0]})
    throw ShapeError(
        str(op, ": bias must be [", weight.shape()[0], "] for weight ", weight.shape(), ", got ", bias.shape()));
  if (!is_floating(x.dtype())) throw DTypeError(str(op, ": needs a floating x, got ", x, "; convert it with to()"));
  if (weight.dtype() != x.dtype() || (bias.defined() && bias.dtype() != x.dtype()))
    throw DTypeError(str(op, ": dtypes differ: x ", x, ", weight ", weight, bias.defined() ? str(", bias ", bias) : "",
                         "; convert them with to()"));
  Shape shape = x.shape();
  shape[shape.rank() - 1] = weight.shape()[0];
  return spec_of(shape, x.dtype(), x.device());
}

Cost linear_cost(const Tensor& x, const Tensor& weight, const Tensor& bias, const TensorSpec& result) {
  const auto outputs = static_cast<double>(result.numel());
  const auto elements = static_cast<double>(x.numel()) + static_cast<double>(weight.numel()) +
                        static_cast<double>(bias.defined() ? bias.numel() : 0) + outputs;
  return {.flops = 2 * outputs * static_cast<double>(weight.shape()[1]),
          .bytes = elements * static_cast<double>(x.itemsize())};
}

Cost linear_product_cost(const Tensor& gz, const Shape& weight) {
  const auto elements = static_cast<double>(gz.numel()), features = static_cast<double>(weight[1]);
  const double rows = elements / static_cast<double>(std::max<std::int64_t>(weight[0], 1));
  return {
      .flops = 2 * elements * features,
      .bytes = static_cast<double>(gz.itemsize()) * (elements + static_cast<double>(numel(weight)) + rows * features)};
}

Gradients<3> linear_gradient(const Tensor& gz, const Tensor& x, const Tensor& weight, const LinearWants& wants) {
  Gradients<3> gradients;
  if (wants.x) gradients[0] = matmul(gz, weight);
  if (wants.weight) gradients[1] = matmul(t(rows_of(gz)), rows_of(x));
  if (wants.bias) gradients[2] = sum(rows_of(gz), {0});
  return gradients;
}

Tensor through_activation(const Tensor& g, const Tensor& saved, Activation activation) {
  const Tensor& x = saved;
  switch (activation) {
    case Activation::none: return g;
    case Activation::relu: return where(x <= 0, zero_of(g), g);
    case Activation::gelu: {
      constexpr double root_half = 0.70710678118654752, density_at_0 = 0.39894228040143268;
      return g * (erfc(x * -root_half) * 0.5 + x * exp(x * x * -0.5) * density_at_0);
    }
    case Activation::gelu_tanh: {
      constexpr double twice = 2 * 0.79788456080286536, cubic = 0.044715;  // 2√(2/π)
      const Tensor square = x * x, s = sigmoid((x + x * square * cubic) * twice);
      return g * (s * (x * (1 - s) * (square * (3 * cubic) + 1) * twice + 1));
    }
  }
  return g;
}

Gradients<3> linear_fast_gradient(const Tensor& gz, const Tensor& x, const Tensor& weight, const LinearTarget& target,
                                  const LinearWants& wants, bool& written) {
  const Cost product = linear_product_cost(gz, target.weight.shape());
  Gradients<3> gradients;
  if (wants.x) {
    const Reported reported("linear_input_gradient", product);
    gradients[0] = allocate(spec_of(target.x.shape(), target.x.dtype, target.x.device));
    linear_input_gradient(gz, weight, gradients[0]);
  }
  const DType dtype = target.dtype.value_or(target.weight.dtype);
  if (wants.weight) {
    const Reported reported("linear_weight_gradient", product);
    written = target.into.defined() && is_product_target(target.into.layout());
    // In weight's own memory order, so that it can become `.grad` directly.
    if (!written) gradients[1] = allocate({Layout::dense_like(target.weight.layout), dtype, target.weight.device});
    Tensor by_bias;
    if (wants.bias && on_cuda(gz)) by_bias = allocate(spec_of({target.weight.shape()[0]}, dtype, target.weight.device));
    if (linear_weight_gradient(gz, x, written ? target.into : gradients[1], written && target.accumulate, by_bias))
      gradients[2] = by_bias;
  }
  if (wants.bias && !gradients[2].defined()) gradients[2] = bias_gradient(gz, dtype);
  return gradients;
}

}  // namespace minima::detail
