#pragma once

#include <minima/inference/clock.h>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <vector>

namespace minima::test {

/// A clock that stands still until the test moves it.
class FakeClock final : public inference::Clock {
 public:
  TimePoint now() override {
    const std::lock_guard lock(mutex_);
    return now_;
  }

  void wait_until(std::condition_variable& changed, std::unique_lock<std::mutex>& lock, TimePoint deadline) override {
    int id = 0;
    {
      const std::lock_guard own(mutex_);
      if (now_ >= deadline) return;
      id = next_id_++;
      waiters_.push_back({id, &changed, lock.mutex(), deadline});
      waiting_.notify_all();
    }
    changed.wait(lock);
    const std::lock_guard own(mutex_);
    std::erase_if(waiters_, [&](const Waiter& waiter) { return waiter.id == id; });
  }

  /// Moves the time and wakes the threads whose deadline has come.
  void advance(double seconds) {
    std::vector<Waiter> woken;
    {
      const std::lock_guard lock(mutex_);
      now_ += inference::to_duration(seconds);
      for (const Waiter& waiter : waiters_)
        if (waiter.deadline <= now_) woken.push_back(waiter);
    }
    for (const Waiter& waiter : woken) {
      const std::lock_guard lock(*waiter.mutex);  // so that it waits by now
      waiter.changed->notify_all();
    }
  }

  /// Returns once so many threads wait for a later time.
  void expect_waiting(std::ptrdiff_t count) {
    std::unique_lock lock(mutex_);
    waiting_.wait(lock, [&] {
      return count <= std::count_if(waiters_.begin(), waiters_.end(), [&](const Waiter& waiter) {
               return waiter.deadline > now_ && waiter.deadline != TimePoint::max();
             });
    });
  }

 private:
  struct Waiter {
    int id;
    std::condition_variable* changed;
    std::mutex* mutex;
    TimePoint deadline;
  };
  std::mutex mutex_;
  std::condition_variable waiting_;
  TimePoint now_{std::chrono::hours(1)};
  std::vector<Waiter> waiters_;
  int next_id_ = 0;
};

/// The real clock, on which tests can wait until workers are idle.
class IdleClock final : public inference::Clock {
 public:
  void wait_until(std::condition_variable& changed, std::unique_lock<std::mutex>& lock, TimePoint deadline) override {
    const int idle = deadline == TimePoint::max();
    add(idle);
    inference::Clock::wait_until(changed, lock, deadline);
    add(-idle);
  }
  /// Returns once so many threads wait without a deadline.
  void expect_idle(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return idle_ >= count; });
  }

 private:
  void add(int count) {
    const std::lock_guard lock(mutex_);
    idle_ += count;
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  int idle_ = 0;
};

/// Holds back the calls of a model until it is opened.
class Gate {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    ++entered_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  /// Returns once so many calls have arrived.
  void expect_entered(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return entered_ >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int entered_ = 0;
  bool open_ = false;
};

}  // namespace minima::test
