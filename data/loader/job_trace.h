#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace minima::data {

using Clock = std::chrono::steady_clock;
inline double seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

/// Records the first `capacity` intervals for chrome://tracing or Perfetto. Adding is lock-free and never allocates;
/// later intervals are dropped.
class Trace {
 public:
  explicit Trace(std::int64_t capacity) : events_(static_cast<std::size_t>(capacity)) {}

  /// `track` is a worker's number, counted from 0, or one of these.
  static constexpr int copy_track = -1, loop_track = -2;

  /// `what` must be a literal.
  void add(const char* what, int track, std::int64_t batch, Clock::time_point begin, Clock::time_point end);
  /// The JSON document. Must not run concurrently with `add`.
  std::string text() const;

 private:
  struct Event {
    const char* what;
    int track;
    std::int64_t batch;
    Clock::time_point begin, end;
  };
  std::vector<Event> events_;
  std::atomic<std::size_t> used_{0};
  const Clock::time_point start_ = Clock::now();
};

}  // namespace minima::data
