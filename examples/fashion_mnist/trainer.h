#pragma once

#include "../loss_log.h"
#include "../run_events.h"
#include "../run_monitor.h"
#include "../step_profile.h"
#include "network.h"
#include "options.h"

#include <minima/distributed/distributed.h>
#include <minima/train/captured_step/captured_step.h>
#include <minima/train/memory_budget/memory_budget.h>
#include <minima/train/run/run.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

/// The metrics of one epoch.
struct EpochRecord {
  int epoch = 0;  ///< from 1
  double train_loss = 0, train_accuracy = 0;
  double validation_loss = 0, validation_accuracy = 0;
  double images_per_second = 0, seconds = 0;
};

/// The metrics of all epochs so far.
struct Records {
  minima::State state_dict() const;
  void load_state_dict(const minima::State& state);

  std::vector<EpochRecord> rows;
};

/// The results of a network on a set of images.
struct Evaluation {
  double loss = 0, accuracy = 0;
  std::vector<std::int64_t> predictions;
};

/// Mean loss, accuracy and predicted classes over a whole set on any device; records nothing.
Evaluation evaluate(Network& network, const minima::Tensor& images, const minima::Tensor& labels);

/// Sums over the current epoch. They stay on the device, because reading one synchronises with it.
struct Totals {
  explicit Totals(minima::Device device);
  void add(const minima::Tensor& loss, const minima::Tensor& logits, const minima::Tensor& labels);
  double mean_loss() const { return loss.item<double>() / static_cast<double>(seen); }
  double accuracy() const { return correct.item<double>() / static_cast<double>(seen); }
  minima::State state_dict() const;
  void load_state_dict(const minima::State& state);
  /// A rank's share, so that a run on another number of ranks keeps the total.
  std::vector<double> sums() const;
  void set_sums(const std::vector<double>& sums);

  minima::Tensor loss, correct;  ///< float64 and int64 scalars
  std::int64_t seen = 0;
};

/// Owns the network, optimizer and data of a run, which --run saves and resumes.
class Trainer {
 public:
  Trainer(const Options& options, minima::Device device, const minima::distributed::ProcessGroup& group);
  /// Trains to the last epoch or step, writing the log and the curve after each epoch. False if --run was told to stop.
  bool train();

  /// The exit code after `train` returned false.
  int exit_code() const { return run_->exit_code(); }
  Network& network() { return network_; }
  RunEvents& events() { return events_; }
  std::int64_t steps() const { return steps_; }
  /// One line each on --budget and --capture; empty without them.
  std::string memory_report() const;

 private:
  using Loader = minima::data::DataLoader<minima::data::TensorDataset<2>>;

  bool is_last_step() const { return options_.max_steps > 0 && steps_ >= options_.max_steps; }
  /// Returns false if the run was told to stop.
  bool train_epoch();
  /// Forward, backward and update: the part that --capture records. Returns the loss and logits.
  std::vector<minima::Tensor> step(const minima::Tensor& images, const minima::Tensor& labels);
  minima::Tensor train_step(const minima::Tensor& images, const minima::Tensor& labels);
  std::string progress_text();
  void finish_epoch(double seconds, double images_per_second);
  void open_run();

  Options options_;
  minima::Device device_;
  minima::data::LabelledImages all_;
  minima::Tensor validation_images_, validation_labels_;
  minima::distributed::ProcessGroup group_;
  Network network_;
  minima::distributed::DistributedDataParallel parallel_;
  std::unique_ptr<minima::optim::Optimizer> optimizer_;
  minima::amp::AutocastOptions autocast_;
  minima::amp::GradScaler scaler_;  ///< enabled only for float16
  Loader loader_;
  minima::optim::Schedule schedule_;
  std::int64_t steps_ = 0;
  Totals totals_;
  Records records_;
  minima::RunningMean running_loss_;
  LossLog loss_log_;
  std::optional<minima::train::MemoryBudget> budget_;
  minima::train::CapturedStep captured_;
  StepProfile profile_;
  RunMonitor monitor_;
  RunEvents events_;
  std::optional<minima::train::Run> run_;
};
