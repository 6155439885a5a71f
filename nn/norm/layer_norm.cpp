#include <minima/nn/norm/layer_norm.h>

#include <minima/nn/init/init.h>
#include <minima/nn/module/check_options.h>
#include <minima/ops/norm/layer_norm.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/tensor.h>

#include <cstdint>

namespace minima::nn {

namespace {

const LayerNormOptions& checked(const LayerNormOptions& options) {
  if (options.shape.empty()) throw ValueError("LayerNorm: shape is empty; give the last dimensions' sizes");
  for (const std::int64_t size : options.shape) detail::expect_at_least("LayerNorm", "every size of shape", 1, size);
  detail::check_number("LayerNorm", "eps", options.eps, minima::detail::not_negative);
  return options;
}

}  // namespace

LayerNorm::LayerNorm(const LayerNormOptions& given)
    : options(checked(given)),
      weight(parameter("weight", options.affine ? empty(options.shape) : Tensor())),
      bias(parameter("bias", options.affine && options.bias ? empty(options.shape) : Tensor())) {
  reset_parameters();
}

void LayerNorm::reset_parameters() {
  if (weight.defined()) init::ones_(weight);
  if (bias.defined()) init::zeros_(bias);
}

Tensor LayerNorm::forward(const Tensor& x) {
  return layer_norm(x, options.shape, weight, bias, options.eps, options.lower);
}

SumAndNorm LayerNorm::add(const Tensor& x, const Tensor& residual) const {
  return add_layer_norm(x, residual, options.shape, weight, bias, options.eps);
}

}  // namespace minima::nn
