#pragma once

#include <minima/nn/module/module.h>
#include <minima/ops/cross_entropy/cross_entropy.h>
#include <minima/ops/loss/loss.h>

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

struct MSELossOptions {
  Reduction reduction = Reduction::mean;
};
/// (x - t)², torch.nn.MSELoss.
class MINIMA_API MSELoss : public ModuleOf<MSELoss> {
 public:
  explicit MSELoss(MSELossOptions options = {}) : options(options) {}
  Tensor forward(const Tensor& x, const Tensor& target);
  MSELossOptions options;
};

struct L1LossOptions {
  Reduction reduction = Reduction::mean;
};
/// |x - t|, torch.nn.L1Loss.
class MINIMA_API L1Loss : public ModuleOf<L1Loss> {
 public:
  explicit L1Loss(L1LossOptions options = {}) : options(options) {}
  Tensor forward(const Tensor& x, const Tensor& target);
  L1LossOptions options;
};

struct SmoothL1LossOptions {
  double beta = 1;
  Reduction reduction = Reduction::mean;
};
/// z²/(2β) for |z| < β, else |z| - β/2, with z = x - t, torch.nn.SmoothL1Loss.
class MINIMA_API SmoothL1Loss : public ModuleOf<SmoothL1Loss> {
 public:
  explicit SmoothL1Loss(SmoothL1LossOptions options = {}) : options(options) {}
  Tensor forward(const Tensor& x, const Tensor& target);
  SmoothL1LossOptions options;
};

struct HuberLossOptions {
  double delta = 1;
  Reduction reduction = Reduction::mean;
};
/// z²/2 for |z| ≤ δ, else δ(|z| - δ/2), with z = x - t, torch.nn.HuberLoss.
class MINIMA_API HuberLoss : public ModuleOf<HuberLoss> {
 public:
  explicit HuberLoss(HuberLossOptions options = {}) : options(options) {}
  Tensor forward(const Tensor& x, const Tensor& target);
  HuberLossOptions options;
};

struct BCELossOptions {
  Reduction reduction = Reduction::mean;
};
/// Binary cross entropy of probabilities, torch.nn.BCELoss.
class MINIMA_API BCELoss : public ModuleOf<BCELoss> {
 public:
  explicit BCELoss(BCELossOptions options = {}) : options(options) {}
  Tensor forward(const Tensor& x, const Tensor& target);
  BCELossOptions options;
};

struct KLDivLossOptions {
  bool log_target = false;
  Reduction reduction = Reduction::mean;
};
/// Kullback-Leibler divergence of log-probabilities, torch.nn.KLDivLoss.
class MINIMA_API KLDivLoss : public ModuleOf<KLDivLoss> {
 public:
  explicit KLDivLoss(KLDivLossOptions options = {}) : options(options) {}
  Tensor forward(const Tensor& x, const Tensor& target);
  KLDivLossOptions options;
};

/// Binary cross entropy of logits, torch.nn.BCEWithLogitsLoss. Its weights are buffers and move with it.
class MINIMA_API BCEWithLogitsLoss : public ModuleOf<BCEWithLogitsLoss> {
 public:
  explicit BCEWithLogitsLoss(const BceOptions& options = {})
      : options(options),
        weight(buffer("weight", options.weight)),
        pos_weight(buffer("pos_weight", options.pos_weight)) {}
  Tensor forward(const Tensor& x, const Tensor& target);

  BceOptions options;
  Buffer weight;      ///< takes the place of options.weight
  Buffer pos_weight;  ///< takes the place of options.pos_weight
};

/// Negative log-likelihood of log-probabilities and classes, torch.nn.NLLLoss. Class weights are buffers and move with
/// it.
class MINIMA_API NLLLoss : public ModuleOf<NLLLoss> {
 public:
  explicit NLLLoss(const NllOptions& options = {}) : options(options), weight(buffer("weight", options.weight)) {}
  Tensor forward(const Tensor& x, const Tensor& target);

  NllOptions options;
  Buffer weight;  ///< [C] or undefined; takes the place of options.weight
};

}  // namespace minima::nn
