#include <minima/nn/norm/instance_norm.h>

#include <minima/autograd/mode.h>
#include <minima/nn/init/init.h>
#include <minima/nn/module/check_options.h>
#include <minima/ops/norm/instance_norm.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <cstdint>

namespace minima::nn {

namespace {

const InstanceNormOptions& checked(const InstanceNormOptions& options) {
  detail::expect_at_least("InstanceNorm", "features", 1, options.features);
  detail::check_number("InstanceNorm", "eps", options.eps, minima::detail::not_negative);
  detail::check_number("InstanceNorm", "momentum", options.momentum, minima::detail::fraction);
  return options;
}

Tensor per_channel(bool wanted, std::int64_t features) { return wanted ? empty({features}) : Tensor(); }

}  // namespace

InstanceNorm::InstanceNorm(const InstanceNormOptions& given, int spatial)
    : options(checked(given)),
      weight(parameter("weight", per_channel(options.affine, options.features))),
      bias(parameter("bias", per_channel(options.affine && options.bias, options.features))),
      running_mean(buffer("running_mean", per_channel(options.track_running_stats, options.features))),
      running_var(buffer("running_var", per_channel(options.track_running_stats, options.features))),
      num_batches_tracked(
          buffer("num_batches_tracked", options.track_running_stats ? scalar_tensor(0, {.dtype = int64}) : Tensor())),
      spatial_(spatial) {
  reset_parameters();
}

void InstanceNorm::reset_parameters() {
  const NoGrad guard;
  if (weight.defined()) init::ones_(weight);
  if (bias.defined()) init::zeros_(bias);
  if (options.track_running_stats) {
    zero_(running_mean);
    fill_(running_var, 1);
    zero_(num_batches_tracked);
  }
}

Tensor InstanceNorm::forward(const Tensor& x) {
  const bool single = x.rank() == spatial_ + 1;
  if (!single && x.rank() != spatial_ + 2)
    throw ShapeError(str("instance_norm: InstanceNorm", spatial_, "d takes x of ", spatial_ + 2, " dimensions, or ",
                         spatial_ + 1, " without a batch, not ", x));
  if (x.size(single ? 0 : 1) != options.features)
    throw ShapeError(str("instance_norm: the layer has ", options.features, " channels, but x is ", x));
  const Tensor y = instance_norm(
      single ? unsqueeze(x, 0) : x, running_mean, running_var, weight, bias,
      {.use_input_stats = is_training() || !running_mean.defined(), .momentum = options.momentum, .eps = options.eps});
  return single ? squeeze(y, 0) : y;
}

Tensor LocalResponseNorm::forward(const Tensor& x) { return local_response_norm(x, options); }

}  // namespace minima::nn
