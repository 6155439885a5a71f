#pragma once

#include <minima/data/loader/loader_job.h>
#include <minima/data/loader/loader_options.h>
#include <minima/data/loader/loader_stats.h>
#include <minima/data/loader/trace.h>

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

/// What one loop over a loader fetches. Constant while it runs.
struct Pass {
  bool stream = false;
  std::vector<std::int64_t> order;  ///< this process's samples; of a stream 0, 1, … batch_size - 1
  LoaderJob::Part part;
  std::int64_t items = 0;         ///< batches
  std::int64_t skip = 0;          ///< records of a stream that had been delivered before
  std::int64_t first_number = 0;  ///< what the first batch is called in messages
  FetchContext context;
};

/// Worker threads that fetch the numbered batches of a pass ahead of a consumer. A batch is begun only when one of the
/// slots is free, so memory is bounded whatever the consumer does. Shared by the loader and its workers.
class Pipeline final : public std::enable_shared_from_this<Pipeline> {
 public:
  /// A batch in the consumer's hands; slot -1 is the end of the pass.
  struct Item {
    int slot = -1;
    std::int64_t number = 0;  ///< counted from the pass's beginning
    std::int64_t taken = 0;   ///< records of a stream that it stands for
    bool empty = false;       ///< all its samples were skipped
  };

  Pipeline(const LoaderOptions& options, int slots, Ref<LoaderJob> job, std::shared_ptr<Trace> trace);
  /// Starts the workers. Apart from construction because they share this object.
  void launch();

  void start(Pass pass);
  /// Waits for the next batch; rethrows what fetching it threw, or says after the timeout which worker holds it up.
  Item next();
  /// The same without waiting: false if nothing is ready, be it a batch, an error or the end.
  bool is_ready();
  void release(int slot);
  /// Ends the pass, finished or not, and waits for busy workers up to the grace period; false if one did not return.
  bool stop() noexcept;
  /// Ends the threads: joins those that come, leaves those alone that are busy after the grace period.
  void quit() noexcept;

  /// Adds the workers' part.
  void add_to(LoaderStats& stats);
  void reset_stats();
  std::vector<std::string> faults();

 private:
  enum class Stage : std::uint8_t { free, busy, ready, failed };
  struct Slot {
    Stage stage = Stage::free;
    bool empty = false;
    std::int64_t number = 0;
    std::int64_t taken = 0;
    std::exception_ptr error;
  };
  struct Worker {
    std::int64_t number = -1;  ///< the batch that it is busy with
    Clock::time_point since;
    const char* doing = "";
  };

  void work(int id);
  void run_item(int id, std::unique_lock<std::mutex>& lock);
  void produce(int id, Slot& result, int slot);
  bool fetch(int slot, std::span<const std::int64_t> indices);
  bool fetch_survivors(int slot, std::span<const std::int64_t> indices);
  void note_fault(std::int64_t index, const std::string& what);
  int find_slot() const;
  bool may_begin() const { return begun_ < pass_.items && free_ > 0; }
  bool wait_until_idle(std::unique_lock<std::mutex>& lock);
  std::span<const std::int64_t> indices_of(std::int64_t number) const;
  std::string describe(std::int64_t number) const;
  std::string stuck_message();
  static std::string text_of_current_exception();

  const int prefetch_, retries_;
  const double timeout_, grace_;
  const bool in_order_, skip_errors_;
  const Ref<LoaderJob> job_;
  const std::shared_ptr<Trace> trace_;

  std::mutex mutex_;
  std::mutex read_mutex_;  ///< taken before mutex_: whoever reads a stream
  std::condition_variable work_to_do_;
  std::condition_variable item_done_;
  Pass pass_;
  std::vector<Slot> slots_;
  std::vector<Worker> workers_;
  int free_ = 0;
  int busy_ = 0;
  std::int64_t begun_ = 0;  ///< batches before it have been begun
  std::int64_t next_ = 0;   ///< batches before it have been taken, where the order counts
  std::int64_t taken_ = 0;  ///< how many have been taken
  bool opened_ = false;     ///< the stream of this pass
  bool cancelled_ = false;
  bool quit_ = false;
  std::vector<std::thread> threads_;
  StageStats fetched_;
  double ready_sum_ = 0;
  std::atomic<std::int64_t> skipped_{0}, retried_{0};
  std::vector<std::string> faults_;
};

}  // namespace minima::data
