#pragma once

// IWYU pragma: begin_exports
#include <minima/data/loader/job_trace.h>
#include <minima/data/loader/loader_job.h>
#include <minima/data/loader/loader_options.h>
#include <minima/data/loader/loader_stats.h>
#include <minima/tensor/device/background.h>
// IWYU pragma: end_exports

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace minima::data {

/// Describes what one loop over a loader fetches. Constant during the loop.
struct EpochPlan {
  bool stream = false;
  std::vector<std::int64_t> order;  ///< this process's samples; for a stream 0, 1, … batch_size - 1
  detail::Share share;
  std::int64_t batches = 0;
  std::int64_t skip = 0;          ///< records of a stream that an earlier loop delivered
  std::int64_t first_number = 0;  ///< the number of the first batch in messages
  FetchContext context;
};

/// Worker threads that prefetch an epoch's batches. A batch starts only once a slot is free, so memory stays bounded
/// however slow the consumer is. The loader and its workers share ownership.
class Pipeline final : public std::enable_shared_from_this<Pipeline> {
 public:
  /// A batch that the consumer holds; slot -1 marks the end of the epoch.
  struct Item {
    int slot = -1;
    std::int64_t number = 0;  ///< counted from the start of the loop
    std::int64_t taken = 0;   ///< records of a stream that it covers
    bool empty = false;       ///< every sample was skipped
  };

  Pipeline(const LoaderOptions& options, int slots, Ref<LoaderJob> job, std::shared_ptr<Trace> trace);
  /// Starts the workers. Separate from the constructor because the workers share ownership of this object.
  void launch();

  void start(EpochPlan plan);
  /// Waits for the next batch. Rethrows what fetching it threw; after the timeout, throws an Error that names the
  /// workers still busy.
  Item next();
  /// Whether `next` would return at once with a batch, an error or the end.
  bool is_ready();
  void release(int slot);
  /// Ends the epoch early or late, and waits up to the grace period for busy workers. False if one is still running.
  bool stop() noexcept;
  /// Ends the threads: joins idle ones, detaches those still busy after the grace period.
  void quit() noexcept;

  /// Where the thread that asks for batches wants to read what workers do; null for nowhere.
  void report_to(std::shared_ptr<BackgroundLog> log);
  std::shared_ptr<BackgroundLog> log();

  /// Fills in the fetch stage.
  void add_to(LoaderStats& stats);
  void reset_stats();
  std::vector<std::string> faults();

 private:
  enum class Stage : std::uint8_t { free, busy, ready, failed };
  struct BatchSlot {
    Stage stage = Stage::free;
    bool empty = false;
    std::int64_t number = 0;
    std::int64_t taken = 0;
    std::exception_ptr error;
  };
  struct WorkerStatus {
    std::int64_t number = -1;  ///< the batch in progress; -1: idle
    Clock::time_point since;
    const char* doing = "";
  };

  void work(int id);
  void fetch_next(int id, std::unique_lock<std::mutex>& lock);
  std::unique_lock<std::mutex> wait_to_read(int id, std::unique_lock<std::mutex>& lock);
  int claim_slot(int id);
  BatchSlot fetch_batch(int slot, std::int64_t number, std::unique_lock<std::mutex> reading);
  void read_and_fetch(int slot, BatchSlot& result, std::unique_lock<std::mutex>& reading);
  void settle(int id, int slot, BatchSlot result, double time);
  void set_busy(int id, std::int64_t number, const char* doing);
  void set_idle(int id);
  bool fetch(int slot, std::span<const std::int64_t> indices);
  bool fetch_survivors(int slot, std::span<const std::int64_t> indices);
  void note_fault(std::int64_t index, const std::string& what);
  int find_finished() const;
  bool has_next() const { return cancelled_ || find_finished() >= 0 || taken_ >= plan_.batches; }
  bool may_begin() const { return begun_ < plan_.batches && free_ > 0; }
  bool wait_until_idle(std::unique_lock<std::mutex>& lock);
  std::span<const std::int64_t> indices_of(std::int64_t number) const;
  std::string describe(std::int64_t number) const;
  std::exception_ptr describe_exception(std::int64_t number) const;
  std::string timeout_message();
  static std::string text_of_current_exception();

  const int prefetch_, retries_;
  const double timeout_, grace_;
  const bool in_order_, skip_errors_;
  const Ref<LoaderJob> job_;
  const std::shared_ptr<Trace> trace_;

  std::mutex mutex_;
  std::mutex read_mutex_;  ///< held while reading a stream; locked before mutex_
  std::condition_variable work_available_;
  std::condition_variable batch_done_;
  EpochPlan plan_;
  std::shared_ptr<BackgroundLog> log_;
  std::vector<BatchSlot> slots_;
  std::vector<WorkerStatus> workers_;
  int free_ = 0;
  int busy_ = 0;
  std::int64_t begun_ = 0;  ///< number of batches started
  std::int64_t next_ = 0;   ///< with in_order, the number of the next batch to deliver
  std::int64_t taken_ = 0;  ///< number of batches delivered
  bool opened_ = false;     ///< whether the stream is open
  bool cancelled_ = false;
  bool quit_ = false;
  std::vector<std::thread> threads_;
  StageStats fetched_;
  double ready_sum_ = 0;
  std::atomic<std::int64_t> skipped_{0}, retried_{0};
  std::vector<std::string> faults_;
};

}  // namespace minima::data
