#include <torch/nn/modules/loss.h>

#include <c10/util/Exception.h>
#include <torch/nn/functional/loss.h>

#include <utility>

#include "layer_printer.h"

namespace F = torch::nn::functional;

namespace torch::nn {

#define CALLS(NAME, FUNCTION) \
  Tensor NAME##Impl::forward(const Tensor& input, const Tensor& target) { return F::FUNCTION(input, target, options); }
#define CALLS_WITH_THREE(NAME, FUNCTION)                                             \
  Tensor NAME##Impl::forward(const Tensor& x1, const Tensor& x2, const Tensor& x3) { \
    return F::FUNCTION(x1, x2, x3, options);                                         \
  }

CALLS(HingeEmbeddingLoss, hinge_embedding_loss)
PRINTS(HingeEmbeddingLoss, ("margin", options.margin()))
CALLS(HuberLoss, huber_loss)
CALLS(KLDivLoss, kl_div)
PRINTS(KLDivLoss, )
CALLS(L1Loss, l1_loss)
PRINTS(L1Loss, )
CALLS(MSELoss, mse_loss)
PRINTS(MSELoss, )
CALLS(MultiLabelMarginLoss, multilabel_margin_loss)
PRINTS(MultiLabelMarginLoss, )
CALLS(PoissonNLLLoss, poisson_nll_loss)
PRINTS(PoissonNLLLoss, )
CALLS(SmoothL1Loss, smooth_l1_loss)
CALLS(SoftMarginLoss, soft_margin_loss)
PRINTS(SoftMarginLoss, )
CALLS_WITH_THREE(CosineEmbeddingLoss, cosine_embedding_loss)
PRINTS(CosineEmbeddingLoss, ("margin", options.margin()))
CALLS_WITH_THREE(MarginRankingLoss, margin_ranking_loss)
PRINTS(MarginRankingLoss, )
CALLS_WITH_THREE(TripletMarginLoss, triplet_margin_loss)
PRINTS(TripletMarginLoss, ("margin", options.margin())("p", options.p())("eps", options.eps())("swap", options.swap()))
CALLS_WITH_THREE(TripletMarginWithDistanceLoss, triplet_margin_with_distance_loss)
PRINTS(TripletMarginWithDistanceLoss, ("margin", options.margin())("swap", options.swap()))

// LibTorch prints these two without parentheses.
void HuberLossImpl::pretty_print(std::ostream& stream) const { stream << "torch::nn::HuberLoss"; }
void SmoothL1LossImpl::pretty_print(std::ostream& stream) const { stream << "torch::nn::SmoothL1Loss"; }

Tensor CTCLossImpl::forward(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                            const Tensor& target_lengths) {
  return F::ctc_loss(log_probs, targets, input_lengths, target_lengths, options);
}
PRINTS(CTCLoss, )

// The buffers of weights count, since a module moves them with it and their owner can change them; the options' are
// where they come from.
#define WEIGHTED(NAME, FUNCTION)                                                                         \
  NAME##Impl::NAME##Impl(NAME##Options options_) : options(std::move(options_)) { NAME##Impl::reset(); } \
  Tensor NAME##Impl::forward(const Tensor& input, const Tensor& target) {                                \
    return F::FUNCTION(input, target, NAME##Options(options).weight(weight));                            \
  }
#define RESETS_WEIGHT(NAME) \
  void NAME##Impl::reset() { weight = register_buffer("weight", options.weight()); }

WEIGHTED(BCELoss, binary_cross_entropy)
RESETS_WEIGHT(BCELoss)
PRINTS(BCELoss, )
WEIGHTED(CrossEntropyLoss, cross_entropy)
RESETS_WEIGHT(CrossEntropyLoss)
PRINTS(CrossEntropyLoss, )
WEIGHTED(MultiLabelSoftMarginLoss, multilabel_soft_margin_loss)
RESETS_WEIGHT(MultiLabelSoftMarginLoss)
PRINTS(MultiLabelSoftMarginLoss, )
WEIGHTED(NLLLoss, nll_loss)
RESETS_WEIGHT(NLLLoss)
PRINTS(NLLLoss, )

WEIGHTED(MultiMarginLoss, multi_margin_loss)
void MultiMarginLossImpl::reset() {
  TORCH_CHECK(options.p() == 1 || options.p() == 2, "only p == 1 and p == 2 supported");
  TORCH_CHECK(!options.weight().defined() || options.weight().dim() == 1, "MultiMarginLoss: weight must be 1D, got ",
              options.weight().dim(), "D");
  weight = register_buffer("weight", options.weight());
}
PRINTS(MultiMarginLoss, ("p", options.p())("margin", options.margin())("weight", options.weight())(
                            "reduction", enumtype::get_enum_name(options.reduction())))

BCEWithLogitsLossImpl::BCEWithLogitsLossImpl(BCEWithLogitsLossOptions options_) : options(std::move(options_)) {
  BCEWithLogitsLossImpl::reset();
}
void BCEWithLogitsLossImpl::reset() {
  weight = register_buffer("weight", options.weight());
  pos_weight = register_buffer("pos_weight", options.pos_weight());
}
Tensor BCEWithLogitsLossImpl::forward(const Tensor& input, const Tensor& target) {
  return F::binary_cross_entropy_with_logits(input, target,
                                             BCEWithLogitsLossOptions(options).weight(weight).pos_weight(pos_weight));
}
PRINTS(BCEWithLogitsLoss, )

#undef CALLS
#undef CALLS_WITH_THREE
#undef WEIGHTED
#undef RESETS_WEIGHT

}  // namespace torch::nn
