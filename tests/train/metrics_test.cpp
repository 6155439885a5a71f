#include "tests/support/full_disk.h"
#include "tests/support/temporary_folder.h"

#include <minima/io/checkpoint/checkpoint.h>
#include <minima/nn/nn.h>
#include <minima/ops/ops.h>
#include <minima/tensor/allclose.h>
#include <minima/tensor/base/error.h>
#include <minima/train/batch_norm_statistics.h>
#include <minima/train/early_stopping.h>
#include <minima/train/logs/jsonl.h>
#include <minima/train/metrics.h>

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

namespace minima::metrics_test {
namespace {

TEST(Mean, WeightsItsValues) {
  Mean mean;
  EXPECT_TRUE(std::isnan(mean.value()));
  mean.add(scalar_tensor(1.0), 30);
  mean.add(tensor<float>({3, 5}), 10);
  EXPECT_DOUBLE_EQ(mean.value(), 1.75);
  mean.reset();
  mean.add(scalar_tensor(2.0));
  EXPECT_DOUBLE_EQ(mean.value(), 2);
}

TEST(Mean, RecordsNoGraph) {
  Tensor x = ones({2}).requires_grad(true);
  Mean mean;
  mean.add(x * 2.0);
  EXPECT_DOUBLE_EQ(mean.value(), 2);
}

TEST(Mean, AWeightOfZeroOrNoValuesChangeNothing) {
  Mean mean;
  mean.add(scalar_tensor(NAN), 0);
  EXPECT_TRUE(std::isnan(mean.value()));
  mean.add(scalar_tensor(2.0), 3);
  mean.add(scalar_tensor(NAN), 0);
  mean.add(zeros({0}), 5);
  EXPECT_EQ(mean.value(), 2);
  EXPECT_EQ(mean.weight(), 3);
  EXPECT_THROW(mean.add(scalar_tensor(2.0), -1), ValueError);
  EXPECT_THROW(mean.add(scalar_tensor(2.0), NAN), ValueError);
  mean.add(scalar_tensor(NAN));
  EXPECT_TRUE(std::isnan(mean.value())) << "an epoch with a NaN has no mean";
}

TEST(Mean, SavesRestoresAndAddsUpOverProcesses) {
  Mean one, two, empty;
  one.add(scalar_tensor(1.0), 3);
  two.load_state_dict(one.state_dict());
  EXPECT_EQ(two.value(), 1);
  two.add(scalar_tensor(5.0), 1);
  EXPECT_EQ(two.value(), 2);
  EXPECT_EQ(two.sums(), (std::vector<double>{8, 4}));
  EXPECT_EQ(empty.sums(), (std::vector<double>{0, 0}));
  empty.set_sums({8, 4});
  EXPECT_EQ(empty.value(), 2);
  two.load_state_dict(Mean().state_dict());
  EXPECT_TRUE(std::isnan(two.value()));
  EXPECT_THROW(two.set_sums({1}), ValueError);
}

TEST(RunningMean, ForgetsValuesThatAreNotFinite) {
  RunningMean mean(2), clean(2);
  for (const double value : {4., 8., double(NAN), double(INFINITY), 1.}) {
    mean.add(scalar_tensor(value));
    if (std::isfinite(value)) {
      clean.add(scalar_tensor(value));
      EXPECT_EQ(mean.value(), clean.value());
    } else {
      EXPECT_FALSE(std::isfinite(mean.value())) << "shows at once";
    }
  }
  mean.add(zeros({0}));
  EXPECT_EQ(mean.value(), clean.value());
  RunningMean from_nan;
  from_nan.add(scalar_tensor(NAN));
  EXPECT_TRUE(std::isnan(from_nan.value()));
  from_nan.add(scalar_tensor(3.0));
  EXPECT_EQ(from_nan.value(), 3);
}

TEST(RunningMean, SavesAndRestores) {
  RunningMean one(2), two(2);
  two.load_state_dict(one.state_dict());
  EXPECT_TRUE(std::isnan(two.value()));
  one.add(scalar_tensor(4.0));
  two.load_state_dict(one.state_dict());
  one.add(scalar_tensor(8.0));
  two.add(scalar_tensor(8.0));
  EXPECT_EQ(one.value(), two.value());
  State bad;
  bad.add("average", zeros({3}));
  bad.add("last", zeros({}));
  EXPECT_THROW(two.load_state_dict(bad), ValueError);
}

TEST(RunningMean, WeightsRecentValuesMore) {
  RunningMean mean(2);
  EXPECT_TRUE(std::isnan(mean.value()));
  mean.add(scalar_tensor(4.0));
  EXPECT_DOUBLE_EQ(mean.value(), 4);  // no bias towards zero at the start
  mean.add(tensor<float>({7, 9}));
  EXPECT_DOUBLE_EQ(mean.value(), (0.5 * 4 + 8) / 1.5);
  mean.add(scalar_tensor(1.0));
  EXPECT_DOUBLE_EQ(mean.value(), (0.25 * 4 + 0.5 * 8 + 1) / 1.75);
  mean.reset();
  mean.add(scalar_tensor(2.0));
  EXPECT_DOUBLE_EQ(mean.value(), 2);
}

TEST(RunningMean, RejectsAWindowBelowOne) {
  EXPECT_THROW(RunningMean(0.5), ValueError);
  EXPECT_THROW(RunningMean(std::nan("")), ValueError);
}

TEST(TopKAccuracy, CountsRowsWhoseTargetIsAmongTheLargest) {
  TopKAccuracy accuracy(2);
  accuracy.add(from_vector<float>({1, 3, 2, 5, 4, 0, 0, 1, 2}, {3, 3}), from_vector<std::int64_t>({2, 2, 1}, {3}));
  EXPECT_DOUBLE_EQ(accuracy.value(), 2.0 / 3);
}

TEST(ConfusionMatrix, CountsPredictionsPerTarget) {
  ConfusionMatrix matrix(3);
  EXPECT_TRUE(std::isnan(matrix.accuracy()));
  matrix.add(from_vector<std::int64_t>({0, 1, 1}, {3}), from_vector<std::int64_t>({0, 0, 1}, {3}));
  matrix.add(from_vector<float>({0, 1, 0, 0, 1, 0}, {2, 3}),
             from_vector<std::int64_t>({0, 1}, {2}));  // both predicted as 1
  EXPECT_EQ(matrix.counts().to_vector<std::int64_t>(), (std::vector<std::int64_t>{1, 2, 0, 0, 2, 0, 0, 0, 0}));
  EXPECT_DOUBLE_EQ(matrix.accuracy(), 0.6);
  const std::vector<double> recall = matrix.recall().to_vector<double>(),
                            precision = matrix.precision().to_vector<double>();
  EXPECT_DOUBLE_EQ(recall[0], 1.0 / 3);
  EXPECT_DOUBLE_EQ(recall[1], 1);
  EXPECT_TRUE(std::isnan(recall[2]));
  EXPECT_DOUBLE_EQ(precision[0], 1);
  EXPECT_DOUBLE_EQ(precision[1], 0.5);
  EXPECT_THROW(matrix.add(from_vector<std::int64_t>({3}, {1}), from_vector<std::int64_t>({0}, {1})), IndexError);
}

TEST(Accuracy, CountsRowsWhoseLargestIsTheTarget) {
  Accuracy accuracy;
  accuracy.add(from_vector<float>({1, 2, 3, 0, 5, 4}, {2, 3}), tensor<std::int64_t>({2, 0}));
  accuracy.add(from_vector<float>({9, 2, 3}, {1, 3}), tensor<std::int64_t>({0}));
  EXPECT_NEAR(accuracy.value(), 2. / 3, 1e-12);
}

TEST(EarlyStopping, StopsAfterItsPatience) {
  EarlyStopping stop(2, {.min_delta = 0.1});
  EXPECT_FALSE(stop.update(1));
  EXPECT_FALSE(stop.update(0.95));  // improves by less than min_delta
  EXPECT_FALSE(stop.update(0.8));
  EXPECT_FALSE(stop.update(0.8));
  EarlyStopping again(2, {.min_delta = 0.1});
  again.load_state_dict(stop.state_dict());
  EXPECT_TRUE(stop.update(NAN));
  EXPECT_TRUE(again.update(0.9));
  EXPECT_EQ(stop.best(), 0.8);
}

TEST(KeepBest, WritesImprovementsOnly) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "best.safetensors";
  KeepBest keep(path, {.maximize = true});
  const auto state = [](float value) {
    State s;
    s.add("w", full({1}, value));
    return s;
  };
  EXPECT_TRUE(keep.update(0.5, state(1)));
  EXPECT_FALSE(keep.update(0.4, state(2)));
  EXPECT_EQ(load(path).tensor("w").item<float>(), 1);
  EXPECT_TRUE(keep.update(0.6, state(3)));
  EXPECT_EQ(load(path).tensor("w").item<float>(), 3);
}

TEST(KeepBest, RemembersTheBestMetricAfterAResume) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "best.safetensors";
  State weights;
  weights.add("w", ones({1}));
  KeepBest before(path, {.maximize = true});
  before.update(0.95, weights);
  KeepBest keep(path, {.maximize = true});
  keep.load_state_dict(before.state_dict());
  EXPECT_EQ(keep.best(), 0.95);
  EXPECT_FALSE(keep.update(0.4, weights));
  EXPECT_TRUE(keep.update(0.96, weights));
  EXPECT_THROW(KeepBest(path).load_state_dict(before.state_dict()), ValueError) << "that one minimises";
  EXPECT_THROW(EarlyStopping(2).load_state_dict(EarlyStopping(2, {.maximize = true}).state_dict()), ValueError);
}

TEST(JsonlWriter, WritesALinePerRowAndAppends) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "log.jsonl";
  JsonlWriter(path).row({{"step", 1}, {"loss", 0.5}});
  JsonlWriter(path).row({{"step", 2}, {"loss", NAN}});
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), "{\"step\": 1, \"loss\": 0.5}\n{\"step\": 2, \"loss\": null}\n");
}

TEST(JsonlWriter, ARowThatDoesNotFitOnTheDiskIsRolledBack) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "log.jsonl";
  JsonlWriter log(path);
  log.row({{"step", 1}});
  {
    const test::FullDisk disk(test::content_of(path).size() + 5);
    EXPECT_THROW(log.row({{"step", 2}}), FileError);
  }
  log.row({{"step", 3}});
  EXPECT_EQ(test::content_of(path), "{\"step\": 1}\n{\"step\": 3}\n");
}

TEST(JsonlWriter, ReopeningRepairsTheTail) {
  const test::TemporaryFolder folder;
  const auto after = [&](const std::string& before) {
    const std::string path = folder.file("log.jsonl", before);
    JsonlWriter(path).row({{"b", 2}});
    return test::content_of(path);
  };
  EXPECT_EQ(after("{\"a\": 1}\n{\"a\": "), "{\"a\": 1}\n{\"b\": 2}\n");
  EXPECT_EQ(after("{\"a\": 1"), "{\"b\": 2}\n");
  EXPECT_EQ(after("{\"a\": 1}\n" + std::string(100, '\0')), "{\"a\": 1}\n{\"b\": 2}\n")
      << "zeros, as after a power loss";
  EXPECT_EQ(after("{\"a\": 1}"), "{\"a\": 1}\n{\"b\": 2}\n") << "a complete row without a newline";
  EXPECT_EQ(after(""), "{\"b\": 2}\n");
  for (const std::string other : {"notes of mine", "{\n  \"pretty\": 1\n}", "[1, 2"}) {
    const std::string path = folder.file("other", other);
    EXPECT_THROW(JsonlWriter{path}, FormatError) << other;
    EXPECT_EQ(test::content_of(path), other) << "a file that is not a log must stay unchanged";
  }
}

TEST(UpdateBatchNorm, SetsStatisticsToTheMean) {
  nn::BatchNorm1d norm({.features = 2});
  norm.eval();
  std::vector<Tensor> batches{randn({8, 2}), randn({8, 2}) * 3.0 + 1, randn({8, 2}) - 2};
  norm.train();
  norm(randn({8, 2}) * 50.0);  // must not count
  norm.eval();
  update_batch_norm(norm, batches, [&](const Tensor& x) { norm(x); });
  const Tensor expected = (mean(batches[0], {0}) + mean(batches[1], {0}) + mean(batches[2], {0})) / 3;
  EXPECT_TRUE(allclose(norm.running_mean, expected, {1e-5, 1e-5}));
  EXPECT_FALSE(norm.is_training());
  EXPECT_EQ(norm.options.momentum, 0.1);
}

TEST(UpdateBatchNorm, RestoresModesAndMomenta) {
  nn::Sequential net(nn::BatchNorm1d({.features = 2}), nn::BatchNorm1d({.features = 2, .momentum = 0.3}),
                     nn::Dropout({.p = 0.5}));
  auto& frozen = *net.named_modules()[1].module;
  auto& tuned = *net.named_modules()[2].module->as<nn::BatchNorm>();
  const std::vector<Tensor> batches{randn({8, 2}), randn({8, 2}), randn({8, 2})};
  for (const bool throws : {false, true}) {
    net.train();
    frozen.eval();
    int seen = 0;
    const auto forward = [&](const Tensor& x) {
      EXPECT_TRUE(frozen.is_training());
      if (throws && ++seen == 2) throw ValueError("no data");
      net(x);
    };
    if (throws) EXPECT_THROW(update_batch_norm(net, batches, forward), ValueError);
    else update_batch_norm(net, batches, forward);
    EXPECT_TRUE(net.is_training());
    EXPECT_FALSE(frozen.is_training());
    EXPECT_EQ(tuned.options.momentum, 0.3);
  }
}

}  // namespace
}  // namespace minima::metrics_test
