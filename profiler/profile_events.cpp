#include <minima/autograd/node.h>
#include <minima/autograd/observe/formula_observer.h>
#include <minima/profiler/clock_ticks.h>
#include <minima/profiler/gpu/captured_labels.h>
#include <minima/profiler/gpu/gpu_recorder.h>
#include <minima/profiler/host/host_recorder.h>
#include <minima/profiler/profile.h>
#include <minima/profiler/recording.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/device/capture_observer.h>
#include <minima/tensor/device/observer.h>
#include <minima/tensor/device/wait_observer.h>
#include <minima/tensor/storage/memory_observer.h>
#include <minima/tensor/storage/storage.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

// Notes what a profile is told while it records.

namespace minima::profiler {

double Profile::now() const {
  if (simulated_clock_) [[unlikely]]
    return simulated_clock_() - simulated_start_;
  return clock_.seconds(clock_.now() - start_);
}

Span& Profile::open(SpanKind kind, std::int32_t name) {
  const auto place = static_cast<std::int32_t>(data_.spans.size());
  Span& span = data_.spans.emplace_back();
  span.name = name;
  span.kind = kind;
  span.parent = open_.empty() ? -1 : open_.back();
  if (span.parent >= 0) {
    const Span& parent = data_.spans[static_cast<std::size_t>(span.parent)];
    span.backward = parent.backward;
    if (parent.backward) span.module = parent.module;
  }
  if (!span.backward && !modules_.empty()) span.module = modules_.back();
  open_.push_back(place);
  span.begin = last_ = now();
  if (!gpu_) [[likely]]
    return span;
  gpu_->begin(place, kind);  // may wait for a GPU, which is a span, too
  return data_.spans[static_cast<std::size_t>(place)];
}

void Profile::close(SpanKind kind) noexcept {
  if (!recording_) return;
  const double end = last_ = now();
  while (!open_.empty()) {
    Span& span = data_.spans[static_cast<std::size_t>(open_.back())];
    open_.pop_back();
    span.end = end;
    if (gpu_) gpu_->end(span.kind);
    if (span.kind == SpanKind::module) modules_.pop_back();
    if (span.kind == kind) return;
  }
}

void Profile::begin(const char* op, Cost cost) {
  if (observer_) observer_->begin(op, cost);
  Span& span = open(SpanKind::op, name_of_op(op));
  span.cost = cost;
  if (kept_) return;
  const bool is_inside = span.parent >= 0 && data_.spans[static_cast<std::size_t>(span.parent)].kind == SpanKind::op;
  host_->begin_op(static_cast<std::size_t>(&span - data_.spans.data()), !span.backward && !is_inside);
}

void Profile::begin(const Node& node) {
  if (formulas_) formulas_->begin(node);
  Span& span = open(SpanKind::formula, name_of_op(node.edge_count() == 0 ? "leaf" : node.name()));
  span.module = module_of(node.sequence);
  span.backward = true;
  span.sequence = node.sequence;
  span.half = node.output_count() > 0 && is_half(node.outputs()[0].dtype);
}

void Profile::end() noexcept {
  // Spans of users and modules close themselves, unless an exception passed through them.
  const auto innermost = std::find_if(open_.rbegin(), open_.rend(), [&](std::int32_t place) {
    const SpanKind kind = data_.spans[static_cast<std::size_t>(place)].kind;
    return kind == SpanKind::op || kind == SpanKind::formula;
  });
  if (innermost == open_.rend()) return;
  Span& span = data_.spans[static_cast<std::size_t>(*innermost)];
  const SpanKind kind = span.kind;
  if (kind == SpanKind::op) {
    span.sequence = newest_sequence();
    if (!kept_) host_->end_op(static_cast<std::size_t>(*innermost));
  }
  close(kind);
  if (kind == SpanKind::op && observer_) observer_->end();
  if (kind == SpanKind::formula && formulas_) formulas_->end();
}

void Profile::begin_wait(minima::Wait wait, double bytes) noexcept {
  if (wait_observer_) wait_observer_->begin_wait(wait, bytes);
  try {
    Span& span = open(SpanKind::wait, name_of_op(name(wait)));
    span.wait = wait;
    span.cost.bytes = bytes;
  } catch (const std::bad_alloc&) {  // the thread must wait all the same
  }
}

void Profile::end_wait() noexcept {
  if (!open_.empty() && data_.spans[static_cast<std::size_t>(open_.back())].kind == SpanKind::wait)
    close(SpanKind::wait);
  if (wait_observer_) wait_observer_->end_wait();
}

void Profile::change(const Storage& storage, std::int64_t bytes) noexcept {
  if (memory_observer_) memory_observer_->change(storage, bytes);
  if (sizes_) sizes_->change(storage, bytes);
  try {
    if (storage.device() != devices_[0] &&
        std::find(devices_.begin(), devices_.end(), storage.device()) == devices_.end())
      devices_.push_back(storage.device());
    data_.memory.push_back({.seconds = last_,
                            .bytes = bytes,
                            .storage = &storage,
                            .span = open_.empty() ? -1 : open_.back(),
                            .next = static_cast<std::int32_t>(data_.spans.size()),
                            .purpose = storage.bookkeeping.purpose,
                            .device = storage.device()});
  } catch (const std::bad_alloc&) {  // the thread must go on all the same
  }
}

void Profile::begin_capture() {
  if (capture_observer_) capture_observer_->begin_capture();
  listen_to_captures();
  if (!recording_) {  // replays may be recorded, so the names of operators are needed now
    kept_ = std::make_unique<Recording>(std::move(data_));
    data_ = {};
    data_.names = kept_->names;
    open_.clear();
    modules_.clear();
    recorders_.clear();
    attach();
  }
  captured_ = std::make_unique<CapturedNodes>();
  captured_->open = &open_;
  captured_nodes = captured_.get();
}

void Profile::end_capture() noexcept {
  captured_nodes = nullptr;
  if (captured_) {
    try {
      label_nodes(data_.named(), *captured_);
    } catch (const std::bad_alloc&) {  // replays' work then belongs to what launches them
    }
    captured_.reset();
  }
  if (kept_) {
    detach();
    kept_->names = std::move(data_.names);
    data_ = std::move(*kept_);
    kept_.reset();
    open_.clear();
    modules_.clear();
  }
  if (capture_observer_) capture_observer_->end_capture();
}

void Profile::enter(std::int32_t module) {
  if (!recording_) return;
  modules_.push_back(module);
  record_for(module);
  open(SpanKind::module, module);
}

void Profile::leave() {
  if (!recording_ || modules_.empty()) return;
  close(SpanKind::module);
  record_for(modules_.empty() ? 0 : modules_.back());
}

}  // namespace minima::profiler
