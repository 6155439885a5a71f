#pragma once

#include <minima/data/dataset.h>
#include <minima/data/loader/loader_options.h>
#include <minima/data/loader/loader_stats.h>
#include <minima/data/loader/typed_job.h>
#include <minima/io/state.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace minima::data {

class LoaderBase;

namespace detail {

/// Tells an iterator whether its loader still lives.
struct LoaderLink : Counted {
  explicit LoaderLink(LoaderBase* l) : loader(l) {}
  LoaderBase* loader;
};
/// Throws ValueError: the loader of an iterator is gone, or the iterator is at the end.
[[noreturn]] MINIMA_API void refuse_iterator(bool has_loader);

}  // namespace detail

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
  /// epoch's last batch and the end of its loop gives one empty loop. Throws ValueError if the state is of a data set
  /// of another size or of another kind of order.
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

  /// Throws in a forked child, which has none of the threads that its parent started.
  void begin_pass();
  /// The slot of the next batch, -1 behind the last one, which ends the pass.
  int next_slot();
  void release_slot(int slot);
  void end_pass() noexcept;
  /// What iterators know of the loader.
  const Ref<detail::LoaderLink>& link() const;

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
/// processes each gets its part of every global batch, so that what is in one depends on `batch_size * world_size`
/// only.
///
/// What a fetch throws arrives in the loop when that batch's turn comes, with the sample indices in its text (an
/// exception that is not a minima::Error, whatever its type, is nested in one); the loop is over then, the loader stays
/// usable, and its state names the failed batch as the next. A worker that does not come back (see `timeout` and
/// `grace`) is left alone with all that it uses, and others take its place. One loop at a time, and in the process that
/// began the first one: a forked child has none of its parent's workers and is told so.
///
/// The batch of a temporary iterator is the caller's: `auto [x, y] = *loader.begin();`. (g++ takes
/// `DataLoader loader(TensorDataset(images), {…})`, with one name in parentheses, for a function; use braces there.)
///
/// `collate` makes batches of the samples of a dataset with `get` or a stream (see collate.h): a Collate, or anything
/// that can be called with std::span<Sample> and returns a batch, from several threads at once.
template <class Dataset, class Collation = Collate<>>
class DataLoader : public LoaderBase {
  using Mistake = detail::DatasetMistake;
  static constexpr Mistake found = detail::find_mistake<Dataset, Collation>();
  static_assert(found != Mistake::no_size, "a dataset needs `std::int64_t size() const`");
  static_assert(found != Mistake::no_get,
                "a dataset needs `Sample get(std::int64_t index) const` or `Batch fetch(std::span<const "
                "std::int64_t> indices) const`");
  static_assert(found != Mistake::not_const,
                "a dataset's size, get, fetch and open must be const: several threads call them at once");
  static_assert(found != Mistake::stream,
                "what a dataset's open returns needs a type `Record` and `bool next(Record&)`");
  static_assert(found != Mistake::collation, "collate must take a std::span of the dataset's samples and be const");
  using Job = detail::JobOf<found == Mistake::none, Dataset, Collation>;

 public:
  using Batch = typename Job::Batch;

  explicit DataLoader(Dataset dataset, LoaderOptions options = {}, Collation collate = {})
      : DataLoader{detail::size_of_dataset(dataset),
                   detail::prepared<Dataset>(options, dataset),  // braces: in this order
                   Ref<Job>(new Job(std::move(dataset), std::move(collate), slots(options), device_slots(options),
                                    options.pin_memory || device_slots(options) > 0))} {}
  ~DataLoader() { end_pass(); }

  const Dataset& dataset() const { return typed().dataset(); }

  struct End {};
  /// One pass; going out of scope ends it.
  class Iterator {
   public:
    explicit Iterator(DataLoader* loader) : link_(loader->link()), slot_(loader->next_slot()) {}
    Iterator(Iterator&& other) noexcept : link_(std::move(other.link_)), slot_(std::exchange(other.slot_, -1)) {}
    Iterator& operator=(Iterator&&) = delete;
    ~Iterator() {
      if (slot_ < 0 || !link_->loader) return;
      loader().release_slot(slot_);
      loader().end_pass();
    }

    /// The batch, which belongs to the loop until the next one is asked for.
    Batch& operator*() & { return loader().typed().batch(slot_); }
    /// Hands the batch over, since nothing else keeps it: `auto [x, y] = *loader.begin();`.
    Batch operator*() && { return std::move(**this); }
    Batch* operator->() { return &**this; }
    Iterator& operator++() {
      loader().release_slot(std::exchange(slot_, -1));
      slot_ = loader_of(link_).next_slot();
      return *this;
    }
    friend bool operator==(const Iterator& i, End) { return i.slot_ < 0; }

   private:
    static DataLoader& loader_of(const Ref<detail::LoaderLink>& link) {
      return static_cast<DataLoader&>(*link->loader);
    }
    DataLoader& loader() const {
      if (slot_ < 0 || !link_->loader) detail::refuse_iterator(slot_ < 0 || link_->loader);
      return loader_of(link_);
    }

    Ref<detail::LoaderLink> link_;
    int slot_;  ///< -1: the pass is over
  };

  Iterator begin() {
    begin_pass();
    return Iterator(this);
  }
  End end() { return {}; }

 private:
  DataLoader(std::int64_t size, LoaderOptions options, Ref<Job> job)
      : LoaderBase(size, std::move(options), std::move(job)) {}
  Job& typed() const { return static_cast<Job&>(job()); }
};

}  // namespace minima::data
