#include <minima/inference/clock.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace minima::inference {

Clock::~Clock() = default;

Clock::TimePoint Clock::now() { return std::chrono::steady_clock::now(); }

void Clock::wait_until(std::condition_variable& changed, std::unique_lock<std::mutex>& lock, TimePoint deadline) {
  if (deadline == TimePoint::max()) changed.wait(lock);
  else changed.wait_until(lock, deadline);
}

}  // namespace minima::inference
