#pragma once

#include <minima/tensor/base/api.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace minima::inference {

/// Holds percentiles of a sample of times, in seconds: the smallest value that 50, 90 and 99 % of them do not exceed,
/// and the largest.
struct Percentiles {
  double p50 = 0, p90 = 0, p99 = 0, max = 0;
};

/// The last `capacity` of a series of times.
class MINIMA_API RecentTimes {
 public:
  explicit RecentTimes(std::size_t capacity = 4096) : capacity_(capacity) {}
  void add(double seconds);
  void clear() { times_.clear(), next_ = 0; }
  /// Zeros if there are none.
  Percentiles percentiles() const;

 private:
  std::size_t capacity_, next_ = 0;
  std::vector<double> times_;
};

/// Counts what a Batcher has done since it was created or `reset_stats` was called, and describes its queue now.
struct BatcherStats {
  std::int64_t queued_requests = 0;  ///< now
  std::int64_t queued_rows = 0;      ///< now
  std::int64_t running = 0;          ///< batches, now

  std::int64_t requests = 0;         ///< accepted; each ends as one of the next three
  std::int64_t succeeded = 0;        ///< requests
  std::int64_t failed = 0;           ///< requests whose batch threw
  std::int64_t cancelled = 0;        ///< requests withdrawn, or queued when the batcher was closed
  std::int64_t refused = 0;          ///< calls of submit that found no room in the queue
  std::int64_t callback_errors = 0;  ///< exceptions that left a callback

  std::int64_t batches = 0;
  std::int64_t rows = 0;  ///< in these batches
  std::vector<std::int64_t>
      row_counts;  ///< [n]: number of batches of n rows; those of more than 65,535 are in the last

  Percentiles waiting;  ///< of the last 4096 requests, from submit to the start of their batch
  Percentiles service;  ///< of the last 4096 batches, the time from start to result

  double mean_batch() const { return batches ? static_cast<double>(rows) / static_cast<double>(batches) : 0; }
  /// A summary of a few lines.
  MINIMA_API std::string text() const;
};

}  // namespace minima::inference
