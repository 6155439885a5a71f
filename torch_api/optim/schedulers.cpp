#include <torch/optim.h>

#include <cmath>
#include <iostream>
#include <limits>

namespace torch::optim {

void LRScheduler::step() {
  const std::vector<double> rates = get_lrs();
  std::vector<OptimizerParamGroup>& groups = optimizer_.param_groups();
  TORCH_CHECK(rates.size() == groups.size(), "Number of learning rates not equal to the number of param groups\n",
              "Number of learning rates given: ", rates.size(), "\nNumber of param groups: ", groups.size());
  for (size_t g = 0; g < groups.size(); ++g) groups[g].options().set_lr(rates[g]);
  ++step_count_;
}

std::vector<double> LRScheduler::get_current_lrs() const {
  std::vector<double> rates;
  for (const OptimizerParamGroup& group : optimizer_.param_groups()) rates.push_back(group.options().get_lr());
  return rates;
}

std::vector<double> StepLR::get_lrs() {
  std::vector<double> rates = get_current_lrs();
  if (step_count_ > 0 && step_count_ % step_size_ == 0)
    for (double& rate : rates) rate *= gamma_;
  return rates;
}

ReduceLROnPlateauScheduler::ReduceLROnPlateauScheduler(Optimizer& optimizer, SchedulerMode mode, float factor,
                                                       int patience, double threshold, ThresholdMode threshold_mode,
                                                       int cooldown, const std::vector<float>& min_lr, double eps,
                                                       bool verbose)
    : optimizer_(optimizer),
      mode_(mode),
      factor_(factor),
      patience_(patience),
      threshold_(threshold),
      threshold_mode_(threshold_mode),
      cooldown_(cooldown),
      min_lrs_(min_lr.empty() ? std::vector<float>(optimizer.param_groups().size()) : min_lr),
      eps_(eps),
      verbose_(verbose),
      // LibTorch starts at the smallest positive float here, so that metrics below it never count as better.
      best_(mode == min ? std::numeric_limits<float>::max() : std::numeric_limits<float>::min()) {
  TORCH_CHECK(min_lrs_.size() == optimizer.param_groups().size(),
              "Number of learning rates not equal to the number of param groups\n",
              "Number of learning rates given: ", min_lrs_.size(),
              "\nNumber of param groups: ", optimizer.param_groups().size());
  TORCH_CHECK(factor < 1.0, "Factor should be < 1.0.");
}

void ReduceLROnPlateauScheduler::step(float metric) {
  ++epoch_;
  if (is_better(metric)) {
    best_ = metric;
    bad_epochs_ = 0;
  } else {
    ++bad_epochs_;
  }
  if (cooling_ > 0) {
    --cooling_;
    bad_epochs_ = 0;
  }
  if (bad_epochs_ > patience_) {
    reduce_lrs();
    cooling_ = cooldown_;
    bad_epochs_ = 0;
  }
}

bool ReduceLROnPlateauScheduler::is_better(float metric) const {
  if (mode_ == min) return metric < (threshold_mode_ == rel ? best_ * (1 - threshold_) : best_ - threshold_);
  return metric > (threshold_mode_ == rel ? best_ * (1 + threshold_) : best_ * threshold_);  // LibTorch's, as in 2.11
}

void ReduceLROnPlateauScheduler::reduce_lrs() {
  for (size_t g = 0; g < optimizer_.param_groups().size(); ++g) {
    OptimizerOptions& options = optimizer_.param_groups()[g].options();
    const double old_lr = options.get_lr(), lr = std::fmax(old_lr * factor_, min_lrs_[g]);
    if (!(old_lr - lr > eps_)) continue;
    options.set_lr(lr);
    if (verbose_) std::cout << "Epoch " << epoch_ << ": reducing learning rate of group " << g << " to " << lr << '\n';
  }
}

}  // namespace torch::optim
