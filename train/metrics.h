#pragma once

#include <minima/io/state.h>
#include <minima/tensor/tensor.h>

#include <vector>

// Metrics accumulate on the device; only reading one synchronises. All record no gradients, and a batch without samples
// changes nothing. Those of binary decisions are in binary_metrics.h, those of numbers in regression_metrics.h.

namespace minima {

/// A metric computed from sums over samples, which add up over batches and over processes:
///
///     accuracy.set_sums(distributed::sum_over_ranks(accuracy.sums(), group));
///     log(accuracy.value());
///     accuracy.reset();
class MINIMA_API MetricOfSums {
 public:
  /// The sums so far, zeros before the first batch. Synchronises with the device.
  std::vector<double> sums() const;
  /// Replaces them. Throws ValueError for another number of sums.
  void set_sums(const std::vector<double>& sums);
  void reset() { sums_ = {}; }

  State state_dict() const;
  /// Throws ValueError for the state of a metric with another number of sums.
  void load_state_dict(const State& state);

 protected:
  MetricOfSums(const char* name, std::int64_t count) : name_(name), count_(count) {}
  /// Adds a batch's sums, `count` numbers of any shape and dtype, on the batch's device.
  void add_sums(const Tensor& batch);

  const char* name_;
  std::int64_t count_;
  Tensor sums_;  ///< [count]; undefined before the first batch
};

/// A mean accumulated on the device. Read it once per epoch and no step synchronises:
///
///     Mean loss;
///     for (…) loss.add(batch_loss, batch_size);
///     log(loss.value());
class MINIMA_API Mean {
 public:
  /// Adds the mean of `values` with a weight, usually its number of samples. No values or a weight of 0 change nothing,
  /// even if the values are NaN. Throws ValueError for a negative or non-finite weight.
  void add(const Tensor& values, double weight = 1);
  /// The weighted mean; NaN before the first value. Synchronises with the device.
  double value() const;
  double weight() const { return weight_; }
  void reset();

  /// The weighted sum and the weight, as MetricOfSums.
  std::vector<double> sums() const;
  void set_sums(const std::vector<double>& sums);
  State state_dict() const;
  void load_state_dict(const State& state);

 private:
  Tensor sum_;  ///< float64 of rank 0
  double weight_ = 0;
};

/// An exponential moving average of a noisy value such as the loss of single batches: the value k steps ago has weight
/// (1 - 1/window)ᵏ, normalised so that the average is unbiased from the first value on. Stored on the value's device,
/// so that add() does not synchronise.
class MINIMA_API RunningMean {
 public:
  /// `window`: the effective number of values. Throws ValueError if it is below 1.
  explicit RunningMean(double window = 50);
  /// Adds the mean of `values`. A mean that is not finite is the average's value until the next one, and then
  /// forgotten.
  void add(const Tensor& values);
  /// NaN before the first value. Synchronises with the device.
  double value() const;
  void reset();

  State state_dict() const;
  void load_state_dict(const State& state);

 private:
  double decay_;
  Tensor average_;  ///< float64 [2]: the sum of the finite values, and of their weights
  Tensor last_;     ///< float64 of rank 0
};

/// Says which targets a metric of classes leaves out; the default is that of cross_entropy.
struct TargetOptions {
  std::int64_t ignore_index = -100;
};

/// The fraction of samples whose predicted class is the target's. As in cross_entropy, logits are [C], [N, C] or
/// [N, C, d1, …] and the target, of an integer dtype, is like them without C. The prediction is the largest logit.
///
/// For a single logit per sample, as binary_cross_entropy_with_logits takes, logits are [N], [N, 1] or [N, 1, d1, …];
/// the target has their shape or lacks the 1, in any dtype, and is positive above ½. The prediction is positive above
/// 0; for probabilities use BinaryMetrics, which has a threshold. Integers or bools of the target's shape are
/// predictions themselves.
///
/// Throws ShapeError for other shapes, one-hot targets among them, and DTypeError for classes that are not integers.
class MINIMA_API Accuracy : public MetricOfSums {
 public:
  explicit Accuracy(const TargetOptions& options = {}) : MetricOfSums("Accuracy", 2), options_(options) {}
  void add(const Tensor& logits, const Tensor& target);
  /// NaN before the first sample.
  double value() const;

 private:
  TargetOptions options_;
};

/// The fraction of samples whose target is among the k largest logits: [N, C] or [N, C, d1, …] with C of at least 2,
/// and the target like them without C. Throws ValueError for k < 1 or k > C, otherwise as Accuracy.
class MINIMA_API TopKAccuracy : public MetricOfSums {
 public:
  explicit TopKAccuracy(std::int64_t k, const TargetOptions& options = {});
  void add(const Tensor& logits, const Tensor& target);
  /// NaN before the first sample.
  double value() const;

 private:
  std::int64_t k_;
  TargetOptions options_;
};

/// Counts of target class against predicted class, accumulated on the device.
class MINIMA_API ConfusionMatrix : public MetricOfSums {
 public:
  /// Throws ValueError if `classes` is below 2.
  explicit ConfusionMatrix(std::int64_t classes, const TargetOptions& options = {});
  /// Logits or int64 predictions, and targets, as Accuracy. Throws ShapeError for logits of another number of classes,
  /// and IndexError for a prediction or target out of range.
  void add(const Tensor& logits, const Tensor& target);
  /// int64 [C, C], indexed [target, prediction]; undefined before the first add().
  Tensor counts() const;
  /// The fraction of correct predictions; NaN without any. Like the others, synchronises with the device.
  double accuracy() const;
  /// Per class, with tp its correct predictions, fp its wrong ones, and fn its samples predicted as another class:
  /// tp / (tp + fn), tp / (tp + fp), 2·tp / (2·tp + fp + fn), and the Jaccard index tp / (tp + fp + fn). float64 [C],
  /// NaN for 0/0, so that nanmean(matrix.f1()) is the macro average over the classes that occur.
  Tensor recall() const;
  Tensor precision() const;
  Tensor f1() const;
  Tensor iou() const;

 private:
  std::int64_t classes_;
  TargetOptions options_;
};

/// exp(-Σ log p / n) for the probabilities p that a language model gives the n targets. Logits [N, C] or [N, C, d1, …]
/// and int64 targets as cross_entropy.
class MINIMA_API Perplexity : public MetricOfSums {
 public:
  explicit Perplexity(const TargetOptions& options = {}) : MetricOfSums("Perplexity", 2), options_(options) {}
  void add(const Tensor& logits, const Tensor& target);
  /// NaN before the first target. Both synchronise with the device.
  double value() const;
  /// Its logarithm: the mean cross entropy in nats.
  double loss() const;

 private:
  TargetOptions options_;
};

}  // namespace minima
