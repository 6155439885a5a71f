#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace minima::data {

/// Worker threads that produce numbered items ahead of a consumer, which gets them in order. Item i goes to slot
/// i mod slots and is begun only when the consumer has taken item i - slots: memory is bounded whatever the consumer
/// does. Threads live as long as this object; each is limited to one thread of its own.
class Prefetcher {
 public:
  /// produce(item, slot); what it throws reaches the consumer when that item's turn comes.
  using Produce = std::function<void(std::int64_t item, int slot)>;

  Prefetcher(int workers, int slots, Produce produce);
  ~Prefetcher();

  /// Begins a pass over the items first … last - 1. No other pass may be running.
  void start(std::int64_t first, std::int64_t last);
  /// Waits for the next item and returns its slot, which the caller empties and gives back with `release`. Rethrows
  /// what producing it threw.
  int next();
  void release();
  /// Ends the pass, finished or not: returns when no worker is busy with it.
  void stop() noexcept;

 private:
  enum class Stage : std::uint8_t { empty, ready, failed };
  struct Slot {
    Stage stage = Stage::empty;
    std::exception_ptr error;
  };

  bool may_begin() const { return begun_ < last_ && begun_ < taken_ + static_cast<std::int64_t>(slots_.size()); }
  void work();
  void join() noexcept;

  const Produce produce_;
  std::mutex mutex_;
  std::condition_variable work_to_do_;
  std::condition_variable item_done_;
  std::vector<Slot> slots_;
  std::int64_t begun_ = 0;  ///< items before it have been given to workers
  std::int64_t taken_ = 0;  ///< items before it have been released by the consumer
  std::int64_t last_ = 0;
  int busy_ = 0;
  bool quit_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace minima::data
