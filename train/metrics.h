#pragma once

#include <minima/tensor/tensor.h>

namespace minima {

/// A mean accumulated on the device. Read it once per epoch and no step synchronises:
///
///     Mean loss;
///     for (…) loss.add(batch_loss, batch_size);
///     log(loss.value());
class MINIMA_API Mean {
 public:
  /// Adds the mean of `values` with a weight, usually its number of samples.
  void add(const Tensor& values, double weight = 1);
  /// The weighted mean; NaN before the first value. Synchronises with the device.
  double value() const;
  double weight() const { return weight_; }
  void reset();

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
  /// Adds the mean of `values`.
  void add(const Tensor& values);
  /// NaN before the first value. Synchronises with the device.
  double value() const;
  void reset();

 private:
  double decay_;
  Tensor sum_;  ///< float64 of rank 0
  double weight_ = 0;
};

/// The fraction of rows whose largest element is the target's: logits [N, C], target [N].
class MINIMA_API Accuracy {
 public:
  void add(const Tensor& logits, const Tensor& target);
  double value() const { return mean_.value(); }
  void reset() { mean_.reset(); }

 private:
  Mean mean_;
};

/// The fraction of rows whose target is among the k largest elements: logits [N, C], target [N].
class MINIMA_API TopKAccuracy {
 public:
  explicit TopKAccuracy(std::int64_t k) : k_(k) {}
  void add(const Tensor& logits, const Tensor& target);
  double value() const { return mean_.value(); }
  void reset() { mean_.reset(); }

 private:
  std::int64_t k_;
  Mean mean_;
};

/// Counts of target class against predicted class, accumulated on the device.
class MINIMA_API ConfusionMatrix {
 public:
  explicit ConfusionMatrix(std::int64_t classes) : classes_(classes) {}
  /// logits [N, C], whose largest element is the prediction, or int64 predictions [N]; target [N].
  void add(const Tensor& logits, const Tensor& target);
  /// int64 [C, C], indexed [target, prediction]; undefined before the first add().
  Tensor counts() const;
  /// The fraction of correct predictions; NaN without any. Like recall() and precision(), synchronises with the device.
  double accuracy() const;
  /// Per class, the fraction of its samples predicted correctly, and the fraction of its predictions that are correct:
  /// float64 [C], NaN for 0/0.
  Tensor recall() const;
  Tensor precision() const;
  void reset() { counts_ = {}; }

 private:
  std::int64_t classes_;
  Tensor counts_;  ///< int64 [C · C]
};

}  // namespace minima
