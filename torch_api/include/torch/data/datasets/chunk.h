#pragma once

#include <torch/arg.h>
#include <torch/data/datasets/stateful.h>
#include <torch/data/detail/threads.h>
#include <torch/data/samplers/random.h>
#include <torch/data/worker_exception.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <iterator>

namespace torch::data::datasets {

/// Reads chunks, which are lists of examples. A reader defines `BatchType`, which is `ChunkType`. Several preloaders
/// call `read_chunk` at a time.
template <typename ExampleType_, typename ChunkType_ = std::vector<ExampleType_>>
class ChunkDataReader {
 public:
  using ChunkType = ChunkType_;
  using ExampleType = ExampleType_;

  virtual ~ChunkDataReader() = default;
  virtual ChunkType read_chunk(size_t chunk_index) = 0;
  virtual size_t chunk_count() = 0;
  virtual void reset() = 0;
};

namespace detail {

/// Cuts chunks into batches: preloaders put chunks in, readers take batches out.
template <typename UnwrappedBatch, typename ExampleSampler = samplers::RandomSampler>
class BatchDataBuffer {
 public:
  BatchDataBuffer(size_t batch_size, ExampleSampler& example_sampler, size_t capacity)
      : batch_size_(batch_size), example_sampler_(example_sampler), capacity_(capacity) {}

  /// Waits for a full batch, or for the last ones, which may be smaller. nullopt when there are no more.
  std::optional<UnwrappedBatch> get_batch() {
    const data::detail::MonitorLock lock(monitor_);
    monitor_.wait(
        [this] { return stopped_ || examples_ >= batch_size_ || (!batches_.empty() && batches_.front().exception); });
    if (batches_.empty()) return std::nullopt;
    Entry entry = std::move(batches_.front());
    batches_.pop_front();
    examples_ -= entry.batch.size();
    monitor_.notify();
    if (entry.exception) throw WorkerException(entry.exception);
    return std::move(entry.batch);
  }

  /// Waits while the buffer is full, and drops the chunk if the buffer has been stopped.
  void add_chunk_data(UnwrappedBatch chunk) {
    const data::detail::MonitorLock lock(monitor_);
    if (!wait_for_room()) return;
    example_sampler_.reset(chunk.size());
    for (size_t left = chunk.size(); left > 0;) {
      if (batches_.empty() || batches_.back().exception || batches_.back().batch.size() >= batch_size_)
        batches_.emplace_back().batch.reserve(batch_size_);
      UnwrappedBatch& batch = batches_.back().batch;
      const size_t wanted = std::min(left, batch_size_ - batch.size());
      const auto indices = example_sampler_.next(wanted);
      TORCH_CHECK(indices && indices->size() == wanted, "The example sampler ended before the chunk did");
      for (const size_t i : *indices) {
        TORCH_CHECK(i < chunk.size(), "Index out of range");
        batch.emplace_back(std::move(chunk[i]));
      }
      examples_ += wanted;
      left -= wanted;
    }
    monitor_.notify();
  }
  /// The reader that comes to it throws the exception.
  void add_chunk_data(std::exception_ptr exception) {
    const data::detail::MonitorLock lock(monitor_);
    if (!wait_for_room()) return;
    batches_.emplace_back().exception = exception;
    monitor_.notify();
  }

  /// No more chunks come or are wanted.
  void stop() {
    const data::detail::MonitorLock lock(monitor_);
    stopped_ = true;
    monitor_.notify();
  }

 private:
  struct Entry {
    UnwrappedBatch batch{};
    std::exception_ptr exception{};
  };
  bool wait_for_room() {
    monitor_.wait([this] { return stopped_ || examples_ < capacity_; });
    return !stopped_;
  }

  const size_t batch_size_;
  ExampleSampler& example_sampler_;
  const size_t capacity_;
  data::detail::Monitor monitor_;
  std::deque<Entry> batches_;
  size_t examples_ = 0;
  bool stopped_ = false;
};

}  // namespace detail

struct ChunkDatasetOptions {
  ChunkDatasetOptions(size_t preloader_count, size_t batch_size, size_t cache_size = 2048,
                      size_t cross_chunk_shuffle_count = 1);
  /// Threads that read chunks.
  TORCH_ARG(size_t, preloader_count);
  TORCH_ARG(size_t, batch_size);
  /// No further chunk is added while the buffer holds so many examples.
  TORCH_ARG(size_t, cache_size) = 2048;
  /// Chunks whose examples are shuffled together.
  TORCH_ARG(size_t, cross_chunk_shuffle_count) = 1;
};

/// Reads chunks ahead of time, in an order of its own, and returns them as batches.
template <typename ChunkReader, typename ChunkSampler = samplers::RandomSampler,
          typename ExampleSampler = samplers::RandomSampler>
class ChunkDataset final : public StatefulDataset<ChunkDataset<ChunkReader, ChunkSampler, ExampleSampler>,
                                                  typename ChunkReader::BatchType, size_t> {
 public:
  using BatchType = std::optional<typename ChunkReader::BatchType>;
  using UnwrappedBatchType = typename ChunkReader::BatchType;
  using BatchRequestType = size_t;
  using ChunkSamplerType = ChunkSampler;
  using ExampleSamplerType = ExampleSampler;

  /// `preprocessing_policy` changes the chunks that are shuffled together, before they are cut into batches.
  ChunkDataset(ChunkReader chunk_reader, ChunkSampler chunk_sampler, ExampleSampler example_sampler,
               ChunkDatasetOptions options, std::function<void(UnwrappedBatchType&)> preprocessing_policy = nullptr)
      : chunk_reader_(std::move(chunk_reader)),
        chunk_sampler_(std::move(chunk_sampler)),
        example_sampler_(std::move(example_sampler)),
        options_(options),
        preprocessing_policy_(std::move(preprocessing_policy)) {}
  ~ChunkDataset() override { stop(); }

  BatchType get_batch(size_t batch_size) override {
    TORCH_CHECK(buffer_ != nullptr, "Dataset needs to call reset() before calling get_batch().");
    TORCH_CHECK(batch_size == options_.batch_size(),
                "The requested batch size does not match with the initialized batch size.\n The requested batch size "
                "is ",
                batch_size, ", while the dataset is created with batch size equal to ", options_.batch_size());
    return buffer_->get_batch();
  }
  BatchType get_batch() { return get_batch(options_.batch_size()); }

  /// Begins an epoch: all chunks, or after `load` those that were left.
  void reset() override {
    stop();
    if (!std::exchange(is_loaded_, false)) {
      chunk_reader_.reset();
      chunk_sampler_.reset(chunk_reader_.chunk_count());
    }
    buffer_ = std::make_unique<Buffer>(options_.batch_size(), example_sampler_, options_.cache_size());
    quit_ = false;
    running_ = options_.preloader_count();
    for (size_t i = 0; i < options_.preloader_count(); ++i) preloaders_.start([this] { preload(); });
  }

  std::optional<size_t> size() const override { return std::nullopt; }
  ChunkSamplerType& chunk_sampler() { return chunk_sampler_; }

  /// The chunk sampler's state. Chunks that have been read but not returned count as visited.
  void save(serialize::OutputArchive& archive) const override {
    const data::detail::MonitorLock lock(monitor_);
    chunk_sampler_.save(archive);
  }
  void load(serialize::InputArchive& archive) override {
    const data::detail::MonitorLock lock(monitor_);
    chunk_sampler_.load(archive);
    is_loaded_ = true;
  }

 private:
  using Buffer = detail::BatchDataBuffer<UnwrappedBatchType, ExampleSamplerType>;

  void stop() {
    {
      const data::detail::MonitorLock lock(monitor_);
      quit_ = true;
    }
    if (buffer_) buffer_->stop();
    preloaders_.join();
  }

  void preload() {
    while (true) {
      try {
        std::optional<std::vector<size_t>> chunks = next_chunks();
        if (!chunks) break;
        UnwrappedBatchType data = read(*chunks);
        if (preprocessing_policy_) preprocessing_policy_(data);
        if (!data.empty()) buffer_->add_chunk_data(std::move(data));
      } catch (...) {
        buffer_->add_chunk_data(std::current_exception());
      }
    }
    const data::detail::MonitorLock lock(monitor_);
    if (--running_ == 0) buffer_->stop();
  }
  std::optional<std::vector<size_t>> next_chunks() {
    const data::detail::MonitorLock lock(monitor_);
    if (quit_) return std::nullopt;
    return chunk_sampler_.next(options_.cross_chunk_shuffle_count());
  }
  UnwrappedBatchType read(const std::vector<size_t>& chunks) {
    UnwrappedBatchType data = chunk_reader_.read_chunk(chunks.at(0));
    for (size_t i = 1; i < chunks.size(); ++i) {
      UnwrappedBatchType more = chunk_reader_.read_chunk(chunks[i]);
      std::move(more.begin(), more.end(), std::back_inserter(data));
    }
    return data;
  }

  ChunkReader chunk_reader_;
  ChunkSamplerType chunk_sampler_;
  ExampleSamplerType example_sampler_;
  const ChunkDatasetOptions options_;
  std::function<void(UnwrappedBatchType&)> preprocessing_policy_;
  mutable data::detail::Monitor monitor_;  ///< guards the chunk sampler and what follows
  bool quit_ = false, is_loaded_ = false;
  size_t running_ = 0;
  std::unique_ptr<Buffer> buffer_;
  data::detail::Threads preloaders_;
};

}  // namespace torch::data::datasets
