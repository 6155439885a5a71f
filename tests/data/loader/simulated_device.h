#pragma once

#include <minima/data/loader/transfer.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

// A device of two engines that only sleep, each a real thread with a queue: one copies, one computes. Events order
// them, as on a GPU: enqueueing does not wait.

namespace minima::data::test {

using Clock = std::chrono::steady_clock;

/// Set once; engines and hosts wait for it.
class Event {
 public:
  void set() {
    const std::lock_guard lock(mutex_);  // held while notifying, since the waiting thread may then destroy this
    set_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return set_; });
  }
  bool is_set() {
    const std::lock_guard lock(mutex_);
    return set_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool set_ = false;
};

/// Runs what is enqueued, in order.
class Engine {
 public:
  Engine() : thread_([this] { run(); }) {}
  ~Engine() {
    enqueue(nullptr);
    thread_.join();
  }
  void enqueue(std::function<void()> task) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_all();
  }
  void drain() {
    Event done;
    enqueue([&] { done.set(); });
    done.wait();
  }

 private:
  void run() {
    while (true) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !tasks_.empty(); });
      std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      if (!task) return;
      task();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::thread thread_;
};

class SimulatedDevice final : public Transfer {
 public:
  SimulatedDevice(int slots, std::chrono::microseconds copy_time)
      : copy_time_(copy_time), copied_(static_cast<std::size_t>(slots)), free_(static_cast<std::size_t>(slots)) {
    for (auto& event : free_) {
      event = std::make_shared<Event>();
      event->set();
    }
    for (auto& event : copied_) event = std::make_shared<Event>();
  }
  ~SimulatedDevice() override {
    copies_.drain();
    computations_.drain();
  }

  Tensor allocate(const Shape& shape, DType dtype) override {
    ++allocations;
    return empty(shape, {.dtype = dtype});
  }
  void wait_free(int slot) override { event(free_, slot)->wait(); }
  bool is_free(int slot) override { return event(free_, slot)->is_set(); }
  void copy(const Tensor& from, const Tensor& to) override {
    copies_.enqueue([this, from_memory = from.raw_data(), to_memory = to.raw_data(),
                     bytes = static_cast<std::size_t>(from.numel()) * from.itemsize()] {
      std::this_thread::sleep_for(copy_time_);
      __builtin_memcpy(to_memory, from_memory, bytes);
    });
  }
  void finish(int slot) override {
    auto done = std::make_shared<Event>();
    set_event(copied_, slot, done);
    copies_.enqueue([done] { done->set(); });
  }
  void wait_copied(int slot) override { event(copied_, slot)->wait(); }
  void acquire_slot(int slot) override {
    computations_.enqueue([this, done = event(copied_, slot)] {
      const auto begin = Clock::now();
      done->wait();
      if (computed_ > 0) waited_ += Clock::now() - begin;  // the first batch overlaps with no computation
    });
  }
  void release_slot(int slot) override {
    auto done = std::make_shared<Event>();
    set_event(free_, slot, done);
    computations_.enqueue([done] { done->set(); });
  }

  /// The loop's body: enqueues work of this duration and returns.
  void compute(std::chrono::microseconds time, std::function<void()> then = [] {}) {
    computations_.enqueue([this, time, then] {
      const auto begin = Clock::now();
      if (computed_++ == 0) first_ = begin;
      std::this_thread::sleep_for(time);
      then();
      last_ = Clock::now();
      worked_ += last_ - begin;
    });
  }
  /// The fraction of time between the first and the last computation in which the engine was idle.
  double idle_share() {
    computations_.drain();
    return 1 - std::chrono::duration<double>(worked_) / std::chrono::duration<double>(last_ - first_);
  }

  std::atomic<int> allocations{0};

 private:
  using Events = std::vector<std::shared_ptr<Event>>;
  std::shared_ptr<Event> event(const Events& events, int slot) {
    const std::lock_guard lock(mutex_);
    return events[static_cast<std::size_t>(slot)];
  }
  void set_event(Events& events, int slot, std::shared_ptr<Event> value) {
    const std::lock_guard lock(mutex_);
    events[static_cast<std::size_t>(slot)] = std::move(value);
  }

  const std::chrono::microseconds copy_time_;
  std::mutex mutex_;
  Events copied_, free_;
  // Of the computing engine's thread; read after `drain`.
  int computed_ = 0;
  Clock::duration worked_{}, waited_{};
  Clock::time_point first_{}, last_{};
  Engine copies_, computations_;
};

}  // namespace minima::data::test
