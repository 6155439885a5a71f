#pragma once

#include "../loss_log.h"
#include "../run_events.h"
#include "../run_monitor.h"
#include "../step_profile.h"
#include "corpus.h"
#include "network.h"
#include "options.h"

#include <minima/distributed/distributed.h>
#include <minima/train/captured_step/captured_step.h>
#include <minima/train/memory_budget/memory_budget.h>
#include <minima/train/run/batch_share.h>
#include <minima/train/run/run.h>
#include <minima/train/statistics/network_statistics.h>

#include <memory>
#include <optional>
#include <vector>

/// Owns the corpus, network and optimizers of a run.
class Trainer {
 public:
  Trainer(const Options& options, minima::Device device, const minima::distributed::ProcessGroup& group);
  /// Trains to the last step and writes the model. False if --run was told to stop.
  bool train();
  /// The exit code after `train` returned false.
  int exit_code() const { return run_->exit_code(); }
  /// Prints the peak of memory, and what --budget and --capture did.
  void report() const;
  /// With whole weights; after `train`, on the first rank.
  Network& network() { return whole_ ? *whole_ : net_; }
  const minima::data::Tokenizer& tokenizer() const { return corpus_->tokenizer(); }
  /// Ends the event file, with the sample.
  void finish_events(const std::string& sample);

 private:
  void share();
  void make_whole();
  void open_run();
  std::vector<minima::Tensor> step(const std::vector<minima::Tensor>& inputs);
  std::vector<minima::Tensor> draw();
  double read_losses();
  double validate(std::int64_t rows);
  double check_validation(std::int64_t rows);
  void print_line(double loss, double seconds);
  void show_statistics();
  void write_curve() const;

  Options options_;
  minima::Device device_;
  minima::distributed::ProcessGroup group_;
  std::unique_ptr<Corpus> corpus_;
  Recipe recipe_;
  Network net_;
  minima::train::BatchShare share_;  ///< of the rows that pass at once
  std::optional<minima::distributed::DistributedDataParallel> parallel_;
  std::optional<minima::distributed::Sharding> sharding_;  ///< with --shard, instead
  std::optional<Network> whole_;                           ///< with --shard, at the end
  std::unique_ptr<minima::optim::Muon> matrices_;
  std::unique_ptr<minima::optim::AdamW> rest_;
  std::optional<minima::optim::Ema> average_;  ///< with --ema
  std::optional<minima::train::MemoryBudget> budget_;
  minima::train::CapturedStep captured_;
  std::optional<minima::train::NetworkStatistics> statistics_;
  LossLog loss_log_;
  StepProfile profile_;
  RunMonitor monitor_;
  RunEvents events_;
  std::int64_t steps_ = 0, begun_at_ = 0;
  std::int64_t peak_ = 0;               ///< bytes, after the first steps
  double roof_ = 0;                     ///< operations per second of all processes; 0 on a GPU
  std::vector<minima::Tensor> unread_;  ///< losses of the last steps, since reading one waits for the device
  minima::Tensor norm_;                 ///< of the last gradients
  std::vector<double> train_steps_, train_bits_, validation_steps_, validation_bits_;
  std::optional<minima::train::Run> run_;
};
