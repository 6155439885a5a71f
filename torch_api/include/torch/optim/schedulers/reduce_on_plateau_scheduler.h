#pragma once

#include <torch/optim/optimizer.h>

namespace torch::optim {

/// Multiplies the learning rates by `factor` when the metric passed to `step` has not improved for more than `patience`
/// steps.
class ReduceLROnPlateauScheduler {
 public:
  enum SchedulerMode { min, max };
  enum ThresholdMode { rel, abs };

  ReduceLROnPlateauScheduler(Optimizer& optimizer, SchedulerMode mode = min, float factor = 0.1, int patience = 10,
                             double threshold = 1e-4, ThresholdMode threshold_mode = rel, int cooldown = 0,
                             const std::vector<float>& min_lr = {}, double eps = 1e-8, bool verbose = false);
  virtual ~ReduceLROnPlateauScheduler() = default;

  void step(float metric);

 private:
  bool is_better(float metric) const;
  void reduce_lrs();

  Optimizer& optimizer_;
  SchedulerMode mode_;
  float factor_;
  int patience_;
  double threshold_;
  ThresholdMode threshold_mode_;
  int cooldown_;
  std::vector<float> min_lrs_;
  double eps_;
  bool verbose_;
  float best_;
  int epoch_ = 0, bad_epochs_ = 0, cooling_ = 0;
};

}  // namespace torch::optim
