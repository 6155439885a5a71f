#pragma once

#include <minima/amp/autocast.h>
#include <minima/amp/grad_scaler.h>
#include <minima/autograd/checkpoint/checkpoint.h>
#include <minima/data/dataset.h>
#include <minima/data/loader/loader.h>
#include <minima/distributed/data_parallel.h>
#include <minima/nn/nn.h>
#include <minima/ops/ops.h>
#include <minima/optim/averaging/averaging.h>
#include <minima/optim/elementwise/adam.h>
#include <minima/optim/gradient/accumulation.h>
#include <minima/optim/schedules/scheduler.h>
#include <minima/optim/structured/muon.h>
#include <minima/train/metrics.h>
#include <minima/train/run/run.h>

#include <optional>
#include <string>
#include <vector>

namespace minima::test {

/// A training with all that has a state: dropout, mixed precision with a scaler, activation checkpointing,
/// accumulation, Muon and AdamW, a schedule, an average of the weights, shuffling, prefetching threads and a metric.
/// Each rank draws other dropout masks.
class Training {
 public:
  Training(const std::string& folder, const distributed::ProcessGroup& group, const train::RunOptions& options,
           std::int64_t batch_size = 4);
  /// Trains until so many batches have been seen in all. False if the run was told to stop. `after` is called after
  /// each batch, before Run::step.
  bool run_to(std::int64_t batches, const Function<void(std::int64_t)>& after = {});
  /// Trains to the end of the current epoch.
  void finish_epoch();
  /// All numbers of the training's state, as text.
  std::string fingerprint() const;
  train::Run& run() { return run_; }
  /// The samples delivered to this rank by this object.
  const std::vector<std::int64_t>& ids() const { return ids_; }

  static constexpr std::int64_t samples = 240;

 private:
  struct Net : nn::ModuleOf<Net> {
    Net();
    Tensor forward(const Tensor& x);
    nn::Linear first, second, last;
    nn::Dropout dropout;
  };
  using Loader = data::DataLoader<data::TensorDataset<3>>;
  void step(const Tensor& x, const Tensor& label, const Tensor& id);

  distributed::ProcessGroup group_;
  Net net_;
  std::optional<distributed::DistributedDataParallel> parallel_;
  optim::Muon muon_;
  optim::AdamW adamw_;
  optim::Scheduler schedule_;
  optim::Ema ema_;
  optim::Accumulation accumulation_;
  amp::GradScaler scaler_;
  Mean mean_;
  Loader loader_;
  std::int64_t batches_ = 0;
  std::vector<std::int64_t> ids_;
  train::Run run_;
};

}  // namespace minima::test
