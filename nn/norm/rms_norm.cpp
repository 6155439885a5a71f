#include <minima/nn/norm/rms_norm.h>

#include <minima/nn/init/init.h>
#include <minima/nn/module/check_options.h>
#include <minima/ops/norm/layer_norm.h>
#include <minima/ops/norm/rms_norm.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/tensor.h>

#include <cstdint>

namespace minima::nn {

namespace {

const RMSNormOptions& checked(const RMSNormOptions& options) {
  if (options.shape.empty()) throw ValueError("RMSNorm: shape is empty; give the last dimensions' sizes");
  for (const std::int64_t size : options.shape) detail::expect_at_least("RMSNorm", "every size of shape", 1, size);
  detail::check_number("RMSNorm", "eps", options.eps, minima::detail::not_negative);
  return options;
}

}  // namespace

RMSNorm::RMSNorm(const RMSNormOptions& given)
    : options(checked(given)), weight(parameter("weight", options.affine ? empty(options.shape) : Tensor())) {
  reset_parameters();
}

void RMSNorm::reset_parameters() {
  if (weight.defined()) init::ones_(weight);
}

Tensor RMSNorm::forward(const Tensor& x) { return rms_norm(x, options.shape, weight, options.eps); }

SumAndNorm RMSNorm::add(const Tensor& x, const Tensor& residual) const {
  return add_rms_norm(x, residual, options.shape, weight, options.eps);
}

}  // namespace minima::nn
