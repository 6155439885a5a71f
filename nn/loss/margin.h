#pragma once

#include <minima/nn/loss/loss.h>
#include <minima/nn/module/module.h>
#include <minima/ops/loss/ctc.h>
#include <minima/ops/loss/likelihood.h>
#include <minima/ops/loss/margin.h>

namespace minima::nn {

struct MarginRankingLossOptions {
  double margin = 0;
  Reduction reduction = Reduction::mean;
};
/// max(0, -t·(x₁ - x₂) + margin), torch.nn.MarginRankingLoss.
struct MINIMA_API MarginRankingLoss
    : FunctionLoss<margin_ranking_loss, MarginRankingLossOptions, &MarginRankingLossOptions::margin,
                   &MarginRankingLossOptions::reduction> {
  using FunctionLoss::FunctionLoss;
};

struct HingeEmbeddingLossOptions {
  double margin = 1;
  Reduction reduction = Reduction::mean;
};
/// x for t = 1, max(0, margin - x) for t = -1, torch.nn.HingeEmbeddingLoss.
struct MINIMA_API HingeEmbeddingLoss
    : FunctionLoss<hinge_embedding_loss, HingeEmbeddingLossOptions, &HingeEmbeddingLossOptions::margin,
                   &HingeEmbeddingLossOptions::reduction> {
  using FunctionLoss::FunctionLoss;
};

struct SoftMarginLossOptions {
  Reduction reduction = Reduction::mean;
};
/// log(1 + e^(-t·x)), torch.nn.SoftMarginLoss.
struct MINIMA_API SoftMarginLoss
    : FunctionLoss<soft_margin_loss, SoftMarginLossOptions, &SoftMarginLossOptions::reduction> {
  using FunctionLoss::FunctionLoss;
};

struct MultiLabelMarginLossOptions {
  Reduction reduction = Reduction::mean;
};
/// Margins of several classes per sample, torch.nn.MultiLabelMarginLoss; formula at `multilabel_margin_loss`.
struct MINIMA_API MultiLabelMarginLoss
    : FunctionLoss<multilabel_margin_loss, MultiLabelMarginLossOptions, &MultiLabelMarginLossOptions::reduction> {
  using FunctionLoss::FunctionLoss;
};

struct CosineEmbeddingLossOptions {
  double margin = 0;
  Reduction reduction = Reduction::mean;
};
/// Cosines of pairs that are alike (t = 1) or not (t = -1), torch.nn.CosineEmbeddingLoss.
struct MINIMA_API CosineEmbeddingLoss
    : FunctionLoss<cosine_embedding_loss, CosineEmbeddingLossOptions, &CosineEmbeddingLossOptions::margin,
                   &CosineEmbeddingLossOptions::reduction> {
  using FunctionLoss::FunctionLoss;
};

/// Distances of anchor, positive and negative, torch.nn.TripletMarginLoss.
struct MINIMA_API TripletMarginLoss : OptionsLoss<triplet_margin_loss, TripletOptions> {
  using OptionsLoss::OptionsLoss;
};
/// The likelihood of targets under normal distributions, torch.nn.GaussianNLLLoss: called with mean, target, variance.
struct MINIMA_API GaussianNLLLoss : OptionsLoss<gaussian_nll_loss, GaussianNllOptions> {
  using OptionsLoss::OptionsLoss;
};
/// The likelihood of counts, torch.nn.PoissonNLLLoss.
struct MINIMA_API PoissonNLLLoss : OptionsLoss<poisson_nll_loss, PoissonNllOptions> {
  using OptionsLoss::OptionsLoss;
};
/// Connectionist temporal classification, torch.nn.CTCLoss: called with log-probabilities, targets and both lengths.
struct MINIMA_API CTCLoss : OptionsLoss<ctc_loss, CtcOptions> {
  using OptionsLoss::OptionsLoss;
};

/// Margins of one class per sample, torch.nn.MultiMarginLoss. The class weights are a buffer, so `to` moves them.
class MINIMA_API MultiMarginLoss : public ModuleOf<MultiMarginLoss> {
 public:
  explicit MultiMarginLoss(const MultiMarginOptions& options = {})
      : options(options), weight(buffer("weight", options.weight)) {}
  Tensor forward(const Tensor& x, const Tensor& target);

  MultiMarginOptions options;
  Buffer weight;  ///< [C] or undefined; used instead of options.weight
};

/// Binary cross entropy of logits, a label per class, torch.nn.MultiLabelSoftMarginLoss. The class weights are a
/// buffer, so `to` moves them.
class MINIMA_API MultiLabelSoftMarginLoss : public ModuleOf<MultiLabelSoftMarginLoss> {
 public:
  explicit MultiLabelSoftMarginLoss(const MultilabelOptions& options = {})
      : options(options), weight(buffer("weight", options.weight)) {}
  Tensor forward(const Tensor& x, const Tensor& target);

  MultilabelOptions options;
  Buffer weight;  ///< [C] or undefined; used instead of options.weight
};

}  // namespace minima::nn
