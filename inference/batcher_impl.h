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
  void check_wait() const override;
  void close(Waiting waiting);
  /// Ends the workers, for Batcher's destructor. On a worker, which cannot wait for itself, and in a forked child,
  /// which has no workers, it closes without waiting. Returns whether the workers are gone.
  bool end() noexcept;

  BatcherStats stats() const;
  void reset_stats();

 private:
  void check(const Tensors& inputs) const;
  /// Throws in a forked child.
  void check_process(const char* call) const;
  /// Whether the calling thread is one of this batcher's workers.
  bool runs_here() const;
  /// Whether it is one of any batcher's.
  static bool is_worker();
  void refuse_requests(Waiting waiting);
  void wait_for_room(std::unique_lock<std::mutex>& lock, std::int64_t rows);
  bool has_room(std::int64_t rows) const { return queue_.rows() + rows <= options_.max_queue; }

  void work();
  void serve();
  void run(const std::vector<RequestPtr>& batch, std::unique_lock<std::mutex>& lock);
  Tensors compute(std::span<const RequestPtr> batch) const;
  void count(std::span<const RequestPtr> batch, bool failed, Clock::TimePoint begin);
  /// Counts what a callback threw, if anything.
  void note(const std::exception_ptr& thrown);

  const Model model_;
  const BatcherOptions options_;
  const std::size_t inputs_;  ///< that the model takes; 0: any number
  const std::shared_ptr<Clock> clock_;
  const ThreadState state_;
  const int threads_each_;
  const int process_;  ///< that has the workers
  Event created_;      ///< the creator's stream, which may have work in flight on the model's weights

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
