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

/// The share of rows whose largest element is at the target: logits [N, C], target [N].
class MINIMA_API Accuracy {
 public:
  void add(const Tensor& logits, const Tensor& target);
  double value() const { return mean_.value(); }
  void reset() { mean_.reset(); }

 private:
  Mean mean_;
};

}  // namespace minima
