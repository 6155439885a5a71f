#include <minima/train/binary_metrics.h>

#include <minima/autograd/mode.h>
#include <minima/io/state.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/core/op_support.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/index/masked.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/comparison.h>
#include <minima/ops/reduce/statistics.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/sort/searchsorted.h>
#include <minima/ops/sort/sort.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/layout/checked.h>
#include <minima/train/class_batch.h>
#include <minima/train/metrics.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima {

namespace {

/// Decisions and truth of scores [N, L], bool.
struct Decisions {
  Tensor predicted, positive;
};

Decisions decide(const Tensor& scores, const Tensor& target, double threshold) {
  return {scores.detach().to(DType::float64) > threshold, target.to(DType::float64) > 0.5};
}

/// tp, fp, fn and tn of each label: float64 [4, L].
Tensor counts_of(const Decisions& d) {
  const auto count = [](const Tensor& where) { return sum(where, {0}).to(DType::float64); };
  const Tensor hits = count(logical_and(d.predicted, d.positive));
  const Tensor predicted = count(d.predicted), positive = count(d.positive);
  return stack({hits, predicted - hits, positive - hits, d.positive.size(0) - predicted - positive + hits});
}

struct Counts {
  double tp, fp, fn, tn;
  double precision() const { return tp / (tp + fp); }
  double recall() const { return tp / (tp + fn); }
  double f1() const { return 2 * tp / (2 * tp + fp + fn); }
  double iou() const { return tp / (tp + fp + fn); }
};

Counts counts_in(const std::vector<double>& sums, std::size_t labels, std::size_t label) {
  return {sums[label], sums[labels + label], sums[2 * labels + label], sums[3 * labels + label]};
}

template <class F>
Tensor per_label(const std::vector<double>& sums, std::int64_t labels, const F& formula) {
  std::vector<double> values;
  const auto count = static_cast<std::size_t>(labels);
  values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) values.push_back(formula(counts_in(sums, count, i)));
  return from_vector(values, {labels});
}

}  // namespace

BinaryMetrics::BinaryMetrics(const BinaryOptions& options) : MetricOfSums("BinaryMetrics", 4), options_(options) {
  detail::check_number("BinaryMetrics", "threshold", options.threshold, detail::any_number);
}

void BinaryMetrics::add(const Tensor& scores, const Tensor& target) {
  const NoGrad guard;
  detail::check_defined(name_, scores);
  detail::check_defined(name_, target, 1);
  const Tensor y = scores.shape() == target.shape() ? target : detail::target_of_scores(scores, target);
  if (!y.defined())
    throw ShapeError(str("BinaryMetrics: scores and target must have one shape, or be [N, 1] and [N], got ", scores,
                         " and ", target));
  if (y.numel() > 0) add_sums(counts_of(decide(reshape(scores, {-1, 1}), reshape(y, {-1, 1}), options_.threshold)));
}

double BinaryMetrics::accuracy() const {
  const Counts c = counts_in(sums(), 1, 0);
  return (c.tp + c.tn) / (c.tp + c.fp + c.fn + c.tn);
}

double BinaryMetrics::specificity() const {
  const Counts c = counts_in(sums(), 1, 0);
  return c.tn / (c.tn + c.fp);
}

double BinaryMetrics::precision() const { return counts_in(sums(), 1, 0).precision(); }
double BinaryMetrics::recall() const { return counts_in(sums(), 1, 0).recall(); }
double BinaryMetrics::f1() const { return counts_in(sums(), 1, 0).f1(); }
double BinaryMetrics::iou() const { return counts_in(sums(), 1, 0).iou(); }

namespace {

std::int64_t sums_of_labels(std::int64_t labels) {
  if (labels < 1) throw ValueError(str("MultilabelMetrics: needs at least one label, got ", labels));
  return detail::checked_numel({4, labels}, "MultilabelMetrics") + 2;
}

}  // namespace

MultilabelMetrics::MultilabelMetrics(std::int64_t labels, const BinaryOptions& options)
    : MetricOfSums("MultilabelMetrics", sums_of_labels(labels)), labels_(labels), options_(options) {
  detail::check_number("MultilabelMetrics", "threshold", options.threshold, detail::any_number);
}

void MultilabelMetrics::add(const Tensor& scores, const Tensor& target) {
  const NoGrad guard;
  detail::check_defined(name_, scores);
  detail::check_defined(name_, target, 1);
  if (scores.rank() != 2 || scores.size(1) != labels_ || target.shape() != scores.shape())
    throw ShapeError(
        str("MultilabelMetrics: scores and target must be [N, ", labels_, "], got ", scores, " and ", target));
  if (scores.numel() == 0) return;
  const Decisions d = decide(scores, target, options_.threshold);
  const Tensor exact = sum(all(d.predicted == d.positive, {1})).to(DType::float64);
  const Tensor samples =
      full({}, static_cast<double>(scores.size(0)), {.dtype = exact.dtype(), .device = exact.device()});
  add_sums(cat({flatten(counts_of(d)), stack({exact, samples})}));
}

double MultilabelMetrics::accuracy() const {
  const std::vector<double> all = sums();
  const auto labels = static_cast<std::size_t>(labels_);
  double right = 0;
  for (std::size_t i = 0; i < labels; ++i) right += all[i] + all[3 * labels + i];
  return right / (all.back() * static_cast<double>(labels_));
}

double MultilabelMetrics::exact_match() const {
  const std::vector<double> all = sums();
  return all[all.size() - 2] / all.back();
}

Tensor MultilabelMetrics::precision() const {
  return per_label(sums(), labels_, [](const Counts& c) { return c.precision(); });
}
Tensor MultilabelMetrics::recall() const {
  return per_label(sums(), labels_, [](const Counts& c) { return c.recall(); });
}
Tensor MultilabelMetrics::f1() const {
  return per_label(sums(), labels_, [](const Counts& c) { return c.f1(); });
}
Tensor MultilabelMetrics::iou() const {
  return per_label(sums(), labels_, [](const Counts& c) { return c.iou(); });
}

void AUC::add(const Tensor& scores, const Tensor& target) {
  const NoGrad guard;
  detail::check_defined("AUC", scores);
  detail::check_defined("AUC", target, 1);
  const Tensor y = scores.rank() <= 2 ? detail::target_of_scores(scores, target) : Tensor();
  if (!y.defined())
    throw ShapeError(str("AUC: scores and target must be [N] or [N, 1], got ", scores, " and ", target,
                         "; of several classes pass one, select(logits, 1, c) and y == c"));
  if (y.numel() == 0) return;
  // Copies: the batch's memory may be used again.
  scores_.push_back(clone(flatten(scores.detach())).to(DType::float64));
  targets_.push_back(flatten(y).to(DType::float64) > 0.5);
}

Tensor AUC::scores() const { return scores_.empty() ? zeros({0}, {.dtype = DType::float64}) : cat(scores_); }
Tensor AUC::targets() const { return targets_.empty() ? zeros({0}, {.dtype = DType::boolean}) : cat(targets_); }

namespace {

/// The scores of each kind, sorted; undefined if one is NaN.
struct SortedScores {
  Tensor positive, negative;
  SortedScores(const Tensor& scores, const Tensor& is_positive) {
    if (any(isnan(scores)).item<bool>()) return;
    positive = sort(masked_select(scores, is_positive)).values;
    negative = sort(masked_select(scores, logical_not(is_positive))).values;
  }
};

/// For each positive score, how many of `sorted` are below it.
Tensor below(const Tensor& sorted, const Tensor& positive) { return searchsorted(sorted, positive).to(DType::float64); }

}  // namespace

double AUC::value() const {
  const NoGrad guard;
  const SortedScores s(scores(), targets());
  if (!s.positive.defined() || s.positive.numel() == 0 || s.negative.numel() == 0) return std::nan("");
  const Tensor up_to = searchsorted(s.negative, s.positive, true).to(DType::float64);
  const auto pairs = static_cast<double>(s.positive.numel()) * static_cast<double>(s.negative.numel());
  return sum(below(s.negative, s.positive) + up_to).item<double>() / (2 * pairs);
}

double AUC::average_precision() const {
  const NoGrad guard;
  const SortedScores s(scores(), targets());
  if (!s.positive.defined() || s.positive.numel() == 0) return std::nan("");
  // At a positive sample's score as the threshold.
  const Tensor tp = s.positive.numel() - below(s.positive, s.positive);
  const Tensor fp = s.negative.numel() - below(s.negative, s.positive);
  return mean(tp / (tp + fp)).item<double>();
}

void AUC::reset() {
  scores_.clear();
  targets_.clear();
}

State AUC::state_dict() const {
  State state;
  state.add("scores", scores());
  state.add("targets", targets());
  return state;
}

void AUC::load_state_dict(const State& state) {
  const Tensor scores = state.tensor("scores"), targets = state.tensor("targets");
  if (scores.rank() != 1 || targets.shape() != scores.shape())
    throw ValueError(str("AUC: the state's scores and targets must be [N], got ", scores, " and ", targets));
  reset();
  add(scores, targets);
}

}  // namespace minima
