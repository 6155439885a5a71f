#include <minima/ops/core/reduction.h>
#include <minima/tensor/tensor.h>
#include <minima/train/metrics.h>

#include <minima/autograd/mode.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/index/scatter.h>
#include <minima/ops/loss/cross_entropy.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/sort/sort.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/layout/checked.h>
#include <minima/tensor/zero_memory.h>
#include <minima/train/class_batch.h>

#include <cmath>
#include <cstdint>
#include <vector>

// The metrics that tell classes apart.

namespace minima {

TopKAccuracy::TopKAccuracy(std::int64_t k, const TargetOptions& options)
    : MetricOfSums("TopKAccuracy", 2), k_(k), options_(options) {
  if (k < 1) throw ValueError(str("TopKAccuracy: k must be at least 1, got ", k));
}

void TopKAccuracy::add(const Tensor& logits, const Tensor& target) {
  const NoGrad guard;
  const int dim = detail::check_classes(name_, logits, target);
  if (logits.size(dim) < 2) throw ShapeError(str("TopKAccuracy: needs logits of several classes, got ", logits));
  if (k_ > logits.size(dim))
    throw ValueError(str("TopKAccuracy: k is ", k_, ", but the logits have ", logits.size(dim), " classes: ", logits));
  if (target.numel() == 0) return;
  const Tensor classes = target.to(DType::int64), counted = classes != options_.ignore_index;
  const Tensor best = topk(logits.detach(), k_, dim).indices;
  const Tensor hits = logical_and(any(best == unsqueeze(classes, dim), {dim}), counted);
  add_sums(stack({sum(hits), sum(counted)}));
}

double TopKAccuracy::value() const {
  const std::vector<double> all = sums();
  return all[0] / all[1];
}

namespace {

std::int64_t cells_of(std::int64_t classes) {
  if (classes < 2) throw ValueError(str("ConfusionMatrix: needs at least two classes, got ", classes));
  return detail::checked_numel({classes, classes}, "ConfusionMatrix");
}

}  // namespace

ConfusionMatrix::ConfusionMatrix(std::int64_t classes, const TargetOptions& options)
    : MetricOfSums("ConfusionMatrix", cells_of(classes)), classes_(classes), options_(options) {}

void ConfusionMatrix::add(const Tensor& logits, const Tensor& target) {
  const NoGrad guard;
  const auto [predicted, expected, classes] = detail::class_batch(name_, logits, target);
  if (classes != 0 && classes != classes_)
    throw ShapeError(str("ConfusionMatrix: has ", classes_, " classes, but the logits ", logits, " are of ", classes));
  if (expected.numel() == 0) return;
  const TensorOptions like{.dtype = DType::int64, .device = expected.device()};
  const auto fits = [&](const Tensor& c) { return logical_and(c >= 0, c < classes_); };
  const Tensor counted = expected != options_.ignore_index;
  const Tensor is_right = logical_or(logical_and(fits(expected), fits(predicted)), logical_not(counted));
  if (is_right.device().is_cpu() && !all(is_right).item<bool>())
    throw IndexError(
        str("ConfusionMatrix: has classes 0 to ", classes_ - 1, ", but a target or prediction is outside"));
  // On a GPU a class out of range becomes an index out of range, which is an error there.
  const Tensor place = where(counted, expected * classes_ + predicted, zeros({}, like));
  const Tensor places = reshape(where(is_right, place, full({}, classes_ * classes_, like)), {-1});
  const Tensor before =
      sums_.defined() ? sums_.to(like.device).to(DType::int64) : minima::detail::zeroed({classes_ * classes_}, like);
  sums_ = index_add(before, 0, places, reshape(counted, {-1}).to(DType::int64));
}

Tensor ConfusionMatrix::counts() const {
  return sums_.defined() ? reshape(sums_.to(DType::int64), {classes_, classes_}) : Tensor();
}

namespace {

/// The diagonal of counts as float64 [C, C], and their sums over a dimension.
Tensor diagonal_of(const Tensor& counts) {
  return sum(counts * eye(counts.size(0), {.dtype = counts.dtype(), .device = counts.device()}), {0});
}

/// right(counts) / all(counts) of counts as float64; undefined like them.
template <class F>
Tensor ratio(const Tensor& counts, const F& all) {
  if (!counts.defined()) return {};
  const Tensor c = counts.to(DType::float64);
  return diagonal_of(c) / all(c);
}

}  // namespace

double ConfusionMatrix::accuracy() const {
  if (!sums_.defined()) return std::nan("");
  const Tensor c = counts().to(DType::float64);
  return (sum(diagonal_of(c)) / sum(c)).item<double>();
}

Tensor ConfusionMatrix::recall() const {
  return ratio(counts(), [](const Tensor& c) { return sum(c, {1}); });
}
Tensor ConfusionMatrix::precision() const {
  return ratio(counts(), [](const Tensor& c) { return sum(c, {0}); });
}
Tensor ConfusionMatrix::f1() const {
  return ratio(counts(), [](const Tensor& c) { return (sum(c, {0}) + sum(c, {1})) / 2; });
}
Tensor ConfusionMatrix::iou() const {
  return ratio(counts(), [](const Tensor& c) { return sum(c, {0}) + sum(c, {1}) - diagonal_of(c); });
}

void Perplexity::add(const Tensor& logits, const Tensor& target) {
  const NoGrad guard;
  detail::check_classes(name_, logits, target);
  if (target.numel() == 0) return;
  const Tensor x = logits.detach(), classes = target.to(DType::int64);
  const Tensor loss = cross_entropy(is_half(x.dtype()) ? x.to(DType::float32) : x, classes,
                                    {.ignore_index = options_.ignore_index, .reduction = Reduction::sum});
  add_sums(stack({loss.to(DType::float64), sum(classes != options_.ignore_index).to(DType::float64)}));
}

double Perplexity::loss() const {
  const std::vector<double> all = sums();
  return all[0] / all[1];
}

double Perplexity::value() const { return std::exp(loss()); }

}  // namespace minima
