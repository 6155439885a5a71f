#pragma once

#include <torch/optim/schedulers/lr_scheduler.h>

namespace torch::optim {

/// Multiplies the learning rates by `gamma` every `step_size` steps.
class StepLR : public LRScheduler {
 public:
  StepLR(Optimizer& optimizer, unsigned step_size, double gamma = 0.1)
      : LRScheduler(optimizer), step_size_(step_size), gamma_(gamma) {}

 private:
  std::vector<double> get_lrs() override;

  const unsigned step_size_;
  const double gamma_;
};

}  // namespace torch::optim
