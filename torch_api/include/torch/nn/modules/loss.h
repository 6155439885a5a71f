#pragma once

#include <torch/nn/modules/layer.h>
#include <torch/nn/options/loss.h>

namespace torch::nn {

MINIMA_TORCH_LAYER(CTCLoss, (const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                             const Tensor& target_lengths));
MINIMA_TORCH_LAYER(CosineEmbeddingLoss, (const Tensor& input1, const Tensor& input2, const Tensor& target));
MINIMA_TORCH_LAYER(HingeEmbeddingLoss, (const Tensor& input, const Tensor& target));
MINIMA_TORCH_LAYER(HuberLoss, (const Tensor& input, const Tensor& target));
MINIMA_TORCH_LAYER(KLDivLoss, (const Tensor& input, const Tensor& target));
MINIMA_TORCH_LAYER(L1Loss, (const Tensor& input, const Tensor& target));
MINIMA_TORCH_LAYER(MSELoss, (const Tensor& input, const Tensor& target));
MINIMA_TORCH_LAYER(MarginRankingLoss, (const Tensor& input1, const Tensor& input2, const Tensor& target));
MINIMA_TORCH_LAYER(MultiLabelMarginLoss, (const Tensor& input, const Tensor& target));
MINIMA_TORCH_LAYER(PoissonNLLLoss, (const Tensor& log_input, const Tensor& target));
MINIMA_TORCH_LAYER(SmoothL1Loss, (const Tensor& input, const Tensor& target));
MINIMA_TORCH_LAYER(SoftMarginLoss, (const Tensor& input, const Tensor& target));
MINIMA_TORCH_LAYER(TripletMarginLoss, (const Tensor& anchor, const Tensor& positive, const Tensor& negative));
MINIMA_TORCH_LAYER(TripletMarginWithDistanceLoss,
                   (const Tensor& anchor, const Tensor& positive, const Tensor& negative));

/// Declares the loss NAME, whose options' weight is a buffer, and its holder.
#define MINIMA_TORCH_WEIGHTED_LOSS(NAME, ...)                  \
  class NAME##Impl : public Cloneable<NAME##Impl> {            \
   public:                                                     \
    explicit NAME##Impl(NAME##Options options_ = {});          \
    void reset() override;                                     \
    void pretty_print(std::ostream& stream) const override;    \
    Tensor forward(const Tensor& input, const Tensor& target); \
                                                               \
    NAME##Options options;                                     \
    Tensor weight __VA_ARGS__;                                 \
  };                                                           \
  TORCH_MODULE(NAME)

MINIMA_TORCH_WEIGHTED_LOSS(BCELoss);
MINIMA_TORCH_WEIGHTED_LOSS(BCEWithLogitsLoss, , pos_weight);
MINIMA_TORCH_WEIGHTED_LOSS(CrossEntropyLoss);
MINIMA_TORCH_WEIGHTED_LOSS(MultiLabelSoftMarginLoss);
MINIMA_TORCH_WEIGHTED_LOSS(MultiMarginLoss);
MINIMA_TORCH_WEIGHTED_LOSS(NLLLoss);

#undef MINIMA_TORCH_WEIGHTED_LOSS

}  // namespace torch::nn
