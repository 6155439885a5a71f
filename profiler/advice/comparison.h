#pragma once

#include <minima/tensor/base/api.h>
#include <minima/tensor/base/function.h>

#include <cstddef>
#include <vector>

namespace minima::profiler {

/// Two calls, timed in turns.
struct Comparison {
  double before = 0, after = 0;  ///< seconds: the lower quartile of each, which other programs disturb least
  double spread = 0;             ///< half the width of the gain's confidence interval
  bool is_clear =
      false;  ///< the interval, of 99%, is on one side of 1, and the difference exceeds half its width and 1%

  /// How many times as fast the second call is.
  double gain() const { return after > 0 ? before / after : 0; }
};

/// Compares times measured in turns, in seconds. `more_work` is how much more the second call does. The interval is
/// that of the median of the turns' ratios by order statistics (the sign test's), so it supposes nothing of the noise
/// but that a turn is as likely to favour one call as the other. Fewer than eight turns are never clear.
MINIMA_API Comparison compare_turns(const std::vector<double>& before, const std::vector<double>& after,
                                    double more_work = 1);

struct TurnOptions {
  double seconds = 0.5;        ///< of all turns, and at least `min_turns`
  std::size_t min_turns = 12;  ///< from 1 to 10⁶
  double more_work = 1;
};

/// Times one call: `seconds_of(call)` returns how long it took.
using SecondsOf = Function<double(const Function<void()>& call)>;

/// Calls both twice to warm up, then A B, B A, A B, …: what else the machine does slows both, and neither is always
/// the one after the other.
MINIMA_API Comparison compare_in_turns(const Function<void()>& before, const Function<void()>& after,
                                       const SecondsOf& seconds_of, const TurnOptions& options = {});

}  // namespace minima::profiler
