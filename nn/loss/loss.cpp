#include <minima/nn/loss/loss.h>

#include <minima/ops/core/reduction.h>
#include <minima/ops/loss/cross_entropy.h>
#include <minima/ops/loss/loss.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/tensor/tensor.h>

namespace minima::nn {

Tensor CrossEntropyLoss::forward(const Tensor& logits, const Tensor& target) {
  CrossEntropyOptions current = options;
  current.weight = weight;
  return cross_entropy(logits, target, current);
}

Tensor BCELoss::forward(const Tensor& p, const Tensor& target) {
  return binary_cross_entropy(p, target, weight, options.reduction);
}

Tensor KLDivLoss::forward(const Tensor& x, const Tensor& target) {
  const Reduction reduction = options.batchmean ? Reduction::sum : options.reduction;
  const Tensor y = options.log_target ? kl_div_log_target(x, target, reduction) : kl_div(x, target, reduction);
  return options.batchmean ? y / x.size(0) : y;
}

Tensor BCEWithLogitsLoss::forward(const Tensor& x, const Tensor& target) {
  BceOptions current = options;
  current.weight = weight;
  current.pos_weight = pos_weight;
  return binary_cross_entropy_with_logits(x, target, current);
}

Tensor NLLLoss::forward(const Tensor& x, const Tensor& target) {
  NllOptions current = options;
  current.weight = weight;
  return nll_loss(x, target, current);
}

}  // namespace minima::nn
