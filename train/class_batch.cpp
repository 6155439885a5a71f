#include <minima/train/class_batch.h>

#include <minima/ops/core/op_support.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

namespace minima::detail {

namespace {

Shape without(const Shape& shape, int dim) {
  Shape rest;
  for (int d = 0; d < shape.rank(); ++d)
    if (d != dim) rest.push_back(shape[d]);
  return rest;
}

/// Guesses what a user who passed these shapes meant.
const char* advice(const Tensor& logits, const Tensor& target) {
  if (logits.shape() == target.shape())
    return "; for a one-hot target pass argmax(target, 1), for labels that do not exclude each other use "
           "MultilabelMetrics";
  if (target.rank() == 2 && target.size(1) == 1)
    return "; take the target's last dimension off with squeeze(target, 1)";
  if (logits.rank() > 2 && target.shape() == without(logits.shape(), logits.rank() - 1))
    return "; classes come second, as in cross_entropy: flatten(logits, 0, -2) and flatten(target)";
  return "";
}

}  // namespace

int check_classes(const char* metric, const Tensor& logits, const Tensor& target) {
  check_defined(metric, logits);
  check_defined(metric, target, 1);
  const int dim = logits.rank() == 1 ? 0 : 1;
  if (logits.rank() < 1 || target.shape() != without(logits.shape(), dim))
    throw ShapeError(str(metric, ": logits must be [N, C] or [N, C, d1, …] and the target like them without C, got ",
                         logits, " and ", target, advice(logits, target)));
  if (is_floating(target.dtype()) || is_complex(target.dtype()))
    throw DTypeError(str(metric, ": the target must hold classes as integers, got ", target, "; convert it with to()"));
  return dim;
}

Tensor target_of_scores(const Tensor& scores, const Tensor& target) {
  if (scores.rank() == 0 || (scores.rank() > 1 && scores.size(1) != 1)) return {};
  if (scores.shape() == target.shape()) return target;
  return scores.rank() > 1 && target.shape() == without(scores.shape(), 1) ? unsqueeze(target, 1) : Tensor();
}

ClassBatch class_batch(const char* metric, const Tensor& logits, const Tensor& target) {
  check_defined(metric, logits);
  check_defined(metric, target, 1);
  const Tensor x = logits.detach();
  if (!is_floating(x.dtype()) && x.shape() == target.shape()) return {x.to(DType::int64), target.to(DType::int64), 0};
  if (const Tensor binary = target_of_scores(x, target); binary.defined())
    return {(x > 0).to(DType::int64), (binary.to(DType::float32) > 0.5).to(DType::int64), 2};
  const int dim = check_classes(metric, x, target);
  const Tensor classes = target.to(DType::int64);
  return {classes.numel() == 0 ? classes : argmax(x, dim), classes, x.size(dim)};
}

}  // namespace minima::detail
