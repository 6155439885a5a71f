#pragma once

#include "run_options.h"

#include <minima/distributed/distributed.h>
#include <minima/minima.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The mean over all ranks, whose shares are equal.
inline double mean_of_all(const minima::Tensor& loss, const minima::distributed::ProcessGroup& group) {
  return minima::distributed::sum_over_ranks({loss.item<double>()}, group)[0] / group.size();
}

/// The loss of every step, written to --loss-log by the first rank.
class LossLog {
 public:
  /// Appends to the file of a run that is `resumed`.
  void open(const ResumableOptions& options, const minima::distributed::ProcessGroup& group, bool resumed) {
    enabled_ = !options.loss_log.empty();
    group_ = group;
    if (!enabled_ || !group.is_first()) return;
    const std::vector<std::string> columns{"step", "loss"};
    if (resumed) file_.emplace(minima::CsvWriter::resume(options.loss_log, columns));
    else file_.emplace(options.loss_log, columns);
  }
  /// `step` counts from 0. Reading the loss synchronises with the GPU. Does nothing without --loss-log.
  void add(std::int64_t step, const minima::Tensor& loss) {
    if (!enabled_) return;
    const double mean = mean_of_all(loss, group_);
    if (file_) file_->row(step, mean);
  }

 private:
  bool enabled_ = false;
  minima::distributed::ProcessGroup group_;
  std::optional<minima::CsvWriter> file_;
};
