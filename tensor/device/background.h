#pragma once

#include <minima/tensor/base/api.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

// Logs the work that other threads do for a thread, such as the stages of its data loaders and its collectives: each is
// a row of a profiler.

namespace minima {

/// Collects intervals of several threads.
class MINIMA_API BackgroundLog {
 public:
  struct Interval {
    std::string row;         ///< `loader worker 0`, `collectives`
    std::string what;        ///< `fetch`, `all_reduce mean float32 [128]`
    std::int64_t begin = 0;  ///< nanoseconds of the steady clock
    std::int64_t end = 0;
  };
  void add(Interval interval);
  /// Hands over what was added so far.
  std::vector<Interval> take();

 private:
  std::mutex mutex_;
  std::vector<Interval> intervals_;
};

/// Points to the log of the work done for this thread; null if no profiler records.
MINIMA_API std::shared_ptr<BackgroundLog> background_log();
/// Sets it and returns the previous one.
MINIMA_API std::shared_ptr<BackgroundLog> set_background_log(std::shared_ptr<BackgroundLog> log);

namespace detail {

/// Nanoseconds of the steady clock.
MINIMA_API std::int64_t steady_ns(std::chrono::steady_clock::time_point time = std::chrono::steady_clock::now());

/// Says, for its scope, that this thread works for the log's thread, and in which row. Without a log it does nothing.
class MINIMA_API BackgroundRow {
 public:
  BackgroundRow(const std::shared_ptr<BackgroundLog>& log, const char* row, int number);
  BackgroundRow(const BackgroundRow&) = delete;
  ~BackgroundRow();

 private:
  bool is_set_;
};

}  // namespace detail

}  // namespace minima
