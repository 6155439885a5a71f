#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

// Threads for templates in headers, which are cheaper to compile without the standard library's.

namespace torch::data::detail {

/// A mutex and a condition: whoever changes what it guards calls `notify`.
class Monitor {
 public:
  Monitor();
  ~Monitor();
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  void lock();
  void unlock();
  void notify();
  /// Waits, unlocked, until `ready()`, which is called with the lock held. False after `timeout`.
  bool wait(const std::function<bool()>& ready, std::optional<std::chrono::milliseconds> timeout = std::nullopt);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Holds a monitor's lock.
class MonitorLock {
 public:
  explicit MonitorLock(Monitor& monitor) : monitor_(monitor) { monitor_.lock(); }
  ~MonitorLock() { monitor_.unlock(); }
  MonitorLock(const MonitorLock&) = delete;
  MonitorLock& operator=(const MonitorLock&) = delete;

 private:
  Monitor& monitor_;
};

/// Threads that are joined together.
class Threads {
 public:
  Threads();
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  void start(std::function<void()> function);
  void join();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace torch::data::detail
