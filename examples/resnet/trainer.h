#pragma once

#include "../loss_log.h"
#include "../run_events.h"
#include "../run_monitor.h"
#include "../step_profile.h"
#include "network.h"
#include "options.h"

#include <minima/distributed/distributed.h>
#include <minima/train/memory_budget/memory_budget.h>
#include <minima/train/run/run.h>

/// Takes training steps and measures their speed, after the warmup steps.
class Trainer {
 public:
  Trainer(const Options& options, minima::Device device, const minima::distributed::ProcessGroup& group,
          std::int64_t classes);
  /// One step on images [N, 3, H, W] and labels [N]. Returns whether more steps are wanted.
  bool step(const minima::Tensor& batch, const minima::Tensor& labels);
  /// Resumes the run in --run, with the position in the data if there is a loader.
  void resume(minima::data::LoaderBase* loader = nullptr);
  /// Ends the run and prints the speed: images per second and TFLOP/s, compared with a matrix product's; nothing if it
  /// was told to stop. Returns the exit code.
  int finish();
  std::int64_t steps() const { return done_; }

 private:
  void report(const minima::MemoryStats& memory);

  Options options_;
  minima::Device device_;
  minima::distributed::ProcessGroup group_;
  ResNet network_;
  minima::distributed::DistributedDataParallel parallel_;
  std::optional<minima::train::MemoryBudget> budget_;
  minima::optim::SGD optimizer_;
  minima::amp::AutocastOptions autocast_;
  minima::amp::GradScaler scaler_;  ///< enabled only for float16
  std::int64_t last_;               ///< the step after which the run ends
  std::int64_t measured_from_;      ///< the step from which the speed is measured
  minima::Progress progress_;
  LossLog loss_log_;
  StepProfile profile_;
  RunMonitor monitor_;
  RunEvents events_;
  std::int64_t done_ = 0;    ///< steps, including those of earlier processes
  std::int64_t images_ = 0;  ///< since the measurement started
  double start_ = 0;
  minima::MemoryStats memory_;  ///< when the measurement started
  std::optional<minima::train::Run> run_;
};
