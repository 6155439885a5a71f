#include <torch/nn/functional/loss.h>

#include <minima/ops/loss/cross_entropy.h>
#include <minima/ops/loss/likelihood.h>
#include <minima/ops/loss/loss.h>
#include <minima/ops/loss/margin.h>
#include <minima/ops/loss/triplet_distance.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>

#include <cstdint>
#include <functional>
#include <variant>

#include "support.h"

namespace torch::nn::functional {

namespace {

/// For the alternatives kNone, kMean and kSum, in any order.
template <class Variant>
minima::Reduction reduction_of(const Variant& reduction) {
  if (std::holds_alternative<enumtype::kNone>(reduction)) return minima::Reduction::none;
  return std::holds_alternative<enumtype::kMean>(reduction) ? minima::Reduction::mean : minima::Reduction::sum;
}

void warn_of_sizes(const Tensor& input, const Tensor& target) {
  if (input.sizes() != target.sizes())
    TORCH_WARN("Using a target size (", target.sizes(), ") that is different to the input size (", input.sizes(),
               "). This will likely lead to incorrect results due to broadcasting. Please ensure they have the same "
               "size.");
}

}

Tensor l1_loss(const Tensor& input, const Tensor& target, const L1LossFuncOptions& options) {
  const auto [x, t] = alike(input, target);
  return minima::l1_loss(x, t, reduction_of(options.reduction()));
}

Tensor mse_loss(const Tensor& input, const Tensor& target, const MSELossFuncOptions& options) {
  warn_of_sizes(input, target);
  const auto [x, t] = alike(input, target);
  return minima::mse_loss(x, t, reduction_of(options.reduction()));
}

Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, const SmoothL1LossFuncOptions& options) {
  warn_of_sizes(input, target);
  const auto [x, t] = alike(input, target);
  return minima::smooth_l1_loss(x, t, options.beta().value_or(1), reduction_of(options.reduction()));
}

Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, const SmoothL1LossFuncOptions& options, double beta) {
  TORCH_CHECK(!options.beta(), "expected beta not to be provided in 'options', but got ", *options.beta());
  return smooth_l1_loss(input, target, SmoothL1LossFuncOptions(options).beta(beta));
}

Tensor huber_loss(const Tensor& input, const Tensor& target, const HuberLossFuncOptions& options) {
  warn_of_sizes(input, target);
  const auto [x, t] = alike(input, target);
  return minima::huber_loss(x, t, options.delta(), reduction_of(options.reduction()));
}

Tensor kl_div(const Tensor& input, const Tensor& target, const KLDivFuncOptions& options) {
  const auto [x, t] = alike(input, target);
  const auto loss = [&](minima::Reduction reduction) {
    return options.log_target() ? minima::kl_div_log_target(x, t, reduction) : minima::kl_div(x, t, reduction);
  };
  if (std::holds_alternative<enumtype::kBatchMean>(options.reduction())) {
    const minima::Tensor sum = loss(minima::Reduction::sum);
    return x.rank() == 0 ? sum : sum / input.size(0);
  }
  if (std::holds_alternative<enumtype::kMean>(options.reduction()))
    TORCH_WARN(
        "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides only "
        "by the batch size, and aligns with the KL div math definition.'mean' will be changed to behave the same as "
        "'batchmean' in the next major release.");
  return loss(reduction_of(options.reduction()));
}

Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, const BinaryCrossEntropyFuncOptions& options) {
  TORCH_CHECK(input.sizes() == target.sizes(), "Using a target size (", target.sizes(),
              ") that is different to the input size (", input.sizes(),
              ") is deprecated. Please ensure they have the same size.");
  return minima::binary_cross_entropy(input, target, options.weight(), reduction_of(options.reduction()));
}

Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                        const BinaryCrossEntropyWithLogitsFuncOptions& options) {
  TORCH_CHECK(input.sizes() == target.sizes(), "Target size (", target.sizes(), ") must be the same as input size (",
              input.sizes(), ")");
  const auto [x, t] = alike(input, target);
  return minima::binary_cross_entropy_with_logits(
      x, t,
      {.weight = options.weight(), .pos_weight = options.pos_weight(), .reduction = reduction_of(options.reduction())});
}

Tensor cross_entropy(const Tensor& input, const Tensor& target, const CrossEntropyFuncOptions& options) {
  return minima::cross_entropy(input, index_of(target),
                               {.weight = options.weight(),
                                .ignore_index = options.ignore_index(),
                                .reduction = reduction_of(options.reduction()),
                                .label_smoothing = options.label_smoothing()});
}

Tensor nll_loss(const Tensor& input, const Tensor& target, const NLLLossFuncOptions& options) {
  TORCH_CHECK(input.dim() >= 2, "Expected 2 or more dimensions (got ", input.dim(), ")");
  TORCH_CHECK(target.dim() > 0 && input.size(0) == target.size(0), "Expected input batch_size (", input.size(0),
              ") to match target batch_size (", target.dim() > 0 ? target.size(0) : 0, ").");
  return minima::nll_loss(input, index_of(target),
                          {.weight = options.weight(),
                           .ignore_index = options.ignore_index(),
                           .reduction = reduction_of(options.reduction())});
}

Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, const PoissonNLLLossFuncOptions& options) {
  const auto [x, t] = alike(input, target);
  return minima::poisson_nll_loss(x, t,
                                  {.log_input = options.log_input(),
                                   .full = options.full(),
                                   .eps = options.eps(),
                                   .reduction = reduction_of(options.reduction())});
}

Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target, const HingeEmbeddingLossFuncOptions& options) {
  return minima::hinge_embedding_loss(real_of(input), target, options.margin(), reduction_of(options.reduction()));
}

Tensor soft_margin_loss(const Tensor& input, const Tensor& target, const SoftMarginLossFuncOptions& options) {
  return minima::soft_margin_loss(input, target, reduction_of(options.reduction()));
}

Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                           const MarginRankingLossFuncOptions& options) {
  TORCH_CHECK(input1.dim() == input2.dim() && input1.dim() == target.dim(),
              "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: ",
              input1.sizes(), ", input2: ", input2.sizes(), ", target: ", target.sizes());
  const auto [x1, x2] = alike(input1, input2);
  return minima::margin_ranking_loss(x1, x2, target, options.margin(), reduction_of(options.reduction()));
}

Tensor multi_margin_loss(const Tensor& input, const Tensor& target, const MultiMarginLossFuncOptions& options) {
  TORCH_CHECK(options.p() == 1 || options.p() == 2, "only p == 1 and p == 2 supported");
  TORCH_CHECK(!options.weight().defined() || options.weight().dim() == 1, "weight must be one-dimensional");
  return minima::multi_margin_loss(input, target,
                                   {.p = static_cast<double>(options.p()),
                                    .margin = options.margin(),
                                    .weight = options.weight(),
                                    .reduction = reduction_of(options.reduction())});
}

Tensor multilabel_margin_loss(const Tensor& input, const Tensor& target,
                              const MultilabelMarginLossFuncOptions& options) {
  return minima::multilabel_margin_loss(input, target, reduction_of(options.reduction()));
}

Tensor multilabel_soft_margin_loss(const Tensor& input, const Tensor& target,
                                   const MultilabelSoftMarginLossFuncOptions& options) {
  const auto [x, t] = alike(input, target);
  return minima::multilabel_soft_margin_loss(
      x, t, {.weight = options.weight(), .reduction = reduction_of(options.reduction())});
}

Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                             const CosineEmbeddingLossFuncOptions& options) {
  const auto [a, b] = alike(input1, input2);
  return minima::cosine_embedding_loss(a, b, target, options.margin(), reduction_of(options.reduction()));
}

Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           const TripletMarginLossFuncOptions& options) {
  return minima::triplet_margin_loss(anchor, positive, negative,
                                     {.margin = options.margin(),
                                      .p = options.p(),
                                      .eps = options.eps(),
                                      .swap = options.swap(),
                                      .reduction = reduction_of(options.reduction())});
}

Tensor triplet_margin_with_distance_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                                         const TripletMarginWithDistanceLossFuncOptions& options) {
  minima::TripletDistanceOptions native{
      .margin = options.margin(), .swap = options.swap(), .reduction = reduction_of(options.reduction())};
  if (const auto& distance = options.distance_function())
    native.distance = [&distance](const minima::Tensor& a, const minima::Tensor& b) -> minima::Tensor {
      return (*distance)(a, b);
    };
  return minima::triplet_margin_with_distance_loss(anchor, positive, negative, native);
}

}
