#pragma once

#include <torch/optim/optimizer.h>

namespace torch::optim {

/// The base of schedules: `get_lrs` returns a learning rate for each group, to be used after `step()`. The optimizer
/// must outlive the schedule.
class LRScheduler {
 public:
  explicit LRScheduler(Optimizer& optimizer) : optimizer_(optimizer) {}
  virtual ~LRScheduler() = default;

  void step();

 protected:
  virtual std::vector<double> get_lrs() = 0;
  std::vector<double> get_current_lrs() const;

  unsigned step_count_ = 0;

 private:
  Optimizer& optimizer_;
};

}  // namespace torch::optim
