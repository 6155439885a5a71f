#pragma once

#include <minima/tensor/tensor.h>

namespace minima {

/// A mean that is added up on the device and read late, so that a step waits for nothing:
///
///     Mean loss;
///     for (…) loss.add(batch_loss, batch_size);
///     log(loss.value());
class MINIMA_API Mean {
 public:
  /// Adds the mean of `values` with a weight, usually the number of samples behind it.
  void add(const Tensor& values, double weight = 1);
  /// The weighted mean so far, NaN without any. Waits for the device.
  double value() const;
  double weight() const { return weight_; }
  void reset();

 private:
  Tensor sum_;  ///< float64 of rank 0
  double weight_ = 0;
};

/// A mean that follows a noisy value, such as the loss of single batches: value k steps ago weighs (1 - 1/window)ᵏ, and
/// the weights add up to 1 from the first value on. Lives on the value's device, so adding waits for nothing.
class MINIMA_API RunningMean {
 public:
  /// About so many values count; at least 1. Throws ValueError.
  explicit RunningMean(double window = 50);
  /// Adds the mean of `values`.
  void add(const Tensor& values);
  /// NaN before the first. Waits for the device.
  double value() const;
  void reset();

 private:
  double decay_;
  Tensor sum_;  ///< float64 of rank 0
  double weight_ = 0;
};

/// The share of rows whose largest element is at the target: logits [N, C], target [N].
class MINIMA_API Accuracy {
 public:
  void add(const Tensor& logits, const Tensor& target);
  double value() const { return mean_.value(); }
  void reset() { mean_.reset(); }

 private:
  Mean mean_;
};

/// The share of rows whose target is among the k largest: logits [N, C], target [N].
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

/// How often each class was taken for which: counts are added up on the device and read late.
class MINIMA_API ConfusionMatrix {
 public:
  explicit ConfusionMatrix(std::int64_t classes) : classes_(classes) {}
  /// logits [N, C], of which the largest counts, or int64 predictions [N]; target [N].
  void add(const Tensor& logits, const Tensor& target);
  /// int64 [target, prediction]; undefined without any.
  Tensor counts() const;
  /// The share of right predictions, NaN without any. Waits for the device, as what follows.
  double accuracy() const;
  /// Of each class the share that was found, and of what was taken for it the share that is: float64 [C], NaN for 0 of
  /// 0.
  Tensor recall() const;
  Tensor precision() const;
  void reset() { counts_ = {}; }

 private:
  std::int64_t classes_;
  Tensor counts_;  ///< int64 [C · C]
};

}  // namespace minima
