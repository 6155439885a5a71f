#pragma once

#include <minima/nn/module.h>
#include <minima/ops/cross_entropy/cross_entropy.h>

namespace minima::nn {

/// The cross entropy of logits [N, C, …] with int64 classes [N, …] or probabilities [N, C, …],
/// torch.nn.CrossEntropyLoss. The function `cross_entropy` does the same; the module keeps the options and moves the
/// weights of the classes with it.
///   nn::CrossEntropyLoss loss({.label_smoothing = 0.1});
///   loss(net(x), labels).backward();
class MINIMA_API CrossEntropyLoss : public ModuleOf<CrossEntropyLoss> {
 public:
  explicit CrossEntropyLoss(const CrossEntropyOptions& options = {})
      : options(options), weight(buffer("weight", options.weight)) {}
  Tensor forward(const Tensor& logits, const Tensor& target);

  CrossEntropyOptions options;
  Buffer weight;  ///< [C] or undefined; takes the place of options.weight
};

}  // namespace minima::nn
