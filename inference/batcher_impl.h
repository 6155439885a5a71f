#pragma once

#include <minima/inference/batch_queue.h>
#include <minima/inference/batcher.h>
#include <minima/inference/thread_state.h>
#include <minima/tensor/device/stream.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace minima::inference {

/// The queue, its lock and the workers. Replies refer to it weakly, to withdraw requests.
class Batcher::Impl final : public Withdrawal, public std::enable_shared_from_this<Impl> {
 public:
  Impl(Model model, const BatcherOptions& options, std::size_t inputs);

  /// Starts the workers. If one cannot be started, ends the others and throws.
  void launch();
  Reply submit(Tensors inputs, RequestOptions options);
  bool withdraw(Request& request) override;
  void close(Waiting waiting);

  BatcherStats stats() const;
  void reset_stats();

 private:
  void check(const Tensors& inputs) const;
  void wait_for_room(std::unique_lock<std::mutex>& lock, std::int64_t rows);
  bool has_room(std::int64_t rows) const { return queue_.rows() + rows <= options_.max_queue; }

  void work();
  void serve();
  void run(const std::vector<RequestPtr>& batch, std::unique_lock<std::mutex>& lock);
  Tensors compute(std::span<const RequestPtr> batch) const;
  void count(std::span<const RequestPtr> batch, bool failed, Clock::TimePoint begin);

  const Model model_;
  const BatcherOptions options_;
  const std::size_t inputs_;  ///< that the model takes; 0: any number
  const std::shared_ptr<Clock> clock_;
  const ThreadState state_;
  const int threads_each_;
  Event created_;  ///< the creator's stream, which may have work in flight on the model's weights

  mutable std::mutex mutex_;
  std::condition_variable work_, room_;
  BatchQueue queue_;
  bool closed_ = false;
  int submitters_waiting_ = 0;
  BatcherStats counts_;
  RecentTimes waited_, served_;

  std::mutex threads_mutex_;  ///< held while joining; locked before mutex_
  std::vector<std::thread> threads_;
  std::vector<std::thread::id> ids_;
};

}  // namespace minima::inference
