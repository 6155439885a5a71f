#pragma once

#include <torch/data/dataloader_options.h>
#include <torch/data/detail/data_shuttle.h>
#include <torch/data/detail/sequencers.h>
#include <torch/data/iterator.h>
#include <torch/data/worker_exception.h>

namespace torch::data {

/// Loads batches in worker threads, or in the thread that iterates. A range: `for (auto& batch : *loader)` is an epoch.
template <typename Dataset, typename Batch, typename BatchRequest>
class DataLoaderBase {
 public:
  using BatchType = Batch;
  using BatchRequestType = BatchRequest;

  explicit DataLoaderBase(DataLoaderOptions options, std::unique_ptr<Dataset> main_thread_dataset = nullptr)
      : options_(options), main_thread_dataset_(std::move(main_thread_dataset)), sequencer_(new_sequencer()) {}
  DataLoaderBase(const DataLoaderBase&) = delete;
  DataLoaderBase& operator=(const DataLoaderBase&) = delete;
  virtual ~DataLoaderBase() { join(); }

  /// Begins an epoch. Throws if workers are still busy with another iterator's.
  Iterator<Batch> begin() {
    TORCH_CHECK(shuttle_.in_flight_jobs() == 0,
                "Attempted to get a new DataLoader iterator while another iterator is not yet exhausted");
    reset();
    return Iterator<Batch>([this] { return next(); });
  }
  Iterator<Batch> end() { return {}; }

  /// Ends the workers.
  void join() {
    if (std::exchange(joined_, true)) return;
    shuttle_.drain();
    for (size_t i = 0; i < options_.workers; ++i) shuttle_.push_job({});
    workers_.join();
  }

  const FullDataLoaderOptions& options() const noexcept { return options_; }

 protected:
  /// Without a request: the worker ends.
  struct Job {
    std::optional<BatchRequest> batch_request;
    size_t sequence_number = 0;
  };
  struct Result {
    std::optional<Batch> batch;
    std::exception_ptr exception;
    size_t sequence_number = 0;
  };

  /// Chooses what to load next; nullopt at the end of the epoch.
  virtual std::optional<BatchRequestType> get_batch_request() = 0;

  virtual void reset() {
    shuttle_.drain();
    sequence_number_ = 0;
    sequencer_ = new_sequencer();
    request(options_.max_jobs);
  }

  /// Asks for up to `count` more batches.
  void request(size_t count) {
    for (; count > 0; --count) {
      std::optional<BatchRequest> wanted = get_batch_request();
      if (!wanted) return;
      shuttle_.push_job({std::move(wanted), sequence_number_++});
    }
  }

  std::optional<BatchType> next() {
    if (options_.workers == 0) {
      std::optional<BatchRequest> wanted = get_batch_request();
      if (!wanted) return std::nullopt;
      return main_thread_dataset_->get_batch(std::move(*wanted));
    }
    // A stateful dataset may end before the jobs do, so that several results have no batch.
    while (std::optional<Result> result = sequencer_->next([this] { return shuttle_.pop_result(options_.timeout); })) {
      if (result->exception) throw WorkerException(result->exception);
      if (!result->batch) continue;
      request(1);
      return std::move(result->batch);
    }
    return std::nullopt;
  }

  /// Runs in each worker.
  void worker_thread(Dataset& dataset) {
    while (true) {
      Job job = shuttle_.pop_job();
      if (!job.batch_request) return;
      Result result{.batch = std::nullopt, .exception = nullptr, .sequence_number = job.sequence_number};
      try {
        result.batch = dataset.get_batch(std::move(*job.batch_request));
      } catch (...) {
        result.exception = std::current_exception();
      }
      shuttle_.push_result(std::move(result));
    }
  }

  std::unique_ptr<detail::sequencers::Sequencer<Result>> new_sequencer() const {
    if (options_.enforce_ordering)
      return std::make_unique<detail::sequencers::OrderedSequencer<Result>>(options_.max_jobs);
    return std::make_unique<detail::sequencers::NoSequencer<Result>>();
  }

  const FullDataLoaderOptions options_;
  /// Present in a stateful loader and in one without workers.
  std::unique_ptr<Dataset> main_thread_dataset_;
  size_t sequence_number_ = 0;
  detail::DataShuttle<Job, Result> shuttle_;
  std::unique_ptr<detail::sequencers::Sequencer<Result>> sequencer_;
  detail::Threads workers_;
  bool joined_ = false;
};

}  // namespace torch::data
