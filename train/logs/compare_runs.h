#pragma once

#include <minima/tensor/base/api.h>
#include <minima/train/logs/run_log.h>

#include <string>
#include <vector>

namespace minima {

struct CompareRunsOptions {
  std::string title = {};  ///< of the first plot; empty: the tag
  /// How much of its weight a value keeps with each step away, in [0, 1), in the moving mean that is drawn: 0.9
  /// averages over some 20 values, before and after, so the line does not lag as TensorBoard's does. The values
  /// themselves are drawn pale behind it. 0: only the values.
  double smoothing = 0.9;
  bool log_y = false;  ///< logarithmic y axis
};

/// A picture of several runs' curves: a plot for each tag, in which each run has a colour.
///
///     write_file("loss.svg", compare_runs_svg({read_run_log("runs/a"), read_run_log("runs/b")}, {"train/loss"}));
///
/// Throws ValueError for a tag that a run lacks, with those that it has.
MINIMA_API std::string compare_runs_svg(const std::vector<RunLog>& runs, const std::vector<std::string>& tags,
                                        const CompareRunsOptions& options = {});

/// TensorBoard's moving average, without bias at the start: each value's weight falls by `weight`, in [0, 1), with each
/// one that follows. Values that are not finite stay and are left out of it.
MINIMA_API std::vector<double> smoothed(const std::vector<double>& values, double weight);

}  // namespace minima
