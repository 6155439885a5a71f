#include <minima/nn/norm/batch_norm.h>

#include <minima/autograd/mode.h>
#include <minima/nn/init/init.h>
#include <minima/nn/module/check_options.h>
#include <minima/ops/norm/batch_norm.h>
#include <minima/ops/pointwise/activation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

namespace minima::nn {

namespace {

const BatchNormOptions& checked(const BatchNormOptions& options) {
  detail::expect_at_least("BatchNorm", "features", 1, options.features);
  detail::check_number("BatchNorm", "eps", options.eps, minima::detail::not_negative);
  detail::check_number("BatchNorm", "momentum", options.momentum, minima::detail::fraction);
  return options;
}

Tensor per_channel(bool wanted, const BatchNormOptions& options) {
  return wanted ? empty({options.features}) : Tensor();
}

}  // namespace

BatchNorm::BatchNorm(const BatchNormOptions& given)
    : options(checked(given)),
      weight(parameter("weight", per_channel(options.affine, options))),
      bias(parameter("bias", per_channel(options.affine && options.bias, options))),
      running_mean(buffer("running_mean", per_channel(options.track_running_stats, options))),
      running_var(buffer("running_var", per_channel(options.track_running_stats, options))),
      num_batches_tracked(
          buffer("num_batches_tracked", options.track_running_stats ? scalar_tensor(0, {.dtype = int64}) : Tensor())) {
  reset_parameters();
}

void BatchNorm::reset_parameters() {
  const NoGrad guard;
  if (weight.defined()) init::ones_(weight);
  if (bias.defined()) init::zeros_(bias);
  if (options.track_running_stats) {
    zero_(running_mean);
    fill_(running_var, 1);
    zero_(num_batches_tracked);
  }
}

void BatchNorm::check(const Tensor& x) const {
  check_rank(x);
  if (x.size(1) != options.features)
    throw ShapeError(str("batch_norm: the layer has ", options.features, " channels, but x is ", x));
}

void BatchNorm::count_batch() {
  if (!is_training() || !num_batches_tracked.defined() || is_recomputing()) return;
  const NoGrad guard;
  add_(num_batches_tracked, 1);
}

Tensor BatchNorm::forward(const Tensor& x) {
  check(x);
  Tensor y = takes_all_ranks() ? normalize_over_ranks(x)
                               : batch_norm(x, weight, bias, running_mean, running_var, operator_options());
  count_batch();
  return y;
}

Tensor BatchNorm::relu(const Tensor& x, const Tensor& residual) {
  try {
    check(x);
    Tensor y;
    if (takes_all_ranks()) {
      y = minima::relu(residual.defined() ? normalize_over_ranks(x) + residual : normalize_over_ranks(x));
    } else {
      y = batch_norm_relu(x, weight, bias, running_mean, running_var, residual, operator_options());
    }
    count_batch();
    return y;
  } catch (Error& error) {
    note_module(error);  // as a call would
    throw;
  }
}

minima::BatchNormOptions BatchNorm::operator_options() const {
  return {.training = is_training() || !running_mean.defined(), .momentum = options.momentum, .eps = options.eps};
}

void BatchNorm1d::check_rank(const Tensor& x) const {
  if (x.rank() != 2 && x.rank() != 3)
    throw ShapeError(str("batch_norm: BatchNorm1d takes x [N, C] or [N, C, L], not ", x));
}

void BatchNorm2d::check_rank(const Tensor& x) const {
  if (x.rank() != 4) throw ShapeError(str("batch_norm: BatchNorm2d takes x [N, C, H, W], not ", x));
}

void BatchNorm3d::check_rank(const Tensor& x) const {
  if (x.rank() != 5) throw ShapeError(str("batch_norm: BatchNorm3d takes x [N, C, D, H, W], not ", x));
}

}  // namespace minima::nn
