#include "tests/support/options.h"
#include "tests/support/temporary_folder.h"

#include <minima/nn/layers/linear.h>
#include <minima/ops/creation/creation.h>
#include <minima/train/binary_metrics.h>
#include <minima/train/captured_step/captured_step.h>
#include <minima/train/early_stopping.h>
#include <minima/train/logs/compare_runs.h>
#include <minima/train/metrics.h>
#include <minima/train/monitor/monitor.h>
#include <minima/train/progress.h>
#include <minima/train/regression_metrics.h>
#include <minima/train/run/batch_share.h>
#include <minima/train/run/run.h>
#include <minima/train/statistics/network_statistics.h>

#include <gtest/gtest.h>

namespace minima::train::options_test {
namespace {

using i64 = std::int64_t;
using test::OptionRow;

Tensor classes() { return tensor<i64>({0, 1}); }
void watch(const AlertLimits& limits) {
  Alerts alerts(limits);
  for (i64 i = 0; i < 3; ++i) alerts.step(i, 1), alerts.loss(i, 1);
}
RunLog run() { return {.path = "a", .curves = {{"a", {.x = {0, 1}, .y = {0, 1}}}}}; }
/// A monitor that nothing else sees.
void monitor(MonitorOptions options) {
  options.publish = false;
  options.on_alert = [](const std::string&) {};
  Monitor(options).step(1);
}

void open_run(RunOptions options) {
  static const test::TemporaryFolder folder;
  options.signals = false;
  Run(folder / "run", options);
}

std::vector<OptionRow> rows() {
  return {
      {"RunOptions.keep", "[0, inf)", [](int v) { open_run({.keep = v}); }},
      {"RunOptions.keep_best", "[0, inf)", [](int v) { open_run({.keep_best = v}); }},
      {"RunOptions.keep_every", "[0, inf)", [](i64 v) { open_run({.keep_every = v}); }},
      {"RunOptions.every", "[0, inf)", [](double v) { open_run({.every = v}); }},
      {"RunOptions.every_steps", "[0, inf)", [](i64 v) { open_run({.every_steps = v}); }},
      {"RunOptions.max_time", "[0, inf)", [](double v) { open_run({.max_time = v}); }},
      {"RunOptions.check_replicas", "[0, inf)", [](i64 v) { open_run({.check_replicas = v}); }},
      {"RunOptions.straggler", "[0, inf]", [](double v) { open_run({.straggler = v}); }, "never speaks"},
      {"LossRules.factor", "(0, 1)", [](double v) { open_run({.loss = {.factor = v}}); }},
      {"LossRules.patience", "[0, inf)", [](i64 v) { open_run({.loss = {.patience = v}}); }},
      {"BatchOptions.batch", "[1, inf)", [](i64 v) { share_of_batch({.batch = v}, 0, 1); }},
      {"BatchOptions.batch", "[1, inf)", [](i64 v) { loader_batch({.batch = v}, 1); }},
      {"BatchOptions.most", "[0, inf)", [](i64 v) { share_of_batch({.batch = 64, .most = v}, 1, 3); }},
      {"BatchOptions.scaled_from", "[0, inf)",
       [](int v) { share_of_batch({.batch = i64{1} << 40, .scaled_from = v}, 1, 2); }},
      {"BestOptions.min_delta", "[0, inf)", [](double v) { Best({.min_delta = v}).update(1); }},
      {"BestOptions.min_delta", "[0, inf)", [](double v) { EarlyStopping(1, {.min_delta = v}).update(1); }},
      {"BestOptions.min_delta", "[0, inf)", [](double v) { KeepBest("/nowhere/best", {.min_delta = v}); }},
      {"EarlyStopping.patience", "[1, inf)", [](i64 v) { EarlyStopping stop(v); }},
      {"RunningMean.window", "[1, inf]", [](double v) { RunningMean mean(v); }, "the mean of all"},
      {"TargetOptions.ignore_index", "[-inf, inf]",
       [](i64 v) { Accuracy({.ignore_index = v}).add(ones({2, 2}), classes()); }},
      {"TopKAccuracy.k", "[1, inf)", [](i64 v) { TopKAccuracy top(v); }},
      {"ConfusionMatrix.classes", "[2, inf)", [](i64 v) { ConfusionMatrix matrix(v); }},
      {"RegressionMetrics.outputs", "[1, inf)", [](i64 v) { RegressionMetrics metrics(v); }, "", "output"},
      {"MultilabelMetrics.labels", "[1, inf)", [](i64 v) { MultilabelMetrics metrics(v); }, "", "label"},
      {"BinaryOptions.threshold", "[-inf, inf]",
       [](double v) { BinaryMetrics({.threshold = v}).add(ones({2}), classes()); }, "all positive, or all negative"},
      {"CaptureOptions.warmup", "[0, inf)",
       [](int v) { CapturedStep([](const Tensor& x) { return x; }, {.warmup = v})(ones({1})); }},
      {"CaptureOptions.graphs", "[0, inf)",
       [](std::size_t v) { CapturedStep([](const Tensor& x) { return x; }, {.graphs = v})(ones({1})); }},
      {"CompareRunsOptions.smoothing", "[0, 1)", [](double v) { compare_runs_svg({run()}, {"a"}, {.smoothing = v}); }},
      {"NetworkStatisticsOptions.every", "[1, inf)",
       [](i64 v) { NetworkStatistics(nn::Linear({.in = 1, .out = 1}), {.every = v}); }},
      {"NetworkStatisticsOptions.history", "[1, inf)",
       [](std::size_t v) { NetworkStatistics(nn::Linear({.in = 1, .out = 1}), {.history = v}); }},
      {"MonitorOptions.steps", "[0, inf)", [](i64 v) { monitor({.steps = v}); }},
      {"MonitorOptions.interval", "(0, inf]", [](double v) { monitor({.interval = v}); }, "counts as a year"},
      {"MonitorOptions.history", "[1, inf)", [](std::size_t v) { monitor({.history = v}); }},
      {"MonitorOptions.prometheus_port", "[-1, 65535]", [](int v) { monitor({.prometheus_port = v}); }},
      {"AlertLimits.min_disk", "[0, inf)", [](i64 v) { watch({.min_disk = v}); }},
      {"AlertLimits.max_swapping", "[0, inf)", [](i64 v) { watch({.max_swapping = v}); }},
      {"AlertLimits.slow_step", "[1, inf]", [](double v) { watch({.slow_step = v}); }, "never speaks"},
      {"AlertLimits.slow_step_seconds", "[0, inf]", [](double v) { watch({.slow_step_seconds = v}); }, "never speaks"},
      {"AlertLimits.outlier_loss", "[0, inf]", [](double v) { watch({.outlier_loss = v}); }, "never speaks"},
      {"AlertLimits.history", "[2, inf)", [](std::size_t v) { watch({.history = v}); }},
      {"ProgressOptions.descriptor", "[-inf, inf]",
       [](int v) { Progress(2, {.descriptor = v == 0 ? 1000 : v}).advance(1); }},
      {"ProgressOptions.plain_interval", "[0, inf]",
       [](double v) { Progress(2, {.descriptor = 1000, .plain_interval = v}).advance(1); }, "only the last line"},
  };
}

TEST(Options, OfTrainAreChecked) { test::try_options("train", rows()); }

}  // namespace
}  // namespace minima::train::options_test
