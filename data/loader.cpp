#include <minima/data/loader.h>

#include <minima/data/prefetcher.h>
#include <minima/tensor/error.h>
#include <minima/tensor/format.h>

#include <algorithm>
#include <memory>

namespace minima::data {

namespace {

/// Keeps `sampler = …` apart from the built-in orders in a saved state.
const char* kind_of_order(const LoaderOptions& options) {
  return options.sampler ? "sampler" : options.shuffle ? "shuffled" : "sequential";
}

void check(const LoaderOptions& options) {
  if (options.batch_size < 1) throw ValueError(str("DataLoader: batch_size must be at least 1, got ", options.batch_size));
  if (options.workers < 0) throw ValueError(str("DataLoader: workers must not be negative, got ", options.workers));
  if (options.prefetch < 1) throw ValueError(str("DataLoader: prefetch must be at least 1, got ", options.prefetch));
  if (options.shuffle && options.sampler) throw ValueError("DataLoader: give either shuffle or a sampler, not both");
}

/// `batch 3 of epoch 0, samples [5, 9, 1]`
std::string describe(std::int64_t batch, std::uint64_t epoch, std::span<const std::int64_t> indices) {
  constexpr std::size_t kShown = 16;
  std::string text = str("batch ", batch, " of epoch ", epoch, ", samples [");
  for (std::size_t i = 0; i < std::min(indices.size(), kShown); ++i) text += str(i ? ", " : "", indices[i]);
  if (indices.size() > kShown) text += str(", … ", indices.size() - kShown, " more");
  return text + "]";
}

}  // namespace

struct LoaderBase::Impl {
  LoaderBase* loader;
  LoaderOptions options;
  std::int64_t dataset_size;

  std::uint64_t epoch = 0;
  std::int64_t delivered = 0;  ///< samples of this epoch that the loop has got
  bool in_pass = false;
  bool broken_off = false;     ///< the last loop was left early: the next one is another epoch

  // Of the running pass. Workers read these; they change only while no worker is busy.
  std::vector<std::int64_t> order;
  std::int64_t start = 0;  ///< samples before it had been delivered when the pass began
  std::int64_t batch = 0;  ///< the next one to hand over, counted from `start`
  std::int64_t last = 0;

  std::unique_ptr<Prefetcher> prefetcher;

  Sampler sampler() const {
    if (options.sampler) return options.sampler;
    return options.shuffle ? shuffling_sampler(dataset_size, options.seed) : sequential_sampler(dataset_size);
  }
  std::int64_t batches_of(std::int64_t samples) const {
    return (samples + (options.drop_last ? 0 : options.batch_size - 1)) / options.batch_size;
  }
  std::span<const std::int64_t> indices(std::int64_t number) const {
    const auto total = static_cast<std::int64_t>(order.size());
    const std::int64_t first = start + number * options.batch_size;
    const std::int64_t count = std::min(options.batch_size, total - first);
    return {order.data() + first, static_cast<std::size_t>(count)};
  }

  void fetch(std::int64_t number, int slot) {
    const std::span<const std::int64_t> wanted = indices(number);
    const auto where = [&] { return "while fetching " + describe(start / options.batch_size + number, epoch, wanted); };
    try {
      loader->fetch_into(slot, wanted, {.seed = options.seed, .epoch = epoch});
    } catch (Error& error) {
      error.add_note(where());
      throw;
    } catch (const std::exception& error) {
      Error described(str("DataLoader: ", error.what()));
      described.add_note(where());
      std::throw_with_nested(described);
    }
  }
};

LoaderBase::LoaderBase(std::int64_t dataset_size, LoaderOptions options) {
  check(options);
  auto impl = std::make_unique<Impl>();
  impl->loader = this;
  impl->options = std::move(options);
  impl->dataset_size = dataset_size;
  impl_ = impl.release();
}

LoaderBase::~LoaderBase() { delete impl_; }

void LoaderBase::shut_down() noexcept { impl_->prefetcher.reset(); }

int LoaderBase::slots() const { return std::max(1, impl_->options.workers * impl_->options.prefetch); }

std::int64_t LoaderBase::batches() const {
  const std::int64_t samples = impl_->options.sampler
                                   ? static_cast<std::int64_t>(impl_->options.sampler.order(impl_->epoch).size())
                                   : impl_->dataset_size;
  return impl_->batches_of(samples);
}

std::uint64_t LoaderBase::epoch() const { return impl_->epoch; }

void LoaderBase::begin_pass() {
  Impl& self = *impl_;
  if (self.in_pass) throw ValueError("DataLoader: a loop over this loader is still running; use a second loader");
  if (self.broken_off) set_epoch(self.epoch + 1);
  self.order = self.sampler().order(self.epoch);
  for (const std::int64_t index : self.order)
    if (index < 0 || index >= self.dataset_size)
      throw IndexError(str("DataLoader: the sampler gave index ", index, ", the dataset has ", self.dataset_size, " samples"));
  self.start = std::min(self.delivered, static_cast<std::int64_t>(self.order.size()));
  self.batch = 0;
  self.last = self.batches_of(static_cast<std::int64_t>(self.order.size()) - self.start);
  if (self.options.workers > 0 && !self.prefetcher)
    self.prefetcher = std::make_unique<Prefetcher>(
        self.options.workers, slots(), [&self](std::int64_t number, int slot) { self.fetch(number, slot); });
  if (self.prefetcher) self.prefetcher->start(0, self.last);
  self.in_pass = true;
}

int LoaderBase::next_slot() {
  Impl& self = *impl_;
  if (!self.in_pass) return -1;
  if (self.batch == self.last) {
    end_pass();
    self.broken_off = false;
    set_epoch(self.epoch + 1);
    return -1;
  }
  int slot = 0;
  try {
    if (self.prefetcher) slot = self.prefetcher->next();
    else self.fetch(self.batch, slot);
  } catch (...) {
    end_pass();
    throw;
  }
  self.delivered += static_cast<std::int64_t>(self.indices(self.batch++).size());
  return slot;
}

void LoaderBase::release_slot() {
  if (impl_->prefetcher) impl_->prefetcher->release();
}

void LoaderBase::end_pass() noexcept {
  Impl& self = *impl_;
  if (!self.in_pass) return;
  if (self.prefetcher) self.prefetcher->stop();
  for (int slot = 0; slot < slots(); ++slot) clear(slot);
  self.in_pass = false;
  self.broken_off = true;
}

void LoaderBase::set_epoch(std::uint64_t epoch) {
  if (impl_->in_pass) throw ValueError("DataLoader: set_epoch inside a loop over the loader");
  impl_->epoch = epoch;
  impl_->delivered = 0;
  impl_->broken_off = false;
}

State LoaderBase::state_dict() const {
  const Impl& self = *impl_;
  State state;
  state.set_text("order", kind_of_order(self.options));
  state.set_unsigned("seed", self.options.seed);
  state.set_unsigned("epoch", self.epoch);
  state.set_integer("delivered", self.delivered);
  state.set_integer("dataset_size", self.dataset_size);
  return state;
}

void LoaderBase::load_state_dict(const State& state) {
  Impl& self = *impl_;
  if (self.in_pass) throw ValueError("DataLoader: load_state_dict inside a loop over the loader");
  const std::int64_t size = state.integer("dataset_size"), delivered = state.integer("delivered");
  const std::uint64_t seed = state.unsigned_integer("seed"), epoch = state.unsigned_integer("epoch");
  const std::string order = state.text("order");
  if (size != self.dataset_size)
    throw ValueError(str("DataLoader: the state is of a dataset of ", size, " samples, this one has ", self.dataset_size));
  if (order != kind_of_order(self.options))
    throw ValueError(str("DataLoader: the state is of the order \"", order, "\", this loader's is \"", kind_of_order(self.options), "\""));
  if (delivered < 0) throw ValueError(str("DataLoader: the state has ", delivered, " samples delivered"));
  set_epoch(epoch);
  self.options.seed = seed;
  self.delivered = delivered;
}

}  // namespace minima::data
