#pragma once

#include <minima/io/state.h>
#include <minima/optim/gradient/spike_detector.h>
#include <minima/train/run/run_options.h>

#include <cstdint>
#include <string>

namespace minima::train {

/// How often `Run::accept` did what, in the whole run.
struct LossCounts {
  std::int64_t non_finite = 0, spikes = 0;  ///< bad losses
  std::int64_t skipped = 0, rewound = 0,
               lowered = 0;  ///< steps left out, and how many of them went back or lowered the rate
};

namespace detail {

/// Judges losses by the rules. Fed with the same numbers, all ranks come to the same judgement.
class MINIMA_API LossGuard {
 public:
  /// Throws ValueError for a factor outside (0, 1) and a negative patience.
  explicit LossGuard(const LossRules& rules);
  /// The action for this loss; `ignore` if it is good.
  BadLoss judge(double loss);
  /// For messages: `loss nan`, `loss 91.2, 8.3 standard deviations above the mean`.
  const std::string& reason() const { return reason_; }
  const LossCounts& counts() const { return counts_; }
  /// The product of the factors by which rates were lowered.
  double rate() const { return rate_; }

  State state_dict() const;
  void load_state_dict(const State& state);

 private:
  LossRules rules_;
  optim::SpikeDetector detector_;
  LossCounts counts_;
  std::int64_t in_a_row_ = 0;
  double rate_ = 1;
  std::string reason_;
};

}  // namespace detail

}  // namespace minima::train
