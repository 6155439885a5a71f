#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>
#include <string>

namespace minima::data {

/// What one stage of the loader has done since the last `reset_stats`, times in seconds summed over its threads.
struct StageStats {
  std::int64_t batches = 0;
  double busy = 0;
  double waiting_for_input = 0;  ///< nothing to work on
  double waiting_for_room = 0;   ///< the next stage has not taken what is ready
  double longest = 0;            ///< the longest that one batch took
  double mean_ready = 0;         ///< batches that stood ready behind it, on average, when one was taken
  double batches_per_second = 0;
};

/// The stage that the others wait for.
enum class Bottleneck : std::uint8_t { unknown, fetch, copy, compute };
/// `fetch`, `copy`, `compute` or `unknown`.
MINIMA_API const char* name(Bottleneck bottleneck);

/// Statistics of a loader, one per stage, and what to change.
struct LoaderStats {
  double seconds = 0;  ///< that loops over the loader have taken
  StageStats fetch;    ///< the workers
  StageStats copy;     ///< to the device; all zero without one
  StageStats compute;  ///< the loop's body: its `waiting_for_input` is time spent in the loader
  Bottleneck bottleneck = Bottleneck::unknown;
  int workers = 0;  ///< as they are
  int prefetch = 0;
  int proposed_workers = 0;   ///< that would keep up with the loop
  int proposed_prefetch = 0;  ///< that would hide the longest fetch
  std::int64_t skipped = 0;   ///< samples left out because of errors
  std::int64_t retried = 0;

  /// Who waits for whom and what to change, in a few lines.
  MINIMA_API std::string text() const;
};

namespace detail {
/// Fills in the bottleneck and the proposals.
MINIMA_API void judge(LoaderStats& stats, bool has_device, int cores);
}  // namespace detail

}  // namespace minima::data
