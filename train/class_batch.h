#pragma once

#include <minima/tensor/tensor.h>

#include <cstdint>

namespace minima::detail {

/// Holds what a metric of classes compares: int64, of one shape.
struct ClassBatch {
  Tensor predicted, target;
  std::int64_t classes;  ///< of the logits; 0 where predictions were passed
};

/// Checks logits and target as Accuracy takes them, for an error that names the metric, and finds the predictions.
ClassBatch class_batch(const char* metric, const Tensor& logits, const Tensor& target);

/// Checks logits [C], [N, C] or [N, C, d1, …] and a target of classes like them without C. Returns the dimension of C.
int check_classes(const char* metric, const Tensor& logits, const Tensor& target);

/// The target [N] or [N, 1] of one score per sample [N] or [N, 1] (with further dimensions, too) in the scores' shape;
/// undefined if the shapes are others.
Tensor target_of_scores(const Tensor& scores, const Tensor& target);

}  // namespace minima::detail
