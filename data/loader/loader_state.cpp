#include <minima/data/loader/loader_impl.h>

#include <minima/io/files/atomic_file.h>
#include <minima/io/files/format_error.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace minima::data {

namespace {

/// Distinguishes custom samplers from the built-in orders in a saved state.
std::string kind_of_order(const LoaderOptions& options) {
  const std::string kind = options.sampler ? "sampler" : options.shuffle ? "shuffled" : "sequential";
  return options.priorities ? kind + " by priority" : kind;
}

}  // namespace

State LoaderBase::state_dict() const {
  const Impl& self = *impl_;
  State state;
  state.set_text("order", kind_of_order(self.options));
  state.set_unsigned("seed", self.seed());
  state.set_unsigned("epoch", self.epoch);
  state.set_integer("delivered", self.delivered.prefix());
  state.set_text("delivered_ranges", self.delivered.text());
  state.set_integer("dataset_size", self.dataset_size);
  if (self.options.priorities) {
    state.add("priorities", self.options.priorities.values());
    if (self.epoch_priorities.defined()) state.add("epoch_priorities", self.epoch_priorities);
  }
  return state;
}

void LoaderBase::load_state_dict(const State& state) {
  Impl& self = *impl_;
  if (self.in_loop) throw ValueError("DataLoader: load_state_dict inside a loop over the loader");
  const std::int64_t size = state.integer("dataset_size"), count = state.integer("delivered");
  const std::uint64_t seed = state.unsigned_integer("seed"), epoch = state.unsigned_integer("epoch");
  const std::string order = state.text("order");
  if (size != self.dataset_size)
    throw ValueError(
        str("DataLoader: the state is for a dataset of ", size, " samples, but this one has ", self.dataset_size));
  if (order != kind_of_order(self.options))
    throw ValueError(str("DataLoader: the state's order is \"", minima::detail::printable(order),
                         "\", but this loader's is \"", kind_of_order(self.options), "\""));
  if (count < 0) throw ValueError(str("DataLoader: the state has ", count, " samples delivered"));
  detail::PositionSet delivered = detail::PositionSet::parse(state.text("delivered_ranges"));
  if (delivered.prefix() != count)
    throw ValueError(
        str("DataLoader: the state has ", count, " samples delivered, but lists \"", delivered.text(), "\""));
  Tensor of_epoch;
  if (self.options.priorities) {
    const Tensor now = state.tensor("priorities");
    if (const Tensor* found = state.find("epoch_priorities")) of_epoch = *found;
    for (const Tensor* values : {&now, static_cast<const Tensor*>(&of_epoch)})
      if (values->defined() &&
          (values->dtype() != DType::float64 || values->numel() != size || !values->is_contiguous()))
        throw ValueError(str("DataLoader: the state's priorities must be float64 [", size, "], got ", *values));
    self.options.priorities.set_values(now);
  }
  set_epoch(epoch);
  self.chosen_seed = seed;
  self.delivered = std::move(delivered);
  self.epoch_priorities = of_epoch;
}

void LoaderBase::Impl::begin_body(Clock::time_point asked, std::int64_t number) {
  body_began = Clock::now();
  compute.waiting_for_input += seconds(body_began - asked);
  if (trace) trace->add("wait", Trace::loop_track, number, asked, body_began);
  body_number = number;
  in_body = true;
}

void LoaderBase::Impl::end_body(Clock::time_point now) {
  if (!in_body) return;
  in_body = false;
  const double time = seconds(now - body_began);
  ++compute.batches;
  compute.busy += time;
  compute.longest = std::max(compute.longest, time);
  if (trace) trace->add("compute", Trace::loop_track, body_number, body_began, now);
}

LoaderStats LoaderBase::stats() const {
  const Impl& self = *impl_;
  LoaderStats stats;
  stats.workers = self.options.workers;
  stats.prefetch = self.options.prefetch;
  if (self.pipeline) self.pipeline->add_to(stats);
  if (self.uploader) self.uploader->add_to(stats);
  stats.compute = self.compute;
  stats.seconds = self.looped + (self.in_loop ? seconds(Clock::now() - self.loop_began) : 0);
  for (StageStats* stage : {&stats.fetch, &stats.copy, &stats.compute})
    stage->batches_per_second = stats.seconds > 0 ? static_cast<double>(stage->batches) / stats.seconds : 0;
  detail::judge(stats, self.has_device(), static_cast<int>(std::thread::hardware_concurrency()));
  return stats;
}

void LoaderBase::reset_stats() {
  Impl& self = *impl_;
  if (self.pipeline) self.pipeline->reset_stats();
  if (self.uploader) self.uploader->reset_stats();
  self.compute = {};
  self.looped = 0;
  self.loop_began = Clock::now();
}

std::vector<std::string> LoaderBase::faults() const {
  return impl_->pipeline ? impl_->pipeline->faults() : std::vector<std::string>();
}

void LoaderBase::write_trace(const std::string& path) const {
  if (!impl_->trace) throw ValueError("DataLoader: no events were recorded; set trace_events to the number to keep");
  if (impl_->in_loop) throw ValueError("DataLoader: write_trace inside a loop over the loader");
  write_file(path, impl_->trace->text());
}

}  // namespace minima::data
