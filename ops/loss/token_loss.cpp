#include <minima/ops/loss/token_loss.h>

#include <minima/autograd/mode.h>
#include <minima/ops/core/reduction.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/loss/cross_entropy.h>
#include <minima/ops/loss/kernels.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstdint>

namespace minima {

namespace {

CrossEntropyOptions summed(const TokenLossOptions& options) {
  return {
      .ignore_index = options.ignore_index, .reduction = Reduction::sum, .label_smoothing = options.label_smoothing};
}

/// The number to compare with is filled in on the device: copied from the host, it would keep a step from being
/// captured.
Tensor counted(const Tensor& target, std::int64_t ignored) {
  const NoGrad guard;
  const Tensor number = full({}, ignored, {.dtype = DType::int64, .device = target.device()});
  return sum((target != number).to(DType::float64));
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
  const Tensor wide = is_half(logits.dtype()) ? logits.to(DType::float32) : logits;
  return {cross_entropy(reshape(wide, {target.numel(), logits.size(-1)}), reshape(target, {target.numel()}),
                        summed(options)),
          counted(target, options.ignore_index)};
}

TokenLoss linear_token_loss(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& target,
                            const TokenLossOptions& options) {
  return {detail::linear_cross_entropy_as(true, x, weight, bias, target, summed(options)),
          counted(target, options.ignore_index)};
}

}  // namespace minima
