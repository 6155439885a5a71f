#pragma once

#include <minima/io/state.h>
#include <minima/optim/optimizer.h>
#include <minima/optim/schedules/schedule.h>

namespace minima::optim {

/// Sets an optimizer's learning rates by a schedule: those of step 0 at once, then one further with each `step()`.
///
///     Scheduler scheduler(optimizer, schedules::warmup(500, schedules::cosine(10000)));
///     …
///     optimizer.step();
///     scheduler.step();
///
/// Each group goes from the rate that it had when the scheduler first saw it.
class MINIMA_API Scheduler {
 public:
  Scheduler(Optimizer& optimizer, const Schedule& schedule);

  void step();
  /// Goes on only if the optimizer's step was taken. Waits for the device.
  void step(const StepResult& result) {
    if (!result.skipped()) step();
  }
  std::int64_t steps() const { return step_; }

  State state_dict() const;
  void load_state_dict(const State& state);

 private:
  void apply();

  Optimizer& optimizer_;
  Schedule schedule_;
  std::int64_t step_ = 0;
  std::vector<double> base_lrs_, base_momenta_;
};

struct PlateauOptions {
  bool maximize = false;  ///< larger is better
  double factor = 0.1;
  std::int64_t patience = 10;
  double threshold = 1e-4;
  bool relative = true;  ///< better means by this share of the best, else by this much
  std::int64_t cooldown = 0;
  double least = 0;
  double eps = 1e-8;  ///< smaller changes of the rate are not made
};

/// Multiplies the learning rates by `factor` when a metric has not become better for more than `patience` calls, and
/// then waits for `cooldown` calls (torch's ReduceLROnPlateau). Every parameter group is treated alike.
class MINIMA_API ReduceOnPlateau {
 public:
  explicit ReduceOnPlateau(Optimizer& optimizer, const PlateauOptions& options = {});

  /// Takes the metric of an epoch. True if the rates became smaller.
  bool step(double metric);
  double best() const { return best_; }

  State state_dict() const;
  void load_state_dict(const State& state);

 private:
  bool is_better(double metric) const;
  bool reduce();

  Optimizer& optimizer_;
  PlateauOptions options_;
  double best_;
  std::int64_t bad_ = 0, cooling_ = 0;
};

}  // namespace minima::optim
