#include <minima/nn/loss/margin.h>

#include <minima/ops/loss/margin.h>
#include <minima/tensor/tensor.h>

namespace minima::nn {

Tensor MultiMarginLoss::forward(const Tensor& x, const Tensor& target) {
  MultiMarginOptions current = options;
  current.weight = weight;
  return multi_margin_loss(x, target, current);
}

Tensor MultiLabelSoftMarginLoss::forward(const Tensor& x, const Tensor& target) {
  MultilabelOptions current = options;
  current.weight = weight;
  return multilabel_soft_margin_loss(x, target, current);
}

}  // namespace minima::nn
