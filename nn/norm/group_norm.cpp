#include <minima/nn/norm/group_norm.h>

#include <minima/nn/init/init.h>
#include <minima/nn/module/check.h>
#include <minima/ops/group_norm/group_norm.h>
#include <minima/ops/rms_norm/rms_norm.h>
#include <minima/tensor/base/format.h>

namespace minima::nn {

namespace {

const GroupNormOptions& checked(const GroupNormOptions& options) {
  detail::expect_at_least("GroupNorm", "groups", 1, options.groups);
  detail::expect_at_least("GroupNorm", "channels", 1, options.channels);
  if (options.channels % options.groups != 0)
    throw ValueError(str("GroupNorm: ", options.groups, " groups do not divide ", options.channels, " channels"));
  return options;
}

const RMSNormOptions& checked(const RMSNormOptions& options) {
  if (options.shape.empty()) throw ValueError("RMSNorm: shape is empty; give the last dimensions' sizes");
  for (const std::int64_t size : options.shape) detail::expect_at_least("RMSNorm", "every size of shape", 1, size);
  return options;
}

}  // namespace

GroupNorm::GroupNorm(const GroupNormOptions& given)
    : options(checked(given)),
      weight(parameter("weight", options.affine ? empty({options.channels}) : Tensor())),
      bias(parameter("bias", options.affine ? empty({options.channels}) : Tensor())) {
  reset_parameters();
}

void GroupNorm::reset_parameters() {
  if (weight.defined()) init::ones_(weight);
  if (bias.defined()) init::zeros_(bias);
}

Tensor GroupNorm::forward(const Tensor& x) { return group_norm(x, options.groups, weight, bias, options.eps); }

RMSNorm::RMSNorm(const RMSNormOptions& given)
    : options(checked(given)), weight(parameter("weight", options.affine ? empty(options.shape) : Tensor())) {
  reset_parameters();
}

void RMSNorm::reset_parameters() {
  if (weight.defined()) init::ones_(weight);
}

Tensor RMSNorm::forward(const Tensor& x) { return rms_norm(x, options.shape, weight, options.eps); }

}  // namespace minima::nn
