#pragma once

#include <minima/data/dataset.h>
#include <minima/data/sampler.h>
#include <minima/io/state.h>

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace minima::data {

struct LoaderOptions {
  std::int64_t batch_size = 1;
  bool shuffle = false;
  Sampler sampler = {};     ///< an order of one's own, instead of `shuffle`
  int workers = 0;          ///< threads that fetch ahead; 0 fetches in the loop itself
  int prefetch = 2;         ///< batches fetched ahead per worker
  bool drop_last = false;   ///< leave out a last batch that is not full
  std::uint64_t seed = 0;   ///< of shuffling and of the streams in FetchContext
};

/// The part of DataLoader that does not depend on the type of its batches.
class MINIMA_API LoaderBase {
 public:
  LoaderBase(const LoaderBase&) = delete;
  LoaderBase& operator=(const LoaderBase&) = delete;

  /// Batches of a whole epoch.
  std::int64_t batches() const;
  /// The number of the epoch that a loop is in, between loops that of the next one. Starts at 0.
  std::uint64_t epoch() const;
  /// The next loop is this epoch, from its first sample.
  void set_epoch(std::uint64_t epoch);

  /// Where the loader is: seed, epoch and the number of samples handed over to the loop in it, whatever workers have
  /// fetched ahead. Inside the loop that includes the current batch.
  State state_dict() const;
  /// The next loop goes on with the very next sample, with any number of workers and any batch size. A state taken
  /// between an epoch's last batch and the end of its loop gives one empty loop. Throws ValueError if the state is of a
  /// data set of another size or of another kind of order.
  void load_state_dict(const State& state);

 protected:
  struct Impl;

  LoaderBase(std::int64_t dataset_size, LoaderOptions options);
  ~LoaderBase();

  /// Fetches a batch into a slot; called by workers.
  virtual void fetch_into(int slot, std::span<const std::int64_t> indices, const FetchContext& context) = 0;
  /// Frees what is in a slot.
  virtual void clear(int slot) noexcept = 0;

  int slots() const;
  void begin_pass();
  /// The slot of the next batch, -1 behind the last one, which ends the pass.
  int next_slot();
  void release_slot();
  void end_pass() noexcept;
  /// Joins the workers; the derived destructor calls it while `fetch_into` is still there.
  void shut_down() noexcept;

 private:
  Impl* impl_;
};

/// Batches of a dataset (see dataset.h), in order, fetched ahead by worker threads:
///
///     DataLoader loader(TensorDataset(images, labels), {.batch_size = 64, .shuffle = true, .workers = 2});
///     for (int epoch = 0; epoch < 5; ++epoch)
///       for (auto& [x, y] : loader) step(x, y);
///
/// Every loop is one epoch; leaving it early is fine, the next loop is then the next epoch. The order of samples depends
/// on seed and epoch alone, never on the number of workers. What a fetch throws arrives in the loop when that batch's
/// turn comes, with the sample indices in its text (an exception that is not a minima::Error is nested in one); the
/// loop is over then, the loader stays usable, and its state names the failed batch as the next. One loop at a time.
template <class Dataset>
class DataLoader : public LoaderBase {
 public:
  using Batch = decltype(detail::fetch(std::declval<const Dataset&>(), {}, {}));

  explicit DataLoader(Dataset dataset, LoaderOptions options = {})
      : LoaderBase(dataset.size(), std::move(options)), dataset_(std::move(dataset)), slots_(static_cast<std::size_t>(slots())) {}
  ~DataLoader() { shut_down(); }

  const Dataset& dataset() const { return dataset_; }

  struct End {};
  /// One pass; going out of scope ends it.
  class Iterator {
   public:
    explicit Iterator(DataLoader* loader) : loader_(loader) { ++*this; }
    Iterator(Iterator&& other) noexcept
        : loader_(std::exchange(other.loader_, nullptr)), current_(std::move(other.current_)) {}
    Iterator& operator=(Iterator&&) = delete;
    ~Iterator() {
      if (loader_) loader_->end_pass();
    }

    Batch& operator*() { return *current_; }
    Batch* operator->() { return &*current_; }
    Iterator& operator++() {
      current_.reset();
      current_ = loader_->take();
      return *this;
    }
    friend bool operator==(const Iterator& i, End) { return !i.current_.has_value(); }

   private:
    DataLoader* loader_;
    std::optional<Batch> current_;
  };

  Iterator begin() {
    begin_pass();
    return Iterator(this);
  }
  End end() { return {}; }

 private:
  void fetch_into(int slot, std::span<const std::int64_t> indices, const FetchContext& context) override {
    slots_[static_cast<std::size_t>(slot)].emplace(detail::fetch(dataset_, indices, context));
  }
  void clear(int slot) noexcept override { slots_[static_cast<std::size_t>(slot)].reset(); }
  std::optional<Batch> take() {
    const int slot = next_slot();
    if (slot < 0) return std::nullopt;
    std::optional<Batch> batch = std::move(slots_[static_cast<std::size_t>(slot)]);
    slots_[static_cast<std::size_t>(slot)].reset();
    release_slot();
    return batch;
  }

  Dataset dataset_;
  std::vector<std::optional<Batch>> slots_;
};

}  // namespace minima::data
