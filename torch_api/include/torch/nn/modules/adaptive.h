#pragma once

#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/layer.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/options/adaptive.h>

#include <vector>

namespace torch::nn {

struct ASMoutput {
  ASMoutput(Tensor output_, double loss_);

  Tensor output;  ///< log probabilities of the targets
  double loss;    ///< their negative mean; differentiate -output.mean() to train
};

class AdaptiveLogSoftmaxWithLossImpl : public Cloneable<AdaptiveLogSoftmaxWithLossImpl> {
 public:
  AdaptiveLogSoftmaxWithLossImpl(int64_t in_features, int64_t n_classes, std::vector<int64_t> cutoffs);
  explicit AdaptiveLogSoftmaxWithLossImpl(AdaptiveLogSoftmaxWithLossOptions options_);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;

  ASMoutput forward(const Tensor& input, const Tensor& target);
  Tensor _get_full_log_prob(const Tensor& input, const Tensor& head_output);
  Tensor log_prob(const Tensor& input);
  Tensor predict(const Tensor& input);

  AdaptiveLogSoftmaxWithLossOptions options;
  std::vector<int64_t> cutoffs;  ///< the options', and n_classes
  int64_t shortlist_size = 0, n_clusters = 0, head_size = 0;
  Linear head = nullptr;
  ModuleList tail;
};
TORCH_MODULE(AdaptiveLogSoftmaxWithLoss);

}  // namespace torch::nn
