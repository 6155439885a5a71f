#include <minima/train/metrics.h>

#include <minima/autograd/mode.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/index/index.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/sort/sort.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/zero_memory.h>

#include <cmath>
#include <cstdint>

// The metrics that tell classes apart.

namespace minima {

void TopKAccuracy::add(const Tensor& logits, const Tensor& target) {
  const NoGrad guard;
  const Tensor best = topk(logits.detach(), k_, -1).indices;
  mean_.add(any(best == unsqueeze(target, -1), {-1}), static_cast<double>(target.numel()));
}

void ConfusionMatrix::add(const Tensor& logits, const Tensor& target) {
  const NoGrad guard;
  const Tensor predicted = logits.rank() > target.rank() ? argmax(logits.detach(), -1) : logits;
  if (!counts_.defined())
    counts_ = minima::detail::zeroed({classes_ * classes_}, {.dtype = DType::int64, .device = target.device()});
  // A class out of range becomes an index out of range, which is an error.
  const Tensor fits =
      logical_and(logical_and(target >= 0, target < classes_), logical_and(predicted >= 0, predicted < classes_));
  const Tensor outside = full({}, classes_ * classes_, {.dtype = DType::int64, .device = target.device()});
  const Tensor places = reshape(where(fits, target * classes_ + predicted, outside), {-1});
  counts_ = index_add(counts_, 0, places, ones(places.shape(), {.dtype = DType::int64, .device = target.device()}));
}

Tensor ConfusionMatrix::counts() const { return counts_.defined() ? reshape(counts_, {classes_, classes_}) : Tensor(); }

double ConfusionMatrix::accuracy() const {
  if (!counts_.defined()) return std::nan("");
  const Tensor right = counts() * eye(classes_, -1, {.dtype = DType::int64, .device = counts_.device()});
  return (sum(right).to(DType::float64) / sum(counts_).to(DType::float64)).item<double>();
}

namespace {

/// The diagonal divided by the sums over a dimension.
Tensor shares(const Tensor& counts, std::int64_t classes, std::int64_t dim) {
  if (!counts.defined()) return {};
  const Tensor right = sum(counts * eye(classes, -1, {.dtype = DType::int64, .device = counts.device()}), {dim});
  return right.to(DType::float64) / sum(counts, {dim}).to(DType::float64);
}

}  // namespace

Tensor ConfusionMatrix::recall() const { return shares(counts(), classes_, 1); }
Tensor ConfusionMatrix::precision() const { return shares(counts(), classes_, 0); }

}  // namespace minima
