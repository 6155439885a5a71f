#include <torch/data/detail/threads.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace torch::data::detail {

struct Monitor::State {
  std::mutex mutex;
  std::condition_variable changed;
};

Monitor::Monitor() : state_(std::make_unique<State>()) {}
Monitor::~Monitor() = default;
void Monitor::lock() { state_->mutex.lock(); }
void Monitor::unlock() { state_->mutex.unlock(); }
void Monitor::notify() { state_->changed.notify_all(); }

bool Monitor::wait(const std::function<bool()>& ready, std::optional<std::chrono::milliseconds> timeout) {
  std::unique_lock lock(state_->mutex, std::adopt_lock);
  bool is_ready = true;
  if (timeout) is_ready = state_->changed.wait_for(lock, *timeout, ready);
  else state_->changed.wait(lock, ready);
  lock.release();  // the caller's
  return is_ready;
}

struct Threads::State {
  std::vector<std::thread> threads;
};

Threads::Threads() : state_(std::make_unique<State>()) {}
Threads::~Threads() { join(); }
void Threads::start(std::function<void()> function) { state_->threads.emplace_back(std::move(function)); }
void Threads::join() {
  for (std::thread& thread : state_->threads) thread.join();
  state_->threads.clear();
}

}  // namespace torch::data::detail
