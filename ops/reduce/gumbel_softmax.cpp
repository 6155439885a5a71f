#include <minima/ops/reduce/softmax.h>

#include <minima/autograd/mode.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/core/op_support.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/index/index.h>
#include <minima/ops/index/scatter.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/random/generator.h>

namespace minima {

Tensor gumbel_softmax(const Tensor& logits, const GumbelSoftmaxOptions& options, RandomGenerator* generator) {
  detail::check_defined("gumbel_softmax", logits);
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
