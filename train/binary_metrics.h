#pragma once

#include <minima/train/metrics.h>

#include <vector>

namespace minima {

struct BinaryOptions {
  double threshold = 0;  ///< scores above it are predicted positive: 0 for logits, 0.5 for probabilities
};

/// Yes-or-no decisions, counted on the device:
///
///     BinaryMetrics metrics;
///     for (…) metrics.add(logits, y);
///     log(metrics.precision(), metrics.recall());
///
/// With tp, fp, fn and tn the numbers of true and false positives and negatives, which are sums() in this order.
class MINIMA_API BinaryMetrics : public MetricOfSums {
 public:
  /// Throws ValueError for a threshold that is NaN.
  explicit BinaryMetrics(const BinaryOptions& options = {});
  /// Scores of any shape and a target like them; [N, 1] and [N] also go together. A target is positive above ½. Labels
  /// [N, L] are all counted alike, which gives micro averages; see MultilabelMetrics. Throws ShapeError.
  void add(const Tensor& scores, const Tensor& target);

  // NaN for 0/0. Each synchronises with the device.
  double accuracy() const;     ///< (tp + tn) / all
  double precision() const;    ///< tp / (tp + fp)
  double recall() const;       ///< tp / (tp + fn), the sensitivity
  double specificity() const;  ///< tn / (tn + fp)
  double f1() const;           ///< 2·tp / (2·tp + fp + fn)
  double iou() const;          ///< the Jaccard index, tp / (tp + fp + fn)

 private:
  BinaryOptions options_;
};

/// The decisions of BinaryMetrics for each of L labels, which do not exclude each other.
class MINIMA_API MultilabelMetrics : public MetricOfSums {
 public:
  /// Throws ValueError for no labels.
  explicit MultilabelMetrics(std::int64_t labels, const BinaryOptions& options = {});
  /// Scores and target [N, L]. Throws ShapeError for others.
  void add(const Tensor& scores, const Tensor& target);

  /// The fraction of all N·L decisions that are right, and of samples with all L right. NaN without any.
  double accuracy() const;
  double exact_match() const;
  /// Per label, float64 [L] on the CPU, NaN for 0/0: nanmean(metrics.f1()) is the macro average.
  Tensor precision() const;
  Tensor recall() const;
  Tensor f1() const;
  Tensor iou() const;

 private:
  std::int64_t labels_;
  BinaryOptions options_;
};

/// The area under the ROC curve: the probability that a positive sample's score exceeds a negative one's, counting ties
/// by half. Exact, for which it keeps all scores on their device; each value sorts them. Over processes:
///
///     AUC all;
///     all.add(distributed::cat_over_ranks(auc.scores(), group), distributed::cat_over_ranks(auc.targets(), group));
class MINIMA_API AUC {
 public:
  /// Scores [N] or [N, 1], of which only the order matters, and a target [N] or [N, 1], positive above ½. Of several
  /// classes, pass one's scores: add(select(logits, 1, c), y == c). Throws ShapeError.
  void add(const Tensor& scores, const Tensor& target);
  /// NaN without samples of both kinds, or if a score is NaN. Synchronises with the device.
  double value() const;
  /// The area under the curve of precision against recall as scikit-learn's average_precision_score:
  /// Σ (Rₙ - Rₙ₋₁)·Pₙ over the thresholds. NaN without positive samples, or if a score is NaN.
  double average_precision() const;
  void reset();

  /// All so far: float64 and bool [N].
  Tensor scores() const;
  Tensor targets() const;
  State state_dict() const;
  void load_state_dict(const State& state);

 private:
  std::vector<Tensor> scores_, targets_;  ///< of each batch
};

}  // namespace minima
