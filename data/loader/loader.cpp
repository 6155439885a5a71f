#include <minima/data/loader/loader.h>

#include <minima/data/loader/epoch_order.h>
#include <minima/data/loader/loader_impl.h>
#include <minima/data/sampling/random.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/background.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <unistd.h>
#include <algorithm>
#include <numeric>

namespace minima::data {

namespace {

void at_least(const char* name, std::int64_t value, std::int64_t least) {
  if (value < least) throw ValueError(str("DataLoader: ", name, " must be at least ", least, ", got ", value));
}

void within(const char* name, std::int64_t value, std::int64_t least, std::int64_t most) {
  at_least(name, value, least);
  if (value > most) throw ValueError(str("DataLoader: ", name, " must be at most ", most, ", got ", value));
}

constexpr std::int64_t max_workers = 1024;
constexpr std::int64_t max_batches = 65536;      ///< in memory at once
constexpr std::int64_t max_samples = INT32_MAX;  ///< in a global batch
constexpr std::int64_t max_records = 1 << 24;    ///< in a global batch of a stream, which is read in full
constexpr std::int64_t max_events = 100'000'000;
constexpr double forever = 1e9;  ///< seconds; clocks overflow at about nine times that

/// Checked before anything is allocated.
void check_numbers(const LoaderOptions& options) {
  within("workers", options.workers, 0, max_workers);
  within("prefetch", options.prefetch, 1, max_batches);
  within("workers × prefetch", std::int64_t{options.workers} * options.prefetch, 0, max_batches);
  within("device_prefetch", options.device_prefetch, 1, max_batches);
}

Error forked() {
  return Error(
      "DataLoader: its worker threads belong to the parent of this forked process; create the loader after the fork");
}

void check(const LoaderOptions& options, std::int64_t size) {
  check_numbers(options);
  const std::int64_t most = size < 0 ? max_records : max_samples;
  within("batch_size", options.batch_size, 1, most);
  within("world_size", options.world_size, 1, most);
  within("batch_size × world_size", options.batch_size * options.world_size, 1, most);
  at_least("retries", options.retries, 0);
  within("trace_events", options.trace_events, 0, max_events);
  if (options.rank < 0 || options.rank >= options.world_size)
    throw ValueError(str("DataLoader: rank must be from 0 to ", options.world_size - 1, ", got ", options.rank));
  if (!(options.timeout >= 0) || !(options.grace >= 0))
    throw ValueError(
        str("DataLoader: timeout and grace must not be negative, got ", options.timeout, " and ", options.grace));
  if (options.shuffle && options.sampler) throw ValueError("DataLoader: give either shuffle or a sampler, not both");
  if (size < 0 && (options.shuffle || options.sampler || options.priorities))
    throw ValueError(
        "DataLoader: the dataset is a stream, which fixes the order; shuffle, sampler and priorities need a dataset "
        "with indices");
  if (size < 0 && !options.in_order)
    throw ValueError("DataLoader: the dataset is a stream, whose state is a single position; set in_order = true");
  if (size >= 0 && options.priorities && options.priorities.size() != size)
    throw ValueError(
        str("DataLoader: priorities for ", options.priorities.size(), " samples, but the dataset has ", size));
}

}  // namespace

bool LoaderBase::Impl::has_device() const { return static_cast<bool>(options.transfer); }

detail::Share LoaderBase::Impl::share() const {
  return {options.batch_size, options.rank, options.world_size, options.uneven == Uneven::pad, options.drop_last};
}

Sampler LoaderBase::Impl::sampler() const {
  if (options.sampler) return options.sampler;
  return options.shuffle ? shuffling_sampler(dataset_size, seed()) : sequential_sampler(dataset_size);
}

std::uint64_t LoaderBase::Impl::seed() const {
  if (!chosen_seed) chosen_seed = options.seed ? *options.seed : default_seed();
  return *chosen_seed;
}

LoaderBase::LoaderBase(std::int64_t dataset_size, LoaderOptions options, Ref<LoaderJob> job) {
  check(options, dataset_size);
  auto impl = std::make_unique<Impl>();
  options.timeout = std::min(options.timeout, forever);
  options.grace = std::min(options.grace, forever);
  if (!options.device.is_cpu() && !options.transfer)
    options.transfer = make_transfer(options.device, device_slots(options));
  impl->options = std::move(options);
  impl->job = std::move(job);
  impl->link = Ref<detail::LoaderLink>(new detail::LoaderLink(this));
  impl->dataset_size = dataset_size;
  if (impl->options.trace_events > 0) impl->trace = std::make_shared<Trace>(impl->options.trace_events);
  impl_ = impl.release();
}

LoaderBase::~LoaderBase() {
  impl_->link->loader = nullptr;
  if (impl_->is_forked_child()) return;  // leak: the threads are not here to be joined, and locks may be held for ever
  impl_->uploader.reset();
  if (impl_->pipeline) impl_->pipeline->quit();
  delete impl_;
}

LoaderJob& LoaderBase::job() const { return *impl_->job; }
const Ref<detail::LoaderLink>& LoaderBase::link() const { return impl_->link; }

void detail::refuse_iterator(bool has_loader) {
  throw ValueError(has_loader ? "DataLoader: the iterator is at the end of its loop"
                              : "DataLoader: the iterator has outlived its loader");
}

bool LoaderBase::Impl::is_forked_child() const {
  return pipeline && (options.workers > 0 || uploader) && process != ::getpid();
}

int LoaderBase::slots(const LoaderOptions& options) {
  check_numbers(options);
  // One more for the loop, and with a device another, since two batches may be copied at once.
  const bool device = !options.device.is_cpu() || options.transfer;
  return std::max(1, options.workers * options.prefetch) + (options.workers > 0 ? 1 : 0) + (device ? 1 : 0);
}

int LoaderBase::device_slots(const LoaderOptions& options) {
  return options.device.is_cpu() && !options.transfer ? 0 : std::max(1, options.device_prefetch) + 1;
}

std::int64_t LoaderBase::batches() const {
  const Impl& self = *impl_;
  if (self.is_stream()) throw ValueError("DataLoader: the dataset is a stream, whose length is unknown");
  const std::int64_t samples = self.options.sampler
                                   ? static_cast<std::int64_t>(self.options.sampler.order(self.epoch).size())
                                   : self.dataset_size;
  return detail::batches_of(samples, self.share());
}

std::uint64_t LoaderBase::epoch() const { return impl_->epoch; }

EpochPlan LoaderBase::Impl::make_plan() {
  EpochPlan plan;
  plan.share = share();
  plan.context = {.seed = seed(), .epoch = epoch};
  positions.clear();
  if (is_stream()) plan_stream(plan);
  else plan_samples(plan);
  plan.first_number = start / plan.share.global();
  return plan;
}

void LoaderBase::Impl::plan_stream(EpochPlan& plan) {
  plan.stream = true;
  plan.order.resize(static_cast<std::size_t>(options.batch_size));
  std::iota(plan.order.begin(), plan.order.end(), std::int64_t{0});
  start = plan.skip = delivered.prefix();
  total = plan.batches = INT64_MAX;
}

void LoaderBase::Impl::plan_samples(EpochPlan& plan) {
  const std::vector<std::int64_t> order = drop_delivered(epoch_order());
  const auto remaining = static_cast<std::int64_t>(order.size());
  for (const std::int64_t position : detail::positions_of(remaining, plan.share))
    plan.order.push_back(order[static_cast<std::size_t>(position)]);
  plan.batches = detail::batches_of(remaining, plan.share);
}

/// All samples of the epoch: the sampler's order, sorted by priority.
std::vector<std::int64_t> LoaderBase::Impl::epoch_order() {
  std::vector<std::int64_t> order = sampler().order(epoch);
  for (const std::int64_t index : order)
    if (index < 0 || index >= dataset_size)
      throw IndexError(
          str("DataLoader: the sampler returned index ", index, ", but the dataset has ", dataset_size, " samples"));
  if (options.priorities) {
    if (!epoch_priorities.defined()) epoch_priorities = options.priorities.values();
    detail::sort_by_priority(order, epoch_priorities);
  }
  return order;
}

/// The samples that earlier loops of this epoch have not delivered. Sets `start`, `total` and `positions`.
std::vector<std::int64_t> LoaderBase::Impl::drop_delivered(std::vector<std::int64_t> order) {
  total = static_cast<std::int64_t>(order.size());
  start = std::min(delivered.prefix(), total);
  const bool has_gaps = delivered.text() != (start ? str("0-", start) : "");
  if (!has_gaps) {
    order.erase(order.begin(), order.begin() + start);
    return order;
  }
  // A loop without in_order was left early.
  std::vector<std::int64_t> remaining;
  for (std::int64_t i = 0; i < total; ++i) {
    if (delivered.contains(i)) continue;
    positions.push_back(i);
    remaining.push_back(order[static_cast<std::size_t>(i)]);
  }
  total = static_cast<std::int64_t>(remaining.size());
  start = 0;
  return remaining;
}

void LoaderBase::begin_loop() {
  Impl& self = *impl_;
  if (self.is_forked_child()) throw forked();
  if (self.in_loop) throw ValueError("DataLoader: a loop over this loader is still running; use a second loader");
  if (self.left_early) set_epoch(self.epoch + 1);
  EpochPlan plan = self.make_plan();
  if (!self.pipeline) {
    self.pipeline = std::make_shared<Pipeline>(self.options, slots(self.options), self.job, self.trace);
    self.process = ::getpid();
    self.pipeline->launch();
    if (self.has_device())
      self.uploader = std::make_unique<Uploader>(self.pipeline, self.job, self.options.transfer,
                                                 device_slots(self.options), self.trace);
  }
  self.pipeline->start(std::move(plan));
  self.in_loop = true;  // from here on end_loop cleans up
  if (self.uploader) self.uploader->start();
  self.body_began = self.loop_began = Clock::now();
  self.in_body = false;
}

/// Marks the samples that a batch covers as delivered, skipped ones included.
void LoaderBase::Impl::count(const Pipeline::Item& item) {
  const std::int64_t global = share().global(), first = item.number * global;
  const std::int64_t samples = is_stream() ? item.taken : std::min(global, total - first);
  if (positions.empty()) return delivered.add(start + first, samples);
  for (std::int64_t i = 0; i < samples; ++i) delivered.add(positions[static_cast<std::size_t>(first + i)], 1);
}

int LoaderBase::next_slot() {
  Impl& self = *impl_;
  if (!self.in_loop) return -1;
  if (self.is_forked_child()) throw forked();
  const Clock::time_point asked = Clock::now();
  self.end_body(asked);
  self.pipeline->report_to(background_log());
  try {
    while (true) {
      const Pipeline::Item item = self.uploader ? self.uploader->next() : self.pipeline->next();
      if (item.slot < 0 && !item.empty) break;
      self.count(item);
      if (item.empty) {
        if (item.slot >= 0) self.pipeline->release(item.slot);
        continue;
      }
      if (self.uploader) self.options.transfer->acquire_slot(item.slot);
      self.begin_body(asked, item.number);
      return item.slot;
    }
  } catch (...) {
    end_loop();
    throw;
  }
  end_loop();
  self.left_early = false;
  set_epoch(self.epoch + 1);
  return -1;
}

void LoaderBase::release_slot(int slot) {
  Impl& self = *impl_;
  if (self.is_forked_child()) return;
  if (!self.uploader) return self.pipeline->release(slot);
  self.options.transfer->release_slot(slot);
  self.uploader->release(slot);
}

void LoaderBase::end_loop() noexcept {
  Impl& self = *impl_;
  if (!self.in_loop || self.is_forked_child()) return;
  self.end_body(Clock::now());
  self.looped += seconds(Clock::now() - self.loop_began);
  const bool idle = self.pipeline->stop();
  if (self.uploader) self.uploader->stop();
  if (!idle) self.abandon_stuck_workers();
  self.in_loop = false;
  self.left_early = true;
}

/// A stuck worker keeps its job and its pipeline alive; the next loop gets new ones.
void LoaderBase::Impl::abandon_stuck_workers() {
  pipeline->quit();
  uploader.reset();
  pipeline.reset();
  job = job->renewed();
}

void LoaderBase::set_epoch(std::uint64_t epoch) {
  if (impl_->in_loop) throw ValueError("DataLoader: set_epoch inside a loop over the loader");
  impl_->epoch = epoch;
  impl_->delivered = {};
  impl_->left_early = false;
  impl_->epoch_priorities = Tensor();
}

}  // namespace minima::data
