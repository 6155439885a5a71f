#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>
#include <minima/train/metrics.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace minima::class_metrics_test {
namespace {

const Tensor labels = tensor({0, 1, 2, 0});
const Tensor logits = tensor({{9., 0., 0.}, {0., 9., 0.}, {0., 0., 9.}, {9., 0., 0.}});

template <class Metric>
double value_of(Metric metric, const Tensor& scores, const Tensor& target) {
  metric.add(scores, target);
  return metric.value();
}

/// The message of the ShapeError that f throws.
template <class F>
std::string shape_error(const F& f) {
  try {
    f();
  } catch (const ShapeError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Accuracy, TellsHowToPassTargetsOfOtherShapes) {
  const auto message = [](const Tensor& scores, const Tensor& target) {
    return shape_error([&] { Accuracy().add(scores, target); });
  };
  EXPECT_NE(message(logits, unsqueeze(labels, 1)).find("squeeze(target, 1)"), std::string::npos);
  EXPECT_NE(message(logits, one_hot(labels, 3)).find("argmax(target, 1)"), std::string::npos);
  EXPECT_NE(message(logits, one_hot(labels, 3).to(float32)).find("argmax(target, 1)"), std::string::npos);
  EXPECT_NE(message(randn({2, 5, 3}), zeros({2, 5}, {.dtype = int64})).find("flatten(logits, 0, -2)"),
            std::string::npos);
  EXPECT_NE(message(logits, tensor(0)).find("Accuracy: logits must be"), std::string::npos);
  EXPECT_NE(message(logits, tensor({0, 1})), "no error");
  EXPECT_NE(message(randn({4}), tensor({{0}, {1}, {1}, {0}})), "no error");
  EXPECT_THROW(Accuracy().add(logits, labels.to(float32)), DTypeError);
  EXPECT_THROW(Accuracy().add(Tensor(), labels), ValueError);
  EXPECT_THROW(TopKAccuracy(2).add(logits, unsqueeze(labels, 1)), ShapeError);
  EXPECT_THROW(TopKAccuracy(2).add(logits, tensor(0)), ShapeError);
  EXPECT_THROW(TopKAccuracy(1).add(randn({4, 1}), labels), ShapeError);
  EXPECT_THROW(ConfusionMatrix(3).add(logits, unsqueeze(labels, 1)), ShapeError);
  EXPECT_THROW(ConfusionMatrix(3).add(logits, one_hot(labels, 3).to(float32)), ShapeError);
  EXPECT_THROW(Perplexity().add(logits, unsqueeze(labels, 1)), ShapeError);
}

TEST(Accuracy, TakesOneLogitPerSample) {
  const Tensor column = tensor({{5.}, {-5.}, {-5.}, {5.}}), row = flatten(column), target = tensor({1, 0, 0, 1});
  for (const Tensor& y : {target, target.to(float32), target.to(boolean), target.to(uint8)}) {
    EXPECT_EQ(value_of(Accuracy(), column, y), 1);
    EXPECT_EQ(value_of(Accuracy(), column, unsqueeze(y, 1)), 1);
    EXPECT_EQ(value_of(Accuracy(), row, y), 1);
    EXPECT_EQ(value_of(Accuracy(), row + 7, y), 0.5);
  }
  EXPECT_EQ(value_of(Accuracy(), reshape(column, {2, 1, 2}), reshape(target, {2, 2})), 1) << "a mask";
  EXPECT_EQ(value_of(Accuracy(), tensor({0, 2, 1}), tensor({0, 1, 1})), 2. / 3) << "predictions, not logits";
  EXPECT_EQ(value_of(Accuracy(), tensor({1., 3., 2.}), tensor(1)), 1) << "one sample without a batch";
}

TEST(Accuracy, TakesClassesInDimensionOne) {
  const Tensor scores = one_hot(arange(0, 32) % 4, 4).to(float32);
  const Tensor images = contiguous(permute(reshape(scores, {2, 4, 4, 4}), {0, 3, 1, 2}));
  EXPECT_EQ(value_of(Accuracy(), images, reshape(arange(0, 32) % 4, {2, 4, 4})), 1) << "C = H = W";
  EXPECT_EQ(value_of(TopKAccuracy(1), images, reshape(arange(0, 32) % 4, {2, 4, 4})), 1);
  ConfusionMatrix matrix(4);
  matrix.add(images, reshape(arange(0, 32) % 4, {2, 4, 4}));
  EXPECT_EQ(matrix.accuracy(), 1);
}

TEST(ClassMetrics, EmptyBatchesChangeNothing) {
  const Tensor none = zeros({0}, {.dtype = int64});
  Accuracy accuracy;
  TopKAccuracy top(2);
  ConfusionMatrix matrix(3);
  Perplexity perplexity;
  accuracy.add(zeros({0, 3}), none);
  EXPECT_TRUE(std::isnan(accuracy.value()));
  for (int i = 0; i < 2; ++i) {
    accuracy.add(logits, labels), top.add(logits, labels), matrix.add(logits, labels), perplexity.add(logits, labels);
    accuracy.add(zeros({0, 3}), none), top.add(zeros({0, 3}), none), matrix.add(zeros({0, 3}), none);
    accuracy.add(zeros({0, 1}), none), accuracy.add(zeros({0}), none), perplexity.add(zeros({0, 3}), none);
  }
  EXPECT_EQ(accuracy.value(), 1);
  EXPECT_EQ(top.value(), 1);
  EXPECT_EQ(matrix.accuracy(), 1);
  EXPECT_LT(perplexity.value(), 1.001);
}

TEST(ClassMetrics, IgnoredTargetsDoNotCount) {
  const Tensor target = tensor({0, -100, 1, -100});
  EXPECT_EQ(value_of(Accuracy(), logits, target), 0.5);
  EXPECT_EQ(value_of(Accuracy({.ignore_index = 1}), logits, tensor({0, 1, 1, 2})), 0.5);
  EXPECT_EQ(value_of(TopKAccuracy(1), logits, target), 0.5);
  EXPECT_NEAR(value_of(Perplexity(), zeros({4, 3}), target), 3, 1e-6);
  EXPECT_TRUE(std::isnan(value_of(Accuracy(), logits, full({4}, -100, {.dtype = int64}))));
  ConfusionMatrix matrix(3);
  matrix.add(logits, target);
  EXPECT_EQ(matrix.counts().to_vector<std::int64_t>(), (std::vector<std::int64_t>{1, 0, 0, 0, 0, 1, 0, 0, 0}));
  EXPECT_THROW(matrix.add(logits, tensor({0, -1, 1, 0})), IndexError);
}

TEST(TopKAccuracy, MatchesScikitLearn) {
  // scikit-learn 1.9.1, top_k_accuracy_score.
  const Tensor scores =
      tensor({{.5, .2, .2, .1}, {.3, .4, .2, .1}, {.2, .4, .3, .1}, {.7, .2, .05, .05}, {.1, .2, .3, .4}});
  const Tensor target = tensor({0, 2, 2, 3, 2});
  EXPECT_DOUBLE_EQ(value_of(TopKAccuracy(1), scores, target), 0.2);
  EXPECT_DOUBLE_EQ(value_of(TopKAccuracy(2), scores, target), 0.6);
  EXPECT_DOUBLE_EQ(value_of(TopKAccuracy(4), scores, target), 1);
  EXPECT_THROW(TopKAccuracy(0), ValueError);
  EXPECT_THROW(TopKAccuracy(5).add(scores, target), ValueError);
}

void expect_values(const Tensor& actual, const std::vector<double>& expected) {
  const std::vector<double> values = actual.to_vector<double>();
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_DOUBLE_EQ(values[i], expected[i]) << i;
}

TEST(ConfusionMatrix, MatchesScikitLearn) {
  // scikit-learn 1.9.1, precision_score, recall_score, f1_score and jaccard_score with average=None.
  ConfusionMatrix matrix(3);
  matrix.add(tensor({0, 2, 2, 2, 1, 1, 2, 0, 1, 0}), tensor({0, 1, 2, 2, 1, 0, 2, 1, 1, 0}));
  EXPECT_DOUBLE_EQ(matrix.accuracy(), 0.7);
  expect_values(matrix.precision(), {2. / 3, 2. / 3, 0.75});
  expect_values(matrix.recall(), {2. / 3, 0.5, 1});
  expect_values(matrix.f1(), {2. / 3, 0.5714285714285714, 0.8571428571428571});
  expect_values(matrix.iou(), {0.5, 0.4, 0.75});
  EXPECT_FALSE(ConfusionMatrix(3).f1().defined());
}

TEST(ConfusionMatrix, TakesOneLogitForTwoClasses) {
  ConfusionMatrix matrix(2);
  matrix.add(tensor({{1.}, {-1.}, {2.}}), tensor({1., 1., 0.}));
  EXPECT_EQ(matrix.counts().to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 1, 1, 1}));
  EXPECT_THROW(ConfusionMatrix(3).add(tensor({1., -1.}), tensor({1, 2})), ShapeError);
  EXPECT_THROW(ConfusionMatrix(3).add(zeros({2, 4}), tensor({1, 2})), ShapeError);
  EXPECT_THROW(ConfusionMatrix(1), ValueError);
}

TEST(Perplexity, MatchesScikitLearn) {
  const Tensor p = tensor({{.5, .25, .25}, {.1, .8, .1}, {.2, .3, .5}, {.6, .3, .1}});
  EXPECT_NEAR(value_of(Perplexity(), log(p), tensor({0, 1, 2, 1})), 2.020515504676623, 1e-6);  // exp(log_loss)
  EXPECT_NEAR(value_of(Perplexity(), log(p).to(bfloat16), tensor({0, 1, 2, 1})), 2.0205, 0.01);
  Perplexity perplexity;
  perplexity.add(reshape(transpose(log(p), 0, 1), {1, 3, 4}), tensor({{0, 1, 2, 1}}));
  EXPECT_NEAR(perplexity.loss(), std::log(2.020515504676623), 1e-6);
}

/// Two halves, added up as over two processes, give the metric of all.
template <class Metric>
void expect_sums(const Metric& fresh, const Tensor& scores, const Tensor& target) {
  Metric whole = fresh, first = fresh, second = fresh, resumed = fresh;
  whole.add(scores, target);
  first.add(slice(scores, 0, 0, 3), slice(target, 0, 0, 3));
  second.add(slice(scores, 0, 3), slice(target, 0, 3));
  resumed.load_state_dict(first.state_dict());
  resumed.add(slice(scores, 0, 3), slice(target, 0, 3));
  std::vector<double> sums = first.sums();
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += second.sums()[i];
  first.set_sums(sums);
  EXPECT_EQ(first.sums(), whole.sums());
  EXPECT_EQ(resumed.sums(), whole.sums());
  resumed.load_state_dict(fresh.state_dict());
  EXPECT_EQ(resumed.sums(), std::vector<double>(sums.size()));
  sums.push_back(0);
  EXPECT_THROW(first.set_sums(sums), ValueError);
}

TEST(ClassMetrics, AddUpOverProcessesAndResume) {
  expect_sums(Accuracy(), logits, labels);
  expect_sums(TopKAccuracy(2), logits, labels);
  expect_sums(ConfusionMatrix(3), logits, labels);
  expect_sums(Perplexity(), zeros({4, 3}), labels);
}

}  // namespace
}  // namespace minima::class_metrics_test
