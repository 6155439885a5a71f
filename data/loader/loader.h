#pragma once

// IWYU pragma: begin_exports
#include <minima/data/dataset.h>
#include <minima/data/loader/loader_options.h>
#include <minima/data/loader/loader_stats.h>
#include <minima/data/loader/typed_job.h>
#include <minima/io/state.h>
// IWYU pragma: end_exports

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace minima::data {

class LoaderBase;

namespace detail {

/// Tells iterators whether their loader still exists.
struct LoaderLink : Counted {
  explicit LoaderLink(LoaderBase* l) : loader(l) {}
  LoaderBase* loader;
};
/// Throws the ValueError of an iterator that is at the end or has outlived its loader.
[[noreturn]] MINIMA_API void refuse_iterator(bool has_loader);

}  // namespace detail

/// The part of DataLoader that is independent of the batch type.
class MINIMA_API LoaderBase {
 public:
  LoaderBase(const LoaderBase&) = delete;
  LoaderBase& operator=(const LoaderBase&) = delete;

  /// The number of batches in a full epoch for this process. Throws ValueError for a stream.
  std::int64_t batches() const;
  /// The current epoch inside a loop, the next one between loops. Starts at 0.
  std::uint64_t epoch() const;
  /// The next loop runs this epoch from its first sample.
  void set_epoch(std::uint64_t epoch);

  /// The loader's position: seed, epoch, samples delivered to the loop (the current batch included, prefetched ones
  /// not) and priorities.
  State state_dict() const;
  /// The next loop resumes at the next sample. Workers, batch size and world size may differ from the saved run; with
  /// several processes, every rank loads the state of any one rank. A state saved between an epoch's last batch and the
  /// end of its loop gives one empty loop. Throws ValueError if the dataset's size or the kind of order differs.
  void load_state_dict(const State& state);

  /// Throughput of each stage since construction or `reset_stats`. Read it inside a loop or right after one.
  LoaderStats stats() const;
  void reset_stats();
  /// The most recently skipped samples: `sample 13 (dogs/7.jpg) of epoch 0: …`.
  std::vector<std::string> faults() const;
  /// Writes a timeline of fetches, copies and loop bodies as JSON for chrome://tracing or Perfetto. Call it between
  /// loops; needs `trace_events`.
  void write_trace(const std::string& path) const;

 protected:
  struct Impl;

  LoaderBase(std::int64_t dataset_size, LoaderOptions options, Ref<LoaderJob> job);
  ~LoaderBase();

  LoaderJob& job() const;
  static int slots(const LoaderOptions& options);
  static int device_slots(const LoaderOptions& options);

  /// Throws in a forked child, since threads do not survive a fork.
  void begin_loop();
  /// The slot of the next batch; -1, which ends the loop, after the last one.
  int next_slot();
  void release_slot(int slot);
  void end_loop() noexcept;
  const Ref<detail::LoaderLink>& link() const;

 private:
  Impl* impl_;
};

/// Iterates over the batches of a dataset (see dataset.h). Worker threads prefetch them, and with a device another
/// thread copies them there ahead of the loop:
///
///     DataLoader loader(TensorDataset(images, labels), {.batch_size = 64, .shuffle = true, .workers = 2});
///     for (int epoch = 0; epoch < 5; ++epoch)
///       for (auto& [x, y] : loader) step(x, y);
///
/// Each loop is one epoch. A loop may be left early; the next one then starts the next epoch. A batch is valid until
/// the next one is requested. Its memory is then reused, unless the program keeps a handle to it or has moved it away.
///
/// The order of samples depends only on seed, epoch and priorities, never on the number of workers. With several
/// processes, each gets its share of every global batch, whose contents depend only on `batch_size * world_size`.
///
/// An exception thrown by a fetch is rethrown in the loop at that batch's turn, with the sample indices in its text;
/// one that is not a minima::Error is nested in one. That ends the loop. The loader stays usable, and its state resumes
/// at the failed batch. A worker that hangs (see `timeout` and `grace`) is abandoned and replaced. Only one loop may
/// run at a time, in the process that ran the first: a forked child gets an Error.
///
/// Dereferencing a temporary iterator moves the batch out: `auto [x, y] = *loader.begin();`. (g++ parses
/// `DataLoader loader(TensorDataset(images), {…})`, with one name in parentheses, as a function; use braces there.)
///
/// `collate` turns samples into a batch, for streams and for datasets with `get` (see collate.h). It is a Collate or
/// any callable that takes std::span<Sample> and returns a batch. Several threads call it at once.
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
                "the stream that a dataset's open returns needs a type `Record` and `bool next(Record&)`");
  static_assert(found != Mistake::collation, "collate must take a std::span of the dataset's samples and be const");
  using Job = detail::JobOf<found == Mistake::none, Dataset, Collation>;

 public:
  using Batch = typename Job::Batch;

  explicit DataLoader(Dataset dataset, LoaderOptions options = {}, Collation collate = {})
      : DataLoader{detail::size_of_dataset(dataset),
                   detail::prepared<Dataset>(options, dataset),  // braces guarantee this order of evaluation
                   Ref<Job>(new Job(std::move(dataset), std::move(collate), slots(options), device_slots(options),
                                    options.pin_memory || device_slots(options) > 0))} {}
  ~DataLoader() { end_loop(); }

  const Dataset& dataset() const { return typed().dataset(); }

  struct End {};
  /// Its destruction ends the loop.
  class Iterator {
   public:
    explicit Iterator(DataLoader* loader) : link_(loader->link()), slot_(loader->next_slot()) {}
    Iterator(Iterator&& other) noexcept : link_(std::move(other.link_)), slot_(std::exchange(other.slot_, -1)) {}
    Iterator& operator=(Iterator&&) = delete;
    ~Iterator() {
      if (slot_ < 0 || !link_->loader) return;
      loader().release_slot(slot_);
      loader().end_loop();
    }

    /// The batch, valid until the next one is requested.
    Batch& operator*() & { return loader().typed().batch(slot_); }
    /// Moves the batch out of a temporary iterator: `auto [x, y] = *loader.begin();`.
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
    int slot_;  ///< -1: at the end
  };

  Iterator begin() {
    begin_loop();
    return Iterator(this);
  }
  End end() { return {}; }

 private:
  DataLoader(std::int64_t size, LoaderOptions options, Ref<Job> job)
      : LoaderBase(size, std::move(options), std::move(job)) {}
  Job& typed() const { return static_cast<Job&>(job()); }
};

}  // namespace minima::data
