#pragma once

#include <minima/nn/module/module.h>
#include <minima/ops/loss/cross_entropy.h>
#include <minima/ops/loss/loss.h>

namespace minima::nn {

/// The cross entropy of logits [N, C, …] with int64 classes [N, …] or probabilities [N, C, …],
/// torch.nn.CrossEntropyLoss. The same as the function `cross_entropy`, but keeps the options and holds the class
/// weights as a buffer, so `to` moves them.
///   nn::CrossEntropyLoss loss({.label_smoothing = 0.1});
///   loss(net(x), labels).backward();
class MINIMA_API CrossEntropyLoss : public ModuleOf<CrossEntropyLoss> {
 public:
  explicit CrossEntropyLoss(const CrossEntropyOptions& options = {})
      : options(options), weight(buffer("weight", options.weight)) {}
  Tensor forward(const Tensor& logits, const Tensor& target);

  CrossEntropyOptions options;
  Buffer weight;  ///< [C] or undefined; used instead of options.weight
};

/// A loss without weights: calls `function(x, target, options.field...)`.
template <auto function, class Options, auto... fields>
class FunctionLoss : public ModuleOf<FunctionLoss<function, Options, fields...>> {
 public:
  explicit FunctionLoss(const Options& given = {}) : options(given) {}
  template <class... In>
  requires requires(const In&... in, const Options& o) { function(in..., o.*fields...); }
  Tensor forward(const In&... in) {
    return function(in..., options.*fields...);
  }
  Options options;
};

/// A loss without weights: calls `function(x, target, options)`.
template <auto function, class Options>
class OptionsLoss : public ModuleOf<OptionsLoss<function, Options>> {
 public:
  explicit OptionsLoss(const Options& given = {}) : options(given) {}
  template <class... In>
  requires requires(const In&... in, const Options& o) { function(in..., o); } Tensor forward(const In&... in) {
    return function(in..., options);
  }
  Options options;
};

struct MSELossOptions {
  Reduction reduction = Reduction::mean;
};
/// (x - t)², torch.nn.MSELoss.
struct MINIMA_API MSELoss : FunctionLoss<mse_loss, MSELossOptions, &MSELossOptions::reduction> {
  using FunctionLoss::FunctionLoss;
};

struct L1LossOptions {
  Reduction reduction = Reduction::mean;
};
/// |x - t|, torch.nn.L1Loss.
struct MINIMA_API L1Loss : FunctionLoss<l1_loss, L1LossOptions, &L1LossOptions::reduction> {
  using FunctionLoss::FunctionLoss;
};

struct SmoothL1LossOptions {
  double beta = 1;
  Reduction reduction = Reduction::mean;
};
/// Squared below `beta`, linear above, torch.nn.SmoothL1Loss; formula at `smooth_l1_loss`.
struct MINIMA_API SmoothL1Loss
    : FunctionLoss<smooth_l1_loss, SmoothL1LossOptions, &SmoothL1LossOptions::beta, &SmoothL1LossOptions::reduction> {
  using FunctionLoss::FunctionLoss;
};

struct HuberLossOptions {
  double delta = 1;
  Reduction reduction = Reduction::mean;
};
/// SmoothL1Loss times `delta`, torch.nn.HuberLoss.
struct MINIMA_API HuberLoss
    : FunctionLoss<huber_loss, HuberLossOptions, &HuberLossOptions::delta, &HuberLossOptions::reduction> {
  using FunctionLoss::FunctionLoss;
};

struct BCELossOptions {
  Tensor weight = {};  ///< a factor per element, of any shape that broadcasts; undefined means 1
  Reduction reduction = Reduction::mean;
};
/// Binary cross entropy of probabilities, torch.nn.BCELoss. The weight is a buffer, so `to` moves it.
class MINIMA_API BCELoss : public ModuleOf<BCELoss> {
 public:
  explicit BCELoss(const BCELossOptions& options = {}) : options(options), weight(buffer("weight", options.weight)) {}
  Tensor forward(const Tensor& p, const Tensor& target);

  BCELossOptions options;
  Buffer weight;  ///< used instead of options.weight
};

struct KLDivLossOptions {
  bool log_target = false;
  Reduction reduction = Reduction::mean;
  bool batchmean = false;  ///< the sum divided by x.size(0), the divergence per sample, whatever `reduction` is
};
/// The Kullback-Leibler divergence of log-probabilities, torch.nn.KLDivLoss.
class MINIMA_API KLDivLoss : public ModuleOf<KLDivLoss> {
 public:
  explicit KLDivLoss(KLDivLossOptions options = {}) : options(options) {}
  Tensor forward(const Tensor& x, const Tensor& target);
  KLDivLossOptions options;
};

/// Binary cross entropy of logits, torch.nn.BCEWithLogitsLoss. The weights are buffers, so `to` moves them.
class MINIMA_API BCEWithLogitsLoss : public ModuleOf<BCEWithLogitsLoss> {
 public:
  explicit BCEWithLogitsLoss(const BceOptions& options = {})
      : options(options),
        weight(buffer("weight", options.weight)),
        pos_weight(buffer("pos_weight", options.pos_weight)) {}
  Tensor forward(const Tensor& x, const Tensor& target);

  BceOptions options;
  Buffer weight;      ///< used instead of options.weight
  Buffer pos_weight;  ///< used instead of options.pos_weight
};

/// Negative log-likelihood of log-probabilities and classes, torch.nn.NLLLoss. The class weights are a buffer, so `to`
/// moves them.
class MINIMA_API NLLLoss : public ModuleOf<NLLLoss> {
 public:
  explicit NLLLoss(const NllOptions& options = {}) : options(options), weight(buffer("weight", options.weight)) {}
  Tensor forward(const Tensor& x, const Tensor& target);

  NllOptions options;
  Buffer weight;  ///< [C] or undefined; used instead of options.weight
};

}  // namespace minima::nn
