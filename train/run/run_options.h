#pragma once

#include <minima/optim/gradient/spike_detector.h>

#include <cstdint>
#include <string>

namespace minima::train {

/// A duration: a number of seconds, or one of std::chrono (`600s`, `4h`).
struct Seconds {
  double count = 0;

  constexpr Seconds() = default;
  constexpr Seconds(double seconds) : count(seconds) {}
  template <class Duration>
  requires requires(Duration d) {
    typename Duration::period;
    d.count();
  } constexpr Seconds(Duration d)
      : count(static_cast<double>(d.count()) * static_cast<double>(Duration::period::num) /
              static_cast<double>(Duration::period::den)) {}
};

/// Says what `Run::accept` does about a bad loss. All but `ignore` leave the step out.
enum class BadLoss : std::uint8_t {
  ignore,      ///< the step is taken, and the loss counts as good
  skip,        ///< leave the step out
  rewind,      ///< also load the newest saved state, and go on with the next batches
  lower_rate,  ///< also multiply all learning rates by `factor`
  stop         ///< end the run with exit code 1, without saving
};

/// The rules of `Run::accept`.
struct LossRules {
  BadLoss non_finite = BadLoss::ignore;  ///< for NaN and infinities
  BadLoss spike = BadLoss::ignore;       ///< for losses far above the recent ones
  optim::SpikeOptions spikes = {};       ///< which losses are spikes
  double factor = 0.5;                   ///< of lower_rate, in (0, 1)
  std::int64_t patience = 10;            ///< the run stops at the bad loss after this many in a row
};

struct RunOptions {
  int keep = 3;                     ///< the last states to keep; 0 keeps all
  int keep_best = 0;                ///< besides, the states with the best metrics given to `record`
  bool maximize = false;            ///< a larger metric is better
  std::int64_t keep_every = 0;      ///< besides, the states of steps that this number divides
  Seconds every = 600;              ///< time between two saves, by rank 0's clock; 0: none by time
  std::int64_t every_steps = 0;     ///< steps between two saves; 0: none by steps
  Seconds max_time = 0;             ///< save and stop after this time in this process, by rank 0's clock; 0: no limit
  std::string copy_to{};            ///< a second folder, on a slower disk, to which states are copied; empty: none
  bool asynchronous = true;         ///< write while training continues; saves at the end always wait
  bool signals = true;              ///< SIGINT, SIGTERM and SIGUSR1 save and stop
  bool force = false;               ///< resume although settings differ that change the result
  LossRules loss = {};              ///< what `accept` does
  std::int64_t check_replicas = 0;  ///< compare the modules' parameters over the ranks every n steps; 0: never
  double straggler = 1.5;  ///< name ranks whose median step takes this many times the others'; 0: none. Not over NCCL
};

/// The seconds between two saves that cost least in all, if a save stops training for `cost` seconds and there is a
/// failure every `between_failures` seconds, which loses half an interval on average: √(2·cost·between_failures) (Young
/// 1974), at most `between_failures`. Throws ValueError for negative numbers and NaN.
MINIMA_API double save_interval(double cost, double between_failures);

/// The costs that a run's time goes into, in seconds.
struct RunCosts {
  double save = 0;              ///< by which a save stops training
  double interval = 600;        ///< of training, between two saves
  double between_failures = 0;  ///< on average
  double recovery = 0;          ///< from a failure to the first step after it
  double durable = 0;           ///< from a save's begin until the state is on disk; 0 for one that waits
};

/// The share of a run's time that goes into steps that count, neither lost in a failure nor repeated, if failures come
/// independently of each other: interval / (M e^(R/M) (e^((interval + save)/M) - 1)), where M is the time between
/// failures and R the recovery, with `durable` added, since a failure before that loses another interval (Daly
/// 2006). Between 0 and 1; interval / (interval + save) for an infinite M. Throws ValueError for an interval or M
/// that is not positive, and for negative numbers and NaN.
MINIMA_API double goodput(const RunCosts& costs);

}  // namespace minima::train
