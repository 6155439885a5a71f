#include <minima/data/loader/loader.h>

#include <minima/data/loader/epoch_order.h>
#include <minima/data/loader/loader_impl.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <unistd.h>
#include <algorithm>

namespace minima::data {

namespace {

void at_least(const char* name, std::int64_t value, std::int64_t least) {
  if (value < least) throw ValueError(str("DataLoader: ", name, " must be at least ", least, ", got ", value));
}

void within(const char* name, std::int64_t value, std::int64_t least, std::int64_t most) {
  at_least(name, value, least);
  if (value > most) throw ValueError(str("DataLoader: ", name, " must be at most ", most, ", got ", value));
}

constexpr std::int64_t kMostWorkers = 1024;
constexpr std::int64_t kMostBatches = 65536;      ///< in memory at once
constexpr std::int64_t kMostSamples = INT32_MAX;  ///< of a batch of all processes
constexpr std::int64_t kMostRecords = 1 << 24;    ///< the same of a stream, which reads them all
constexpr std::int64_t kMostEvents = 100'000'000;
constexpr double kForever = 1e9;  ///< seconds; clocks overflow at nine times that

/// Before anything is made of them.
void check_numbers(const LoaderOptions& options) {
  within("workers", options.workers, 0, kMostWorkers);
  within("prefetch", options.prefetch, 1, kMostBatches);
  within("workers × prefetch", std::int64_t{options.workers} * options.prefetch, 0, kMostBatches);
  within("device_prefetch", options.device_prefetch, 1, kMostBatches);
}

Error forked() {
  return Error(
      "DataLoader: its worker threads are in the process that this one was forked from; make a loader after the fork");
}

void check(const LoaderOptions& options, std::int64_t size) {
  check_numbers(options);
  const std::int64_t most = size < 0 ? kMostRecords : kMostSamples;
  within("batch_size", options.batch_size, 1, most);
  within("world_size", options.world_size, 1, most);
  within("batch_size × world_size", options.batch_size * options.world_size, 1, most);
  at_least("retries", options.retries, 0);
  within("trace_events", options.trace_events, 0, kMostEvents);
  if (options.rank < 0 || options.rank >= options.world_size)
    throw ValueError(str("DataLoader: rank ", options.rank, " of a world of ", options.world_size));
  if (!(options.timeout >= 0) || !(options.grace >= 0))
    throw ValueError("DataLoader: timeout and grace must not be negative");
  if (options.shuffle && options.sampler) throw ValueError("DataLoader: give either shuffle or a sampler, not both");
  if (size < 0 && (options.shuffle || options.sampler || options.priorities))
    throw ValueError(
        "DataLoader: the dataset is a stream and decides the order itself; shuffle, sampler and priorities need one "
        "with indices");
  if (size < 0 && !options.in_order)
    throw ValueError("DataLoader: the dataset is a stream, whose place in a state is one number; that needs in_order");
  if (size >= 0 && options.priorities && options.priorities.size() != size)
    throw ValueError(str("DataLoader: priorities of ", options.priorities.size(), " samples, the dataset has ", size));
}

}  // namespace

bool LoaderBase::Impl::has_device() const { return static_cast<bool>(options.transfer); }

detail::Share LoaderBase::Impl::share() const {
  return {options.batch_size, options.rank, options.world_size, options.uneven == Uneven::pad, options.drop_last};
}

Sampler LoaderBase::Impl::sampler() const {
  if (options.sampler) return options.sampler;
  return options.shuffle ? shuffling_sampler(dataset_size, options.seed) : sequential_sampler(dataset_size);
}

LoaderBase::LoaderBase(std::int64_t dataset_size, LoaderOptions options, Ref<LoaderJob> job) {
  check(options, dataset_size);
  auto impl = std::make_unique<Impl>();
  options.timeout = std::min(options.timeout, kForever);
  options.grace = std::min(options.grace, kForever);
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
  if (impl_->is_without_threads()) return;  // no worker would finish them, and their locks may never be released
  impl_->uploader.reset();
  if (impl_->pipeline) impl_->pipeline->quit();
  delete impl_;
}

LoaderJob& LoaderBase::job() const { return *impl_->job; }
const Ref<detail::LoaderLink>& LoaderBase::link() const { return impl_->link; }

void detail::refuse_iterator(bool has_loader) {
  throw ValueError(has_loader ? "DataLoader: the iterator is at the end of its loop"
                              : "DataLoader: the iterator outlives its loader");
}

bool LoaderBase::Impl::is_without_threads() const {
  return pipeline && (options.workers > 0 || uploader) && process != ::getpid();
}

int LoaderBase::slots(const LoaderOptions& options) {
  check_numbers(options);
  // The loop's own, or the two that are being copied.
  const bool device = !options.device.is_cpu() || options.transfer;
  return std::max(1, options.workers * options.prefetch) + (options.workers > 0 ? 1 : 0) + (device ? 1 : 0);
}

int LoaderBase::device_slots(const LoaderOptions& options) {
  return options.device.is_cpu() && !options.transfer ? 0 : std::max(1, options.device_prefetch) + 1;
}

std::int64_t LoaderBase::batches() const {
  const Impl& self = *impl_;
  if (self.is_stream()) throw ValueError("DataLoader: the dataset is a stream, whose length is not known");
  const std::int64_t samples = self.options.sampler
                                   ? static_cast<std::int64_t>(self.options.sampler.order(self.epoch).size())
                                   : self.dataset_size;
  return detail::batches_of(samples, self.share());
}

std::uint64_t LoaderBase::epoch() const { return impl_->epoch; }

Pass LoaderBase::Impl::make_pass() {
  const detail::Share mine = share();
  Pass pass;
  pass.stream = is_stream();
  pass.part = {options.batch_size, options.rank, options.world_size, mine.pad, options.drop_last};
  pass.context = {.seed = options.seed, .epoch = epoch};
  positions.clear();
  if (pass.stream) {
    for (std::int64_t i = 0; i < options.batch_size; ++i) pass.order.push_back(i);
    start = pass.skip = delivered.prefix();
    total = pass.items = INT64_MAX;
  } else {
    std::vector<std::int64_t> order = sampler().order(epoch);
    for (const std::int64_t index : order)
      if (index < 0 || index >= dataset_size)
        throw IndexError(
            str("DataLoader: the sampler gave index ", index, ", the dataset has ", dataset_size, " samples"));
    if (options.priorities) {
      if (!epoch_priorities.defined()) epoch_priorities = options.priorities.values();
      detail::sort_by_priority(order, epoch_priorities);
    }
    total = static_cast<std::int64_t>(order.size());
    start = std::min(delivered.prefix(), total);
    const bool has_gaps = delivered.text() != (start ? str("0-", start) : "");
    if (has_gaps) {  // an epoch that was left with batches out of order
      for (std::int64_t i = 0; i < total; ++i)
        if (!delivered.contains(i)) positions.push_back(i);
      std::vector<std::int64_t> rest;
      for (const std::int64_t position : positions) rest.push_back(order[static_cast<std::size_t>(position)]);
      order = std::move(rest);
    } else {
      order.erase(order.begin(), order.begin() + start);
    }
    const auto left = static_cast<std::int64_t>(order.size());
    for (const std::int64_t position : detail::positions_of(left, mine))
      pass.order.push_back(order[static_cast<std::size_t>(position)]);
    pass.items = detail::batches_of(left, mine);
    total = has_gaps ? left : total;
    if (has_gaps) start = 0;
  }
  pass.first_number = start / mine.global();
  return pass;
}

void LoaderBase::begin_pass() {
  Impl& self = *impl_;
  if (self.is_without_threads()) throw forked();
  if (self.in_pass) throw ValueError("DataLoader: a loop over this loader is still running; use a second loader");
  if (self.broken_off) set_epoch(self.epoch + 1);
  Pass pass = self.make_pass();
  if (!self.pipeline) {
    self.pipeline = std::make_shared<Pipeline>(self.options, slots(self.options), self.job, self.trace);
    self.process = ::getpid();
    self.pipeline->launch();
    if (self.has_device())
      self.uploader = std::make_unique<Uploader>(self.pipeline, self.job, self.options.transfer,
                                                 device_slots(self.options), self.trace);
  }
  self.pipeline->start(std::move(pass));
  self.in_pass = true;  // from here on end_pass cleans up
  if (self.uploader) self.uploader->start();
  self.left = Clock::now();
  self.pass_began = self.left;
  self.in_body = false;
}

/// Counts what a batch stands for as delivered.
void LoaderBase::Impl::count(const Pipeline::Item& item) {
  const std::int64_t global = share().global(), first = item.number * global;
  const std::int64_t samples = is_stream() ? item.taken : std::min(global, total - first);
  if (positions.empty()) return delivered.add(start + first, samples);
  for (std::int64_t i = 0; i < samples; ++i) delivered.add(positions[static_cast<std::size_t>(first + i)], 1);
}

int LoaderBase::next_slot() {
  Impl& self = *impl_;
  if (!self.in_pass) return -1;
  if (self.is_without_threads()) throw forked();
  const Clock::time_point asked = Clock::now();
  self.end_body(asked);
  try {
    while (true) {
      const Pipeline::Item item = self.uploader ? self.uploader->next() : self.pipeline->next();
      if (item.slot < 0 && !item.empty) break;
      self.count(item);
      if (item.empty) {
        if (item.slot >= 0) self.pipeline->release(item.slot);
        continue;
      }
      if (self.uploader) self.options.transfer->receive(item.slot);
      self.begin_body(asked, item.number);
      return item.slot;
    }
  } catch (...) {
    end_pass();
    throw;
  }
  end_pass();
  self.broken_off = false;
  set_epoch(self.epoch + 1);
  return -1;
}

void LoaderBase::release_slot(int slot) {
  Impl& self = *impl_;
  if (self.is_without_threads()) return;
  if (!self.uploader) return self.pipeline->release(slot);
  self.options.transfer->give_back(slot);
  self.uploader->release(slot);
}

void LoaderBase::end_pass() noexcept {
  Impl& self = *impl_;
  if (!self.in_pass || self.is_without_threads()) return;
  self.end_body(Clock::now());
  self.looped += seconds(Clock::now() - self.pass_began);
  const bool idle = self.pipeline->stop();
  if (self.uploader) self.uploader->stop();
  if (!idle) {  // a worker is stuck: it keeps this job and this pipeline, the next loop has new ones
    self.pipeline->quit();
    self.uploader.reset();
    self.pipeline.reset();
    self.job = self.job->renewed();
  }
  self.in_pass = false;
  self.broken_off = true;
}

void LoaderBase::set_epoch(std::uint64_t epoch) {
  if (impl_->in_pass) throw ValueError("DataLoader: set_epoch inside a loop over the loader");
  impl_->epoch = epoch;
  impl_->delivered = {};
  impl_->broken_off = false;
  impl_->epoch_priorities = Tensor();
}

}  // namespace minima::data
