#include <torch/nn/functional/activation.h>

#include <minima/ops/creation/creation.h>
#include <minima/ops/index/scatter.h>
#include <minima/ops/pointwise/activation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/softmax.h>

#include <optional>

#include "support.h"

namespace torch::nn::functional {

namespace {

minima::Tensor converted(const Tensor& x, const std::optional<Dtype>& dtype) {
  return dtype ? x.to(*dtype).native() : x.native();
}

}

Tensor celu(Tensor input, const CELUFuncOptions& options) {
  return transformed(input, options.inplace(), [&](const auto& x) { return minima::celu(x, options.alpha()); });
}

Tensor elu(Tensor input, const ELUFuncOptions& options) {
  return transformed(
      input, options.inplace(), [&](const auto& x) { return minima::elu(x, options.alpha()); },
      [&](const auto& x) { minima::elu_(x, options.alpha()); });
}

Tensor gelu(const Tensor& input, const GELUFuncOptions& options) {
  TORCH_CHECK(options.approximate() == "none" || options.approximate() == "tanh",
              "approximate argument must be either none or tanh.");
  return options.approximate() == "tanh" ? minima::gelu_tanh(input) : minima::gelu(input);
}

Tensor glu(const Tensor& input, const GLUFuncOptions& options) { return minima::glu(input, options.dim()); }

Tensor gumbel_softmax(const Tensor& logits, const GumbelSoftmaxFuncOptions& options) {
  const minima::Tensor& x = logits;
  if (!x.device().is_cpu())
    return minima::gumbel_softmax(x, {.tau = options.tau(), .hard = options.hard(), .dim = options.dim()});
  // The numbers that LibTorch draws for the seed.
  const Tensor exponential = at::empty(logits.sizes(), logits.options()).exponential_();
  const minima::Tensor soft = minima::softmax((x - minima::log(exponential.native())) / options.tau(), options.dim());
  if (!options.hard()) return soft;
  const minima::Tensor best = minima::argmax(soft, options.dim(), true);
  const minima::Tensor one = minima::ones(best.shape(), {.dtype = soft.dtype(), .device = soft.device()});
  const minima::Tensor hard = minima::scatter(minima::zeros_like(soft.detach()), options.dim(), best, one);
  return hard - soft.detach() + soft;
}

Tensor hardshrink(const Tensor& input, const HardshrinkFuncOptions& options) {
  // No number lies between a negative bound's ends, so nothing shrinks.
  return options.lambda() < 0 ? minima::clone(input) : minima::hardshrink(input, options.lambda());
}

Tensor hardtanh(Tensor input, const HardtanhFuncOptions& options) {
  return transformed(input, options.inplace(),
                     [&](const auto& x) { return minima::hardtanh(x, options.min_val(), options.max_val()); });
}

Tensor leaky_relu(Tensor input, const LeakyReLUFuncOptions& options) {
  return transformed(
      input, options.inplace(), [&](const auto& x) { return minima::leaky_relu(x, options.negative_slope()); },
      [&](const auto& x) { minima::leaky_relu_(x, options.negative_slope()); });
}

Tensor log_softmax(const Tensor& input, const LogSoftmaxFuncOptions& options) {
  return minima::log_softmax(converted(input, options.dtype()), options.dim());
}

Tensor logsigmoid(const Tensor& input) { return minima::log_sigmoid(input); }

Tensor mish(const Tensor& input) { return minima::mish(input); }

Tensor prelu(const Tensor& input, const Tensor& weight) { return minima::prelu(input, weight); }

Tensor relu(Tensor input, const ReLUFuncOptions& options) {
  if (!minima::is_floating(input.native().dtype()))
    return transformed(input, options.inplace(), [](const auto& x) { return minima::maximum(x, 0); });
  return transformed(
      input, options.inplace(), [](const auto& x) { return minima::relu(x); }, [](const auto& x) { minima::relu_(x); });
}

Tensor relu6(Tensor input, const ReLU6FuncOptions& options) {
  return transformed(input, options.inplace(), [](const auto& x) { return minima::relu6(x); });
}

Tensor rrelu(Tensor input, const RReLUFuncOptions& options) {
  return transformed(input, options.inplace(), [&](const auto& x) {
    return minima::rrelu(x, options.lower(), options.upper(), options.training());
  });
}

Tensor selu(Tensor input, const SELUFuncOptions& options) {
  return transformed(input, options.inplace(), [](const auto& x) { return minima::selu(x); });
}

Tensor silu(const Tensor& input) { return minima::silu(input); }

Tensor softmax(const Tensor& input, const SoftmaxFuncOptions& options) {
  return minima::softmax(converted(input, options.dtype()), options.dim());
}

Tensor softmin(const Tensor& input, const SoftminFuncOptions& options) {
  return minima::softmin(converted(input, options.dtype()), options.dim());
}

Tensor softplus(const Tensor& input, const SoftplusFuncOptions& options) {
  return minima::softplus(input, options.beta(), options.threshold());
}

Tensor softshrink(const Tensor& input, const SoftshrinkFuncOptions& options) {
  return minima::softshrink(input, options.lambda());
}

Tensor softsign(const Tensor& input) { return minima::softsign(input); }

Tensor tanhshrink(const Tensor& input) { return minima::tanhshrink(input); }

Tensor threshold(Tensor input, const ThresholdFuncOptions& options) {
  return transformed(input, options.inplace(),
                     [&](const auto& x) { return minima::threshold(x, options.threshold(), options.value()); });
}

}
