#pragma once

#include <minima/data/dataset.h>
#include <minima/data/loader_options.h>
#include <minima/data/loader_stats.h>
#include <minima/data/typed_job.h>
#include <minima/io/state.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace minima::data {

/// The part of DataLoader that does not depend on the type of its batches.
class MINIMA_API LoaderBase {
 public:
  LoaderBase(const LoaderBase&) = delete;
  LoaderBase& operator=(const LoaderBase&) = delete;

  /// Batches of a whole epoch for this process. Throws ValueError for a dataset that is a stream.
  std::int64_t batches() const;
  /// The number of the epoch that a loop is in, between loops that of the next one. Starts at 0.
  std::uint64_t epoch() const;
  /// The next loop is this epoch, from its first sample.
  void set_epoch(std::uint64_t epoch);

  /// Where the loader is: seed, epoch and the samples handed over to the loop in it, whatever workers have fetched
  /// ahead, and priorities. Inside the loop that includes the current batch.
  State state_dict() const;
  /// The next loop goes on with the very next sample, with any number of workers and any batch size. Of several
  /// processes, each loads the state of one of them, and there may be another number of them. A state taken between an
  /// epoch's last batch and the end of its loop gives one empty loop. Throws ValueError if the state is of a data set of
  /// another size or of another kind of order.
  void load_state_dict(const State& state);

  /// How the stages have kept up since the beginning or `reset_stats`; best read while looping or after it.
  LoaderStats stats() const;
  void reset_stats();
  /// The latest samples that were skipped: `sample 13 (dogs/7.jpg) of epoch 0: …`.
  std::vector<std::string> faults() const;
  /// Writes the intervals of fetching, copying and of the loop's body to a JSON file for chrome://tracing or Perfetto.
  /// Between loops; needs `trace_events`.
  void write_trace(const std::string& path) const;

 protected:
  struct Impl;

  LoaderBase(std::int64_t dataset_size, LoaderOptions options, Ref<LoaderJob> job);
  ~LoaderBase();

  LoaderJob& job() const;
  static int slots(const LoaderOptions& options);
  static int device_slots(const LoaderOptions& options);

  void begin_pass();
  /// The slot of the next batch, -1 behind the last one, which ends the pass.
  int next_slot();
  void release_slot(int slot);
  void end_pass() noexcept;

 private:
  Impl* impl_;
};

/// Batches of a dataset (see dataset.h), in order, fetched ahead by worker threads and copied ahead to a device:
///
///     DataLoader loader(TensorDataset(images, labels), {.batch_size = 64, .shuffle = true, .workers = 2});
///     for (int epoch = 0; epoch < 5; ++epoch)
///       for (auto& [x, y] : loader) step(x, y);
///
/// Every loop is one epoch; leaving it early is fine, the next loop is then the next epoch. A batch belongs to the loop
/// until the next one is asked for: its memory is used again, unless a handle to it is kept or the batch is moved from.
///
/// The order of samples depends on seed, epoch and priorities alone, never on the number of workers. Of several
/// processes each gets its part of every global batch, so that what is in one depends on `batch_size * world_size` only.
///
/// What a fetch throws arrives in the loop when that batch's turn comes, with the sample indices in its text (an
/// exception that is not a minima::Error is nested in one); the loop is over then, the loader stays usable, and its state
/// names the failed batch as the next. A worker that does not come back (see `timeout` and `grace`) is left alone
/// with all that it uses, and others take its place. One loop at a time.
///
/// `collate` makes batches of the samples of a dataset with `get` or a stream (see collate.h): a Collate, or anything
/// that can be called with std::span<Sample> and returns a batch, from several threads at once.
template <class Dataset, class Collation = Collate<>>
class DataLoader : public LoaderBase {
  using Job = detail::TypedJob<Dataset, Collation>;

 public:
  using Batch = typename Job::Batch;

  explicit DataLoader(Dataset dataset, LoaderOptions options = {}, Collation collate = {})
      : DataLoader{detail::size_of_dataset(dataset), detail::prepared<Dataset>(options, dataset),  // braces: in this order
                   Ref<Job>(new Job(std::move(dataset), std::move(collate), slots(options), device_slots(options),
                                    options.pin_memory || device_slots(options) > 0))} {}
  ~DataLoader() { end_pass(); }

  const Dataset& dataset() const { return typed().dataset(); }

  struct End {};
  /// One pass; going out of scope ends it.
  class Iterator {
   public:
    explicit Iterator(DataLoader* loader) : loader_(loader), slot_(loader->next_slot()) {}
    Iterator(Iterator&& other) noexcept : loader_(std::exchange(other.loader_, nullptr)), slot_(std::exchange(other.slot_, -1)) {}
    Iterator& operator=(Iterator&&) = delete;
    ~Iterator() {
      if (!loader_) return;
      if (slot_ >= 0) loader_->release_slot(slot_);
      loader_->end_pass();
    }

    Batch& operator*() { return loader_->typed().batch(slot_); }
    Batch* operator->() { return &**this; }
    Iterator& operator++() {
      if (slot_ >= 0) loader_->release_slot(std::exchange(slot_, -1));
      slot_ = loader_->next_slot();
      return *this;
    }
    friend bool operator==(const Iterator& i, End) { return i.slot_ < 0; }

   private:
    DataLoader* loader_;
    int slot_;
  };

  Iterator begin() {
    begin_pass();
    return Iterator(this);
  }
  End end() { return {}; }

 private:
  DataLoader(std::int64_t size, LoaderOptions options, Ref<Job> job) : LoaderBase(size, std::move(options), std::move(job)) {}
  Job& typed() const { return static_cast<Job&>(job()); }
};

}  // namespace minima::data
