#include <minima/nn/functional/vectors.h>

#include <minima/autograd/mode.h>
#include <minima/nn/module/module_base.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/random/generator.h>

#include <cstdint>
#include <vector>

namespace minima::nn {

Tensor parameters_to_vector(const std::vector<Tensor>& parameters) {
  if (parameters.empty()) throw ValueError("parameters_to_vector: there are no parameters");
  std::vector<Tensor> parts;
  parts.reserve(parameters.size());
  for (const Tensor& parameter : parameters) parts.push_back(reshape(parameter, {-1}));
  return cat(parts);
}

void vector_to_parameters(const Tensor& vector, const std::vector<Tensor>& parameters) {
  std::int64_t total = 0;
  for (const Tensor& parameter : parameters) total += parameter.numel();
  if (vector.rank() != 1 || vector.numel() != total)
    throw ShapeError(str("vector_to_parameters: the parameters have ", total, " elements, but the vector is ", vector));
  const NoGrad constant;
  std::int64_t start = 0;
  for (const Tensor& parameter : parameters) {
    copy_(parameter, reshape(narrow(vector, 0, start, parameter.numel()), parameter.shape()));
    start += parameter.numel();
  }
}

std::vector<Tensor> floating_tensors(const ModuleBase& module) {
  std::vector<Tensor> tensors = module.parameters();
  for (const Tensor& buffer : module.buffers())
    if (is_floating(buffer.dtype())) tensors.push_back(buffer);
  return tensors;
}

}  // namespace minima::nn

namespace minima {

Tensor gumbel_softmax(const Tensor& logits, const GumbelSoftmaxOptions& options, RandomGenerator* generator) {
  if (!is_floating(logits.dtype()))
    throw DTypeError(str("gumbel_softmax: logits must be floating, got ", logits, "; convert them with to()"));
  detail::check_number("gumbel_softmax", "tau", options.tau, detail::positive);
  const int dim = wrap_dim(options.dim, logits.rank(), "gumbel_softmax");
  Tensor noise;
  {
    const NoGrad constant;
    // -log(exponential) in float64, where the uniform number is never so close to 1 that the logarithm is 0.
    const Tensor uniform = rand(logits.shape(), {.dtype = DType::float64, .device = logits.device()}, generator);
    noise = neg(log(clamp_min(neg(log1p(neg(uniform))), 1e-300))).to(logits.dtype());
  }
  Tensor soft = softmax((logits + noise) / options.tau, dim);
  if (!options.hard) return soft;
  const Tensor hard = no_grad([&] {
    const Tensor chosen = argmax(soft, dim, true);
    return scatter(zeros_like(soft), dim, chosen,
                   ones(chosen.shape(), {.dtype = soft.dtype(), .device = soft.device()}));
  });
  return hard + (soft - soft.detach());
}

}  // namespace minima
