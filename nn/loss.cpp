#include <minima/nn/loss.h>

namespace minima::nn {

Tensor CrossEntropyLoss::forward(const Tensor& logits, const Tensor& target) {
  CrossEntropyOptions current = options;
  current.weight = weight;
  return cross_entropy(logits, target, current);
}

}  // namespace minima::nn
