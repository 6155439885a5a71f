#pragma once

#include <minima/nn/containers/list.h>
#include <minima/nn/containers/sequential.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/loss/loss.h>
#include <minima/nn/module/module.h>
#include <minima/ops/loss/triplet_distance.h>

#include <cstdint>
#include <vector>

// The softmax of many classes, and the triplet loss with a distance of one's own. Included on their own, not by
// minima.h.

namespace minima::nn {

/// triplet_margin_loss with a distance of one's own, torch.nn.TripletMarginWithDistanceLoss.
struct MINIMA_API TripletMarginWithDistanceLoss
    : OptionsLoss<triplet_margin_with_distance_loss, TripletDistanceOptions> {
  using OptionsLoss::OptionsLoss;
};

struct AdaptiveLogSoftmaxOptions {
  std::int64_t in = 0;
  std::int64_t classes = 0;
  std::vector<std::int64_t> cutoffs = {};  ///< ascending: the first class of every cluster after the most frequent ones
  double div_value = 4;  ///< positive: cluster i is computed from ⌊in / div_valueⁱ⁺¹⌋ numbers, perhaps none
  bool head_bias = false;
};
/// The softmax of many classes of which few are frequent (Grave et al., arXiv:1609.04309),
/// torch.nn.AdaptiveLogSoftmaxWithLoss: classes are sorted by frequency, and rare ones computed only for the rows whose
/// target they are. Finding these waits for a GPU.
///   nn::AdaptiveLogSoftmaxWithLoss loss({.in = 512, .classes = 100000, .cutoffs = {2000, 20000}});
///   loss(x, targets).loss.backward();
class MINIMA_API AdaptiveLogSoftmaxWithLoss : public ModuleOf<AdaptiveLogSoftmaxWithLoss> {
 public:
  struct Result {
    Tensor output;  ///< log-probability of each target
    Tensor loss;    ///< its mean, negative
  };
  /// Throws ValueError unless 0 < cutoffs[0] < cutoffs[1] < … < classes.
  explicit AdaptiveLogSoftmaxWithLoss(const AdaptiveLogSoftmaxOptions& options);
  /// x [N, in] and target int64 [N], or x [in] and target []. Throws IndexError for a class out of range.
  Result forward(const Tensor& x, const Tensor& target);
  /// The log-probabilities of all classes: x [N, in] → [N, classes].
  Tensor log_prob(const Tensor& x);
  /// The most probable class: x [N, in] → int64 [N].
  Tensor predict(const Tensor& x);

  AdaptiveLogSoftmaxOptions options;
  Linear head;              ///< of the frequent classes and the clusters
  ListOf<Sequential> tail;  ///< two linear layers for each cluster
};

}  // namespace minima::nn
