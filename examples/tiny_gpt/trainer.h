#pragma once

#include "network.h"
#include "options.h"
#include "text.h"

#include <minima/distributed/distributed.h>
#include <minima/train/captured_step.h>
#include <minima/train/memory_budget.h>

#include <memory>
#include <optional>

/// Owns text, network and optimizer for a run.
class Trainer {
 public:
  Trainer(const Options& options, minima::Device device, const minima::distributed::ProcessGroup& group);
  void run();
  /// Speed, loss and memory, on standard output.
  void report() const;
  /// So many characters after a line break, each drawn by its probability.
  std::string sample(std::int64_t count);

 private:
  /// The mean over all processes, whose shares are equally large.
  double mean_of_all(const minima::Tensor& loss) const;
  minima::Tensor step(const minima::Tensor& text, const minima::Tensor& next);

  Options options_;
  minima::Device device_;
  Text text_;
  minima::distributed::ProcessGroup group_;
  Gpt net_;
  minima::distributed::DistributedDataParallel parallel_;
  std::unique_ptr<minima::optim::Optimizer> optimizer_;
  std::optional<minima::train::MemoryBudget> budget_;
  minima::train::CapturedStep captured_;
  std::int64_t steps_ = 0;
  double loss_ = 0, first_loss_ = 0, characters_per_second_ = 0;
  std::int64_t peak_ = 0;  ///< bytes, of a step that needed no more for gradients and state
};
