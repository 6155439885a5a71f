#include <minima/autograd/mode.h>
#include <minima/nn/norm/batch_norm.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/exponential.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

#include <cstdint>

// Batch normalisation over a batch that is split across ranks.

namespace minima::nn {

/// Sums counts, sums and sums of squares in float64 to limit cancellation.
Tensor BatchNorm::normalize_over_ranks(const Tensor& x) {
  const std::int64_t channels = options.features;
  Shape others, per_channel = Shape::filled(x.rank(), 1);
  for (int i = 0; i < x.rank(); ++i)
    if (i != 1) others.push_back(i);
  per_channel[1] = channels;

  const Tensor wide = is_half(x.dtype()) ? x.to(float32) : x;
  const auto count = static_cast<double>(x.numel() / channels);
  const Tensor own_mean = mean(wide, others).to(float64), own_var = var(wide, others, 0).to(float64);
  const Tensor parts[] = {full({1}, count, {.dtype = float64, .device = x.device()}), own_mean * count,
                          (own_var + own_mean * own_mean) * count};
  const Tensor total = sum_over_ranks(cat(parts));
  const Tensor n = slice(total, 0, 0, 1);
  const Tensor batch_mean = slice(total, 0, 1, 1 + channels) / n;
  const Tensor batch_var = slice(total, 0, 1 + channels) / n - batch_mean * batch_mean;

  const Tensor scale = reshape(rsqrt(batch_var + options.eps).to(wide.dtype()), per_channel);
  Tensor y = (wide - reshape(batch_mean.to(wide.dtype()), per_channel)) * scale;
  if (weight.defined()) y = y * reshape(weight, per_channel);
  if (bias.defined()) y = y + reshape(bias, per_channel);
  if (is_training() && running_mean.defined() && !is_recomputing()) {
    const NoGrad guard;
    const auto average = [&](const Tensor& running, const Tensor& now) {
      mul_(running, 1 - options.momentum);
      add_(running, (now * options.momentum).to(running.dtype()));
    };
    average(running_mean, batch_mean.detach());
    average(running_var, (batch_var * n / (n - 1)).detach());
  }
  return y.to(x.dtype());
}

}  // namespace minima::nn
