#include <minima/data/prefetcher.h>

#include <minima/tensor/parallel.h>

#include <pthread.h>
#include <signal.h>

namespace minima::data {

Prefetcher::Prefetcher(int workers, int slots, Produce produce)
    : produce_(std::move(produce)), slots_(static_cast<std::size_t>(slots)) {
  // Signals are the program's business: its threads get them, not ours, which inherit this mask.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { work(); });
  } catch (...) {  // the destructor does not run after a throwing constructor
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    join();
    throw;
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Prefetcher::~Prefetcher() {
  stop();
  join();
}

void Prefetcher::join() noexcept {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  work_to_do_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Prefetcher::start(std::int64_t first, std::int64_t last) {
  {
    const std::lock_guard lock(mutex_);
    begun_ = taken_ = first;
    last_ = last;
    for (Slot& slot : slots_) slot = {};
  }
  work_to_do_.notify_all();
}

int Prefetcher::next() {
  std::unique_lock lock(mutex_);
  const auto index = static_cast<std::size_t>(taken_) % slots_.size();
  Slot& slot = slots_[index];
  item_done_.wait(lock, [&] { return slot.stage != Stage::empty; });
  if (slot.stage == Stage::failed) std::rethrow_exception(slot.error);
  return static_cast<int>(index);
}

void Prefetcher::release() {
  {
    const std::lock_guard lock(mutex_);
    slots_[static_cast<std::size_t>(taken_) % slots_.size()] = {};
    ++taken_;
  }
  work_to_do_.notify_one();
}

void Prefetcher::stop() noexcept {
  std::unique_lock lock(mutex_);
  last_ = begun_;
  item_done_.wait(lock, [&] { return busy_ == 0; });
  for (Slot& slot : slots_) slot = {};
}

void Prefetcher::work() {
  ::pthread_setname_np(::pthread_self(), "minima-data");
  set_thread_limit(1);
  std::unique_lock lock(mutex_);
  while (true) {
    work_to_do_.wait(lock, [&] { return quit_ || may_begin(); });
    if (quit_) return;
    const std::int64_t item = begun_++;
    const auto index = static_cast<std::size_t>(item) % slots_.size();
    ++busy_;
    lock.unlock();
    Slot result{.stage = Stage::ready, .error = nullptr};
    try {
      produce_(item, static_cast<int>(index));
    } catch (...) {
      result = {.stage = Stage::failed, .error = std::current_exception()};
    }
    lock.lock();
    --busy_;
    slots_[index] = std::move(result);
    item_done_.notify_all();
  }
}

}  // namespace minima::data
