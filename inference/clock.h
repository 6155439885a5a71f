#pragma once

#include <minima/tensor/base/api.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace minima::inference {

/// Tells the time and waits for it. Tests derive one whose time stands still until they move it.
class MINIMA_API Clock {
 public:
  using Duration = std::chrono::steady_clock::duration;
  using TimePoint = std::chrono::steady_clock::time_point;

  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock();

  virtual TimePoint now();
  /// Waits, with `lock` released, until `changed` is notified or the time is `deadline`; TimePoint::max() is never. May
  /// return early.
  virtual void wait_until(std::condition_variable& changed, std::unique_lock<std::mutex>& lock, TimePoint deadline);
};

/// A number of seconds as a duration. Longer than a year counts as a year, so that sums with a time cannot overflow.
inline Clock::Duration to_duration(double seconds) {
  constexpr double year = 365.0 * 24 * 3600;
  return std::chrono::duration_cast<Clock::Duration>(std::chrono::duration<double>(seconds < year ? seconds : year));
}

inline double to_seconds(Clock::Duration time) { return std::chrono::duration<double>(time).count(); }

}  // namespace minima::inference
