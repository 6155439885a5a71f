#include <minima/train/binary_metrics.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>

namespace minima::binary_metrics_test {
namespace {

// The values are scikit-learn 1.9.1's.

const Tensor scores = tensor({0.5, -1.25, 2., 0.5, -0.25, 0.5, 3., -1.25, 0., 1.5});
const Tensor labels = tensor({1, 0, 1, 0, 1, 1, 1, 0, 0, 0});

TEST(BinaryMetrics, MatchScikitLearn) {
  BinaryMetrics metrics;
  EXPECT_TRUE(std::isnan(metrics.f1()));
  metrics.add(slice(scores, 0, 0, 4), slice(labels, 0, 0, 4));
  metrics.add(unsqueeze(slice(scores, 0, 4), 1), slice(labels, 0, 4));
  metrics.add(zeros({0}), zeros({0}));
  EXPECT_EQ(metrics.sums(), (std::vector<double>{4, 2, 1, 3}));
  EXPECT_DOUBLE_EQ(metrics.accuracy(), 0.7);
  EXPECT_DOUBLE_EQ(metrics.precision(), 2. / 3);
  EXPECT_DOUBLE_EQ(metrics.recall(), 0.8);
  EXPECT_DOUBLE_EQ(metrics.specificity(), 0.6);
  EXPECT_DOUBLE_EQ(metrics.f1(), 0.7272727272727273);
  EXPECT_DOUBLE_EQ(metrics.iou(), 0.5714285714285714);
  BinaryMetrics other;
  other.load_state_dict(metrics.state_dict());
  EXPECT_EQ(other.sums(), metrics.sums());
}

TEST(BinaryMetrics, HaveAThreshold) {
  BinaryMetrics half({.threshold = 0.5});
  half.add(scores, labels.to(boolean));
  EXPECT_DOUBLE_EQ(half.precision(), 2. / 3);
  EXPECT_DOUBLE_EQ(half.recall(), 0.4);
}

TEST(BinaryMetrics, RejectOtherShapes) {
  EXPECT_THROW(BinaryMetrics().add(scores, unsqueeze(labels, 1)), ShapeError);
  EXPECT_THROW(BinaryMetrics().add(randn({10, 2}), labels), ShapeError);
  EXPECT_THROW(BinaryMetrics().add(scores, tensor(1)), ShapeError);
}

void expect_values(const Tensor& actual, const std::vector<double>& expected) {
  const std::vector<double> values = actual.to_vector<double>();
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_DOUBLE_EQ(values[i], expected[i]) << i;
}

TEST(MultilabelMetrics, MatchScikitLearn) {
  const Tensor x = tensor({{1, -1, .5}, {-1, 2, .25}, {.5, .5, -3}, {-2, -1, -.5}, {3, 1, 2}});
  const Tensor y = tensor({{1, 0, 1}, {0, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}});
  MultilabelMetrics metrics(3);
  EXPECT_TRUE(std::isnan(metrics.accuracy()));
  metrics.add(slice(x, 0, 0, 2), slice(y, 0, 0, 2));
  metrics.add(zeros({0, 3}), zeros({0, 3}));
  MultilabelMetrics resumed(3);
  resumed.load_state_dict(metrics.state_dict());
  resumed.add(slice(x, 0, 2), slice(y, 0, 2).to(float32));
  EXPECT_DOUBLE_EQ(resumed.accuracy(), 0.8);
  EXPECT_DOUBLE_EQ(resumed.exact_match(), 0.4);
  expect_values(resumed.precision(), {2. / 3, 1, 2. / 3});
  expect_values(resumed.recall(), {1, 1, 2. / 3});
  expect_values(resumed.f1(), {0.8, 1, 2. / 3});
  expect_values(resumed.iou(), {2. / 3, 1, 0.5});
  BinaryMetrics micro;
  micro.add(x, y);
  EXPECT_DOUBLE_EQ(micro.f1(), 0.8235294117647058);
  EXPECT_THROW(metrics.add(x, slice(y, 1, 0, 2)), ShapeError);
  EXPECT_THROW(MultilabelMetrics(2).add(x, y), ShapeError);
  EXPECT_THROW(MultilabelMetrics(0), ValueError);
}

TEST(AUC, CountsTiesByHalf) {
  AUC auc;
  EXPECT_TRUE(std::isnan(auc.value()));
  auc.add(scores, labels);
  EXPECT_DOUBLE_EQ(auc.value(), 0.76);
  EXPECT_DOUBLE_EQ(auc.average_precision(), 0.7916666666666665);
}

TEST(AUC, CollectsBatchesAndResumes) {
  const Tensor i = arange(0, 500), x = (i * 7919 % 101).to(float64) / 10;
  const Tensor y = i * 104729 % 17 < 5 + 6 * (x > 5).to(int64);
  AUC auc, resumed;
  auc.add(slice(x, 0, 0, 123), slice(y, 0, 0, 123));
  auc.add(zeros({0, 1}), zeros({0}));
  resumed.load_state_dict(auc.state_dict());
  resumed.add(unsqueeze(slice(x, 0, 123), 1), unsqueeze(slice(y, 0, 123), 1).to(float32));
  EXPECT_EQ(resumed.scores().numel(), 500);
  EXPECT_DOUBLE_EQ(resumed.value(), 0.6653974680290469);
  EXPECT_DOUBLE_EQ(resumed.average_precision(), 0.5903033530632623);
  AUC fresh;
  fresh.load_state_dict(AUC().state_dict());
  EXPECT_TRUE(std::isnan(fresh.value()));
}

TEST(AUC, IsUndefinedForOneKindOrNaN) {
  AUC auc;
  auc.add(tensor({1., 2.}), tensor({1, 1}));
  EXPECT_TRUE(std::isnan(auc.value()));
  EXPECT_DOUBLE_EQ(auc.average_precision(), 1);
  auc.add(tensor({NAN}), tensor({0}));
  EXPECT_TRUE(std::isnan(auc.value()));
  EXPECT_TRUE(std::isnan(auc.average_precision()));
  auc.reset();
  auc.add(tensor({-INFINITY, INFINITY}), tensor({0, 1}));
  EXPECT_DOUBLE_EQ(auc.value(), 1);
}

TEST(AUC, KeepsCopies) {
  const Tensor x = tensor({1., 2.}, {.dtype = float64});
  AUC auc;
  auc.add(x, tensor({0, 1}));
  fill_(x, 0);
  EXPECT_DOUBLE_EQ(auc.value(), 1);
}

TEST(AUC, RejectsOtherShapes) {
  EXPECT_THROW(AUC().add(randn({10, 2}), labels), ShapeError);
  EXPECT_THROW(AUC().add(randn({10, 3}), randn({10, 3})), ShapeError);
  EXPECT_THROW(AUC().add(scores, unsqueeze(labels, 1)), ShapeError);
}

}  // namespace
}  // namespace minima::binary_metrics_test
