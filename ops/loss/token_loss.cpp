#include <minima/ops/loss/token_loss.h>

#include <minima/autograd/checkpoint/checkpoint.h>
#include <minima/autograd/mode.h>
#include <minima/ops/core/reduction.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/loss/cross_entropy.h>
#include <minima/ops/loss/kernels.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/pointwise/trigonometry.h>
#include <minima/ops/product/linear.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cstdint>

namespace minima {

namespace {

void check(const char* name, const TokenLossOptions& options) {
  detail::check_number(name, "z_loss", options.z_loss, detail::not_negative);
  detail::check_number(name, "soft_cap", options.soft_cap, detail::not_negative);
}

CrossEntropyOptions summed(const TokenLossOptions& options) {
  return {
      .ignore_index = options.ignore_index, .reduction = Reduction::sum, .label_smoothing = options.label_smoothing};
}

/// The number to compare with is filled in on the device: copied from the host, it would keep a step from being
/// captured.
Tensor counts(const Tensor& target, std::int64_t ignored) {
  const NoGrad guard;
  const Tensor number = full({}, ignored, {.dtype = DType::int64, .device = target.device()});
  return target != number;
}
Tensor counted(const Tensor& target, std::int64_t ignored) {
  const NoGrad guard;
  return sum(counts(target, ignored).to(DType::float64));
}

/// The loss of logits [N, C] and targets [N]. The logarithm of an ignored row may be infinite or NaN.
Tensor summed_loss(const Tensor& logits, const Tensor& target, const TokenLossOptions& options) {
  const Tensor wide = is_half(logits.dtype()) ? logits.to(DType::float32) : logits;
  const Tensor scores = options.soft_cap > 0 ? tanh(wide / options.soft_cap) * options.soft_cap : wide;
  const Tensor loss = cross_entropy(scores, target, summed(options));
  if (options.z_loss == 0) return loss;
  const Tensor nothing = zeros({}, {.dtype = scores.dtype(), .device = scores.device()});
  const Tensor log_sums = where(counts(target, options.ignore_index), logsumexp(scores, {1}), nothing);
  return loss + sum(log_sums * log_sums) * options.z_loss;
}

/// The same without storing the logits of more than a part of the rows x [N, D].
Tensor summed_loss_by_parts(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& target,
                            const TokenLossOptions& options) {
  const std::int64_t rows = x.size(0);
  const std::int64_t part =
      std::max<std::int64_t>(512, (std::int64_t{4} << 20) / std::max<std::int64_t>(1, weight.size(0)));
  Tensor total;
  for (std::int64_t first = 0; first == 0 || first < rows; first += part) {
    const std::int64_t count = std::min(part, rows - first);
    const Tensor targets = narrow(target, 0, first, count);
    const Tensor loss =
        checkpoint([=](const Tensor& inputs) { return summed_loss(linear(inputs, weight, bias), targets, options); },
                   narrow(x, 0, first, count));
    total = total.defined() ? total + loss : loss;
  }
  return total;
}

}  // namespace

Tensor TokenLoss::mean() const {
  if (!sum.defined() || !count.defined()) throw ValueError("TokenLoss::mean: the loss is undefined");
  return sum / clamp_min(count, 1).to(sum.dtype());
}

TokenLoss token_loss(const Tensor& logits, const Tensor& target, const TokenLossOptions& options) {
  if (!logits.defined() || !target.defined())
    throw ValueError(str("token_loss: the ", logits.defined() ? "target is" : "logits are", " undefined"));
  Shape expected = logits.shape();
  if (logits.rank() > 0) expected.resize(logits.rank() - 1);
  if (logits.rank() < 1 || target.shape() != expected)
    throw ShapeError(
        str("token_loss: logits [..., C] and targets [...] do not match: logits ", logits, ", targets ", target));
  check("token_loss", options);
  return {summed_loss(reshape(logits, {target.numel(), logits.size(-1)}), reshape(target, {target.numel()}), options),
          counted(target, options.ignore_index)};
}

TokenLoss linear_token_loss(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& target,
                            const TokenLossOptions& options) {
  check("linear_token_loss", options);
  if (options.z_loss == 0 && options.soft_cap == 0)
    return {detail::linear_cross_entropy_as(true, x, weight, bias, target, summed(options)),
            counted(target, options.ignore_index)};
  if (!x.defined() || !weight.defined() || !target.defined())
    throw ValueError("linear_token_loss: x, weight or target is undefined");
  Shape expected = x.shape();
  if (x.rank() > 0) expected.resize(x.rank() - 1);
  if (x.rank() < 1 || weight.rank() != 2 || x.size(-1) != weight.size(1) || target.shape() != expected)
    throw ShapeError(str("linear_token_loss: x [..., D], weight [C, D] and targets [...] do not match: x ", x,
                         ", weight ", weight, ", targets ", target));
  const Tensor flat = reshape(x, {target.numel(), x.size(-1)});
  return {summed_loss_by_parts(flat, weight, bias, reshape(target, {target.numel()}), options),
          counted(target, options.ignore_index)};
}

}  // namespace minima
