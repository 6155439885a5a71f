#include "tests/distributed/processes.h"

#include <minima/distributed/functional.h>
#include <minima/ops/ops.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>
#include <minima/train/binary_metrics.h>

#include <gtest/gtest.h>

// Metrics of a set whose samples are spread over ranks, rank r having r of them.

namespace minima::distributed::metrics_test {
namespace {

using test::require;

Tensor own(const Tensor& all, const ProcessGroup& group) {
  const std::int64_t rank = group.rank(), first = rank * (rank - 1) / 2;
  return slice(all, 0, first, first + rank);
}

void check(ProcessGroup& group) {
  const std::int64_t count = group.size() * (group.size() - 1) / 2;
  const Tensor i = arange(0, count), scores = (i * 7 % 5).to(float32) - 2, labels = i % 3 % 2;

  Accuracy whole, accuracy;
  Mean whole_mean, mean;
  whole.add(scores, labels), whole_mean.add(scores, static_cast<double>(count));
  accuracy.add(own(scores, group), own(labels, group));
  mean.add(own(scores, group), group.rank());
  accuracy.set_sums(sum_over_ranks(accuracy.sums(), group));
  mean.set_sums(sum_over_ranks(mean.sums(), group));
  require(accuracy.sums() == whole.sums(), "accuracy of all");
  require(mean.sums() == whole_mean.sums(), "mean of all");

  AUC auc, own_auc, all_auc;
  auc.add(scores, labels);
  own_auc.add(own(scores, group), own(labels, group));
  all_auc.add(cat_over_ranks(own_auc.scores(), group), cat_over_ranks(own_auc.targets(), group));
  require(all_auc.value() == auc.value(), "area of all");
  const Tensor rows = randn({group.rank() + 1, 2, 3});
  const Tensor joined = cat_over_ranks(rows, group);
  require(joined.size(0) == count + group.size() && joined.size(2) == 3, "rows of all");
  require(identical(contiguous(slice(joined, 0, 0, 1)), cat_over_ranks(slice(rows, 0, 0, group.rank() == 0), group)),
          "only rank 0 has rows");
  try {
    cat_over_ranks(tensor(1), group);
    require(false, "a scalar has no dimension to join");
  } catch (const ShapeError&) {}
}

TEST(MetricsOverRanks, AreThoseOfAllSamples) {
  for (const int size : {3, 5}) test::run_threads(size, check);
}

}  // namespace
}  // namespace minima::distributed::metrics_test
