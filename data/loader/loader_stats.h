#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>
#include <string>

namespace minima::data {

/// Statistics of one stage since the last `reset_stats`. Times are in seconds, summed over the stage's threads.
struct StageStats {
  std::int64_t batches = 0;
  double busy = 0;
  double waiting_for_input = 0;  ///< the previous stage had nothing ready
  double waiting_for_room = 0;   ///< the next stage had not taken the finished batches
  double longest = 0;            ///< time of the slowest batch
  double mean_ready = 0;         ///< mean number of finished batches when the next stage took one
  double batches_per_second = 0;
};

/// The stage that limits throughput.
enum class Bottleneck : std::uint8_t { unknown, fetch, copy, compute };
/// `fetch`, `copy`, `compute` or `unknown`.
MINIMA_API const char* name(Bottleneck bottleneck);

/// Statistics of a loader, one per stage, and what to change.
struct LoaderStats {
  double seconds = 0;  ///< total time of all loops
  StageStats fetch;    ///< the workers
  StageStats copy;     ///< to the device; zero without one
  StageStats compute;  ///< the loop's body; its `waiting_for_input` is time spent in the loader
  Bottleneck bottleneck = Bottleneck::unknown;
  int workers = 0;  ///< current settings
  int prefetch = 0;
  int proposed_workers = 0;   ///< enough to keep up with the loop
  int proposed_prefetch = 0;  ///< enough to hide the slowest fetch
  std::int64_t skipped = 0;   ///< samples left out because of errors
  std::int64_t retried = 0;   ///< fetches repeated

  /// A summary of a few lines: time per stage, the bottleneck, and better settings.
  MINIMA_API std::string text() const;
};

namespace detail {
/// Fills in the bottleneck and the proposals.
MINIMA_API void judge(LoaderStats& stats, bool has_device, int cores);
}  // namespace detail

}  // namespace minima::data
