#pragma once

#include <minima/io/state.h>
#include <minima/optim/optimizer.h>
#include <minima/optim/schedules/schedule.h>

namespace minima::optim {

/// Sets an optimizer's learning rates by a schedule: those of step 0 in the constructor, the next ones in each
/// `step()`.
///
///     Scheduler scheduler(optimizer, schedules::warmup(500, schedules::cosine(10000)));
///     …
///     optimizer.step();
///     scheduler.step();
///
/// A group's base rate is the one it had when the scheduler first saw it.
class MINIMA_API Scheduler {
 public:
  Scheduler(Optimizer& optimizer, const Schedule& schedule);

  void step();
  /// Advances only if the optimizer did not skip its step. Synchronises with the device.
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
  double factor = 0.1;    ///< in [0, 1)
  std::int64_t patience = 10;
  double threshold = 1e-4;
  bool relative = true;  ///< `threshold` is a fraction of the best value's size instead of an absolute difference
  std::int64_t cooldown = 0;
  double least = 0;
  double eps = 1e-8;  ///< ignore smaller changes of the rate
};

/// Multiplies all learning rates by `factor` once a metric has not improved for more than `patience` calls, then waits
/// for `cooldown` calls (torch's ReduceLROnPlateau). Metrics may be negative, too: improving means by threshold·|best|.
/// The default minimises; an accuracy needs {.maximize = true}.
class MINIMA_API ReduceOnPlateau {
 public:
  explicit ReduceOnPlateau(Optimizer& optimizer, const PlateauOptions& options = {});

  /// Takes an epoch's metric. True if it reduced the rates.
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
