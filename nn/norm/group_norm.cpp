#include <minima/nn/norm/group_norm.h>

#include <minima/nn/init/init.h>
#include <minima/nn/module/check_options.h>
#include <minima/ops/norm/group_norm.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

namespace minima::nn {

namespace {

const GroupNormOptions& checked(const GroupNormOptions& options) {
  detail::expect_at_least("GroupNorm", "groups", 1, options.groups);
  detail::expect_at_least("GroupNorm", "channels", 1, options.channels);
  detail::check_number("GroupNorm", "eps", options.eps, minima::detail::not_negative);
  if (options.channels % options.groups != 0)
    throw ValueError(str("GroupNorm: groups = ", options.groups, " must divide channels = ", options.channels));
  return options;
}

}  // namespace

GroupNorm::GroupNorm(const GroupNormOptions& given)
    : options(checked(given)),
      weight(parameter("weight", options.affine ? empty({options.channels}) : Tensor())),
      bias(parameter("bias", options.affine && options.bias ? empty({options.channels}) : Tensor())) {
  reset_parameters();
}

void GroupNorm::reset_parameters() {
  if (weight.defined()) init::ones_(weight);
  if (bias.defined()) init::zeros_(bias);
}

Tensor GroupNorm::forward(const Tensor& x) { return group_norm(x, options.groups, weight, bias, options.eps); }

}  // namespace minima::nn
