#pragma once

#include "../loss_log.h"
#include "../run_events.h"
#include "../run_monitor.h"
#include "../step_profile.h"
#include "network.h"
#include "options.h"
#include "text.h"

#include <minima/distributed/distributed.h>
#include <minima/train/captured_step/captured_step.h>
#include <minima/train/memory_budget/memory_budget.h>
#include <minima/train/run/batch_share.h>
#include <minima/train/run/run.h>

#include <memory>
#include <optional>

/// Owns the text, network and optimizer of a run.
class Trainer {
 public:
  Trainer(const Options& options, minima::Device device, const minima::distributed::ProcessGroup& group);
  /// Trains to the last step. False if --run was told to stop.
  bool train();
  /// The exit code after `train` returned false.
  int exit_code() const { return run_->exit_code(); }
  /// Makes the weights whole for sampling; all processes call it.
  void gather_weights();
  /// Prints the loss, speed and peak memory.
  void report() const;
  /// Ends the run in the event file, with its sample.
  void finish_events(const std::string& sample);
  /// Samples `count` characters after a line break.
  std::string sample(std::int64_t count);

 private:
  minima::Tensor step(const minima::Tensor& text, const minima::Tensor& next);
  void print_sizes() const;
  void share();
  void open_run();

  Options options_;
  minima::Device device_;
  Text text_;
  minima::distributed::ProcessGroup group_;
  minima::train::BatchShare share_;  ///< of each batch
  Gpt net_;
  std::optional<minima::distributed::DistributedDataParallel> parallel_;
  std::optional<minima::distributed::Sharding> sharding_;  ///< with --shard, instead
  std::optional<minima::distributed::Sharding::Whole> whole_;
  std::unique_ptr<minima::optim::Optimizer> optimizer_;
  std::optional<minima::train::MemoryBudget> budget_;
  minima::train::CapturedStep captured_;
  minima::RandomGenerator batches_;  ///< draws the batches
  minima::RunningMean running_loss_;
  LossLog loss_log_;
  StepProfile profile_;
  RunMonitor monitor_;
  RunEvents events_;
  std::int64_t steps_ = 0;
  double loss_ = 0, first_loss_ = 0, characters_per_second_ = 0;
  std::int64_t peak_ = 0;  ///< bytes, after the warmup steps
  std::optional<minima::train::Run> run_;
};
