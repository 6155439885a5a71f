#pragma once

#include <minima/data/pipeline.h>

#include <deque>

namespace minima::data {

/// The thread that takes batches from the pipeline, in the consumer's order, and has them copied to a device ahead of
/// the consumer. Two copies may be under way, so that the copy engine does not wait for this thread.
class Uploader {
 public:
  using Item = Pipeline::Item;  ///< its slot is one on the device

  Uploader(std::shared_ptr<Pipeline> pipeline, Ref<LoaderJob> job, Ref<Transfer> transfer, int slots, std::shared_ptr<Trace> trace);
  ~Uploader() { stop(); }

  void start();
  Item next();
  /// After Transfer::give_back.
  void release(int slot);
  /// After Pipeline::stop.
  void stop() noexcept;

  void add_to(LoaderStats& stats);
  void reset_stats();

 private:
  struct Flight {
    Item item;  ///< with the slot of the pipeline
    int slot;
    Clock::time_point begin;
  };

  void work() noexcept;
  bool begin_copy();
  void end_copy();
  bool could_begin();

  const std::shared_ptr<Pipeline> pipeline_;
  const Ref<LoaderJob> job_;
  const Ref<Transfer> transfer_;
  const std::shared_ptr<Trace> trace_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<int> free_;
  std::deque<Item> ready_;
  std::exception_ptr error_;
  bool ended_ = false;
  bool cancelled_ = false;
  StageStats stats_;
  double ready_sum_ = 0;

  // The thread's own.
  std::deque<Flight> flights_;
  Clock::time_point idle_since_{};
  std::thread thread_;
};

}  // namespace minima::data
