#pragma once

#include <minima/data/loader/pipeline.h>

#include <vector>

namespace minima::data {

/// A queue with preallocated memory. A std::deque would allocate from time to time.
template <class T>
class Ring {
 public:
  explicit Ring(int capacity) : items_(static_cast<std::size_t>(capacity)) {}
  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  const T& front() const { return items_[first_]; }
  void push_back(T item) {
    if (count_ == items_.size()) grow();
    items_[(first_ + count_++) % items_.size()] = std::move(item);
  }
  void pop_front() {
    first_ = (first_ + 1) % items_.size();
    --count_;
  }
  void clear() { count_ = 0; }

 private:
  void grow() {
    std::vector<T> larger(2 * items_.size() + 1);
    for (std::size_t i = 0; i < count_; ++i) larger[i] = items_[(first_ + i) % items_.size()];
    items_ = std::move(larger);
    first_ = 0;
  }
  std::vector<T> items_;
  std::size_t first_ = 0, count_ = 0;
};

/// A thread that takes batches from the pipeline and copies them to a device ahead of the consumer. Up to two copies
/// are in flight, so the copy engine never waits for this thread.
class Uploader {
 public:
  using Item = Pipeline::Item;  ///< with a slot on the device

  Uploader(std::shared_ptr<Pipeline> pipeline, Ref<LoaderJob> job, Ref<Transfer> transfer, int slots,
           std::shared_ptr<Trace> trace);
  ~Uploader() { stop(); }

  void start();
  Item next();
  /// Call it after Transfer::release_slot.
  void release(int slot);
  /// Call it after Pipeline::stop.
  void stop() noexcept;

  void add_to(LoaderStats& stats);
  void reset_stats();

 private:
  struct Flight {
    Item item{};    ///< with the pipeline's slot
    int slot = -1;  ///< on the device
    Clock::time_point begin{};
  };

  void work() noexcept;
  bool begin_copy();
  void end_copy();
  bool can_begin();

  const std::shared_ptr<Pipeline> pipeline_;
  const Ref<LoaderJob> job_;
  const Ref<Transfer> transfer_;
  const std::shared_ptr<Trace> trace_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<int> free_;
  Ring<Item> ready_;
  std::exception_ptr error_;
  bool ended_ = false;
  bool cancelled_ = false;
  StageStats stats_;
  double ready_sum_ = 0;

  // Used by the thread alone.
  Ring<Flight> flights_{2};
  Clock::time_point idle_since_{};
  std::thread thread_;
};

}  // namespace minima::data
