#include <minima/train/regression_metrics.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>

#include <gtest/gtest.h>

#include <cmath>

namespace minima::regression_metrics_test {
namespace {

// The values are scikit-learn 1.9.1's.

TEST(RegressionMetrics, MatchScikitLearn) {
  const Tensor y = tensor({3., -.5, 2., 7., 4.25}), p = tensor({2.5, 0., 2., 8., 3.});
  RegressionMetrics metrics, resumed;
  EXPECT_TRUE(std::isnan(metrics.mse()));
  EXPECT_TRUE(std::isnan(metrics.r2()));
  metrics.add(slice(p, 0, 0, 2), slice(y, 0, 0, 2));
  metrics.add(zeros({0}), zeros({0}));
  resumed.load_state_dict(metrics.state_dict());
  resumed.add(unsqueeze(slice(p, 0, 2), 1), unsqueeze(slice(y, 0, 2), 1));
  EXPECT_DOUBLE_EQ(resumed.mae(), 0.65);
  EXPECT_DOUBLE_EQ(resumed.mse(), 0.6125);
  EXPECT_DOUBLE_EQ(resumed.rmse(), 0.7826237921249264);
  EXPECT_NEAR(resumed.r2(), 0.9002442996742671, 1e-14);
}

TEST(RegressionMetrics, AverageSeveralOutputs) {
  RegressionMetrics metrics(2);
  metrics.add(tensor({{0., 2.}, {-1., 2.}, {8., -5.}}), tensor({{.5, 1.}, {-1., 1.}, {7., -6.}}));
  EXPECT_DOUBLE_EQ(metrics.mae(), 0.75);
  EXPECT_DOUBLE_EQ(metrics.mse(), 0.7083333333333334);
  EXPECT_NEAR(metrics.r2(), 0.9368005266622779, 1e-14);
  EXPECT_THROW(RegressionMetrics(0), ValueError);
}

TEST(RegressionMetrics, TakeEqualTargets) {
  const auto r2 = [](const Tensor& p, const Tensor& y) {
    RegressionMetrics metrics;
    metrics.add(p, y);
    return metrics.r2();
  };
  EXPECT_EQ(r2(tensor({2., 2., 2.}), tensor({2., 2., 2.})), 1);
  EXPECT_EQ(r2(tensor({2., 2., 1.}), tensor({2., 2., 2.})), 0);
  EXPECT_EQ(r2(full({1000}, 0.2), full({1000}, 0.1)), 0);
  EXPECT_TRUE(std::isnan(r2(tensor({1.}), tensor({2.}))));
  EXPECT_TRUE(std::isnan(r2(tensor({1., NAN}), tensor({1., 2.}))));
  EXPECT_NEAR(r2(arange(0, 100).to(float64) + 2025.5, arange(0, 100).to(float64) + 2025), 1 - 0.25 / 833.25, 1e-12);
}

TEST(RegressionMetrics, RejectShapesThatWouldBroadcast) {
  EXPECT_THROW(RegressionMetrics().add(zeros({4, 1}), zeros({4})), ShapeError);
  EXPECT_THROW(RegressionMetrics().add(zeros({4}), zeros({4, 1})), ShapeError);
  EXPECT_THROW(RegressionMetrics().add(zeros({4, 3}), zeros({4, 3})), ShapeError);
  EXPECT_THROW(RegressionMetrics(3).add(zeros({3}), zeros({3})), ShapeError);
}

}  // namespace
}  // namespace minima::regression_metrics_test
