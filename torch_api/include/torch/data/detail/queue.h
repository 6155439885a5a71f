#pragma once

#include <c10/util/Exception.h>
#include <torch/data/detail/threads.h>

#include <cstddef>
#include <deque>
#include <utility>

namespace torch::data::detail {

/// A queue between threads: `pop` waits until there is something.
template <typename T>
class Queue {
 public:
  void push(T value) {
    const MonitorLock lock(monitor_);
    values_.push_back(std::move(value));
    monitor_.notify();
  }
  T pop(std::optional<std::chrono::milliseconds> timeout = std::nullopt) {
    const MonitorLock lock(monitor_);
    TORCH_CHECK(monitor_.wait([this] { return !values_.empty(); }, timeout),
                "Timeout in DataLoader queue while waiting for next batch (timeout was ",
                timeout.value_or(std::chrono::milliseconds(0)).count(), " ms)");
    T value = std::move(values_.front());
    values_.pop_front();
    return value;
  }
  /// Drops everything; returns how much that was.
  size_t clear() {
    const MonitorLock lock(monitor_);
    const size_t count = values_.size();
    values_.clear();
    return count;
  }

 private:
  Monitor monitor_;
  std::deque<T> values_;
};

}  // namespace torch::data::detail
