#include <minima/profiler/host/host_recorder.h>

#include <minima/autograd/call_stack.h>
#include <minima/profiler/host/counters.h>
#include <minima/profiler/host/host_recording.h>
#include <minima/tensor/device/background.h>
#include <minima/tensor/threads/parallel.h>
#include <minima/tensor/threads/range_observer.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace minima::profiler {

namespace {

/// Whether the frame is the program's own code, not minima's or the standard library's.
bool is_program(const std::string& frame) {
  const std::size_t end = frame.find('(');
  return frame.find("minima::") >= end && frame.find("std::") >= end && !frame.starts_with("_");
}

}  // namespace

const std::string& HostRecording::place(std::size_t span) const {
  static const std::string unknown;
  if (span >= stack_of.size()) return unknown;
  const CallStack& stack = stacks[static_cast<std::size_t>(stack_of[span])];
  return stack.frames.empty() ? unknown : stack.frames.front();
}

HostRecorder::HostRecorder(const HostOptions& options, const std::vector<std::int32_t>& open, HostRecording& data)
    : options_(options), open_(open), data_(data) {}

void HostRecorder::attach() {
  log_ = std::make_shared<BackgroundLog>();
  outer_log_ = set_background_log(log_);
  ranges_ = set_range_observer(this);
  if (!options_.counters) return;
  counters_.emplace();
  data_.no_counters = counters_->missing();
}

void HostRecorder::restart(std::int64_t start_ns) {
  data_.ranges.clear();
  data_.background.clear();
  data_.counts.clear();
  data_.stacks.assign(1, {});
  data_.stack_of.clear();
  data_.threads = num_threads();
  places_.clear();
  loops_ = 0;
  if (log_) log_->take();
  data_.processor = {};
  processor_.emplace();
  data_.start_ns = start_ns;
}

void HostRecorder::note_begin(std::size_t span, bool wants_stack) {
  if (options_.stacks && wants_stack) {
    std::string addresses = minima::detail::record_stack();
    const auto [place, is_new] = places_.try_emplace(addresses, static_cast<std::int32_t>(data_.stacks.size()));
    if (is_new) data_.stacks.push_back({std::move(addresses), {}});
    data_.stack_of.resize(span + 1);
    data_.stack_of[span] = place->second;
  }
  if (!counters_) return;
  data_.counts.resize(span + 1);
  data_.counts[span] = counters_->read();
}

void HostRecorder::note_end(std::size_t span) noexcept {
  if (span < data_.counts.size()) data_.counts[span] = counters_->read() - data_.counts[span];
}

void HostRecorder::detach(double seconds, std::int64_t end_ns) {
  if (processor_) data_.processor = processor_->use();
  processor_.reset();
  set_range_observer(ranges_);
  set_background_log(std::exchange(outer_log_, nullptr));
  counters_.reset();
  // The two clocks run apart by some millionths.
  const double elapsed = 1e-9 * static_cast<double>(end_ns - data_.start_ns);
  const double scale = elapsed > 0 ? seconds / elapsed : 1;
  for (ThreadRange& range : data_.ranges) {
    range.begin *= scale;
    range.end *= scale;
  }
  const auto time_of = [&](std::int64_t ns) { return scale * 1e-9 * static_cast<double>(ns - data_.start_ns); };
  for (BackgroundLog::Interval& interval : log_->take())
    data_.background.push_back(
        {std::move(interval.row), std::move(interval.what), time_of(interval.begin), time_of(interval.end)});
  log_.reset();
  if (!options_.stacks) return;
  std::vector<std::string> addresses;
  for (const CallStack& stack : data_.stacks) addresses.push_back(stack.addresses);
  std::vector<std::vector<std::string>> frames = minima::detail::describe_stacks(addresses);
  for (std::size_t i = 0; i < frames.size(); ++i)
    for (std::string& frame : frames[i])
      if (is_program(frame)) data_.stacks[i].frames.push_back(std::move(frame));
}

void HostRecorder::ranges(const RangeTime* times, int count) noexcept {
  if (ranges_) ranges_->ranges(times, count);
  const auto time_of = [&](std::int64_t ns) { return 1e-9 * static_cast<double>(ns - data_.start_ns); };
  try {
    for (int i = 0; i < count; ++i)
      data_.ranges.push_back({.loop = loops_,
                              .thread = times[i].thread,
                              .span = open_.empty() ? -1 : open_.back(),
                              .begin = time_of(times[i].begin),
                              .end = time_of(times[i].end)});
    ++loops_;
  } catch (const std::bad_alloc&) {  // the thread must go on all the same
  }
}

}  // namespace minima::profiler
