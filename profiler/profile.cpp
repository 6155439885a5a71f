#include <minima/profiler/profile.h>

#include <minima/autograd/node.h>
#include <minima/autograd/observe/formula_observer.h>
#include <minima/profiler/chrome_trace.h>
#include <minima/profiler/host/host_recorder.h>
#include <minima/profiler/memory_curve.h>
#include <minima/profiler/recording.h>
#include <minima/profiler/report.h>
#include <minima/profiler/roof.h>
#include <minima/profiler/ticks.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/device/observer.h>
#include <minima/tensor/device/wait_observer.h>
#include <minima/tensor/storage/memory_observer.h>
#include <minima/tensor/storage/storage.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace minima::profiler {

namespace {

constinit thread_local Profile* current = nullptr;

struct Hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

}  // namespace

struct Profile::Names {
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> places;
  /// Operators' names are mostly literals, so the same address is mostly the same name.
  struct Recent {
    const char* text = nullptr;
    std::int32_t place = 0;
  };
  std::array<Recent, 256> recent{};
  Recent& recent_of(const char* text) {  // literals are dense, so the product's upper bits tell them apart
    return recent[reinterpret_cast<std::uintptr_t>(text) * std::uint64_t{0x9E3779B97F4A7C15} >> 56];
  }
};

Profile::Profile(const ProfileOptions& options)
    : options_(options),
      clock_(Ticks::of_this_machine()),
      names_(std::make_unique<Names>()),
      host_(std::make_unique<HostRecorder>(HostOptions{.stacks = options.stacks, .counters = options.counters}, open_,
                                           data_.host)),
      outer_(std::exchange(current, this)) {
  if (std::min({options.skip, options.steps, options.wait, options.warmup, options.repeat}) < 0) {
    current = outer_;
    throw ValueError("profiler: skip, steps, wait, warmup and repeat must not be negative");
  }
  names_->places.emplace("", 0);
  if (options_.skip == 0 && options_.wait == 0) start();
}

Profile::~Profile() {
  stop();
  if (current == this) current = outer_;
}

void Profile::start() {
  // Growing later, or touching a page for the first time, would be charged to an operator.
  data_.spans.resize(std::size_t{1} << 16);
  data_.memory.resize(std::size_t{1} << 16);
  for (const auto& hook : hook_) unhook_.push_back(hook());
  observer_ = set_observer(this);
  formulas_ = set_formula_observer(this);
  wait_observer_ = set_wait_observer(this);
  memory_observer_ = set_memory_observer(this);
  host_->attach();
  recording_ = true;
  restart();
}

void Profile::restart() {
  data_.spans.clear();
  data_.steps = 0;
  data_.seconds = data_.loader_seconds = 0;
  open_.clear();
  modules_.clear();
  recorders_.clear();
  for (LoaderWait& wait : waits_) wait.at_start = wait.seconds();
  data_.memory.clear();
  data_.levels.clear();
  gradients_.clear();
  last_ = 0;
  start_ = clock_.now();
  host_->restart();
  mark_levels();
}

void Profile::pause() {
  if (!recording_) return;
  if (data_.steps == 0) data_.seconds = now();
  data_.steps = std::max<std::int64_t>(data_.steps, 1);
  for (const std::int32_t span : open_) data_.spans[static_cast<std::size_t>(span)].end = now();
  open_.clear();
  for (const LoaderWait& wait : waits_) data_.loader_seconds += std::max(0.0, wait.seconds() - wait.at_start);
  host_->detach(now());
  give_stacks(data_);
  recording_ = false;
  mark_gradients(data_, gradients_);
  gradients_.clear();
  for (const Function<void()>& remove : unhook_) remove();
  unhook_.clear();
  set_memory_observer(memory_observer_);
  set_wait_observer(wait_observer_);
  set_formula_observer(formulas_);
  set_observer(observer_);
}

void Profile::stop() {
  if (std::exchange(stopped_, true)) return;
  pause();
  waits_.clear();
  parameters_.clear();
}

void Profile::end_cycle() {
  pause();
  if (++cycles_ == options_.repeat) stop();
  if (!options_.ready) return;
  const bool was_stopped = std::exchange(stopped_, true);  // `report` in the callback ends no schedule
  try {
    options_.ready(*this);
  } catch (...) {
    stopped_ = was_stopped;
    throw;
  }
  stopped_ = was_stopped;
}

bool Profile::step() {
  ++begun_;
  if (stopped_) return false;
  const std::int64_t idle = options_.wait + options_.warmup, ended = begun_ - options_.skip;
  if (ended < 0) return true;
  const std::int64_t place = options_.steps > 0 ? ended % (idle + options_.steps) : ended;  // of the next step
  if (recording_) {
    while (!modules_.empty()) close(SpanKind::module);  // which an exception left
    ++data_.steps;
    data_.seconds = last_ = now();
    mark_levels();
    if (options_.steps > 0 && place == 0) {
      end_cycle();
      if (stopped_) return false;
    }
  }
  if (!recording_ && place >= options_.wait && (options_.steps > 0 || cycles_ == 0)) start();
  else if (recording_ && options_.warmup > 0 && place == idle) restart();
  return true;
}

void Profile::add_hooks(Function<Function<void()>()> hook) {
  if (recording_) unhook_.push_back(hook());
  hook_.push_back(std::move(hook));
}

void Profile::add_wait(Function<double()> seconds) {
  const double now = recording_ ? seconds() : 0;
  waits_.push_back({std::move(seconds), now});
}

void Profile::watch_memory(const std::vector<Tensor>& parameters) {
  parameters_.insert(parameters_.end(), parameters.begin(), parameters.end());
  for (const Tensor& parameter : parameters)
    if (std::find(devices_.begin(), devices_.end(), parameter.device()) == devices_.end())
      devices_.push_back(parameter.device());
  if (!recording_ || data_.steps > 0 || !data_.spans.empty()) return;
  data_.levels.clear();  // noted when the recording began, without parameters
  gradients_.clear();
  mark_levels();
}

double Profile::now() const { return clock_.seconds(clock_.now() - start_); }

std::int32_t Profile::name_of(std::string_view text) {
  const auto found = names_->places.find(text);
  if (found != names_->places.end()) return found->second;
  const auto place = static_cast<std::int32_t>(data_.names.size());
  data_.names.emplace_back(text);
  names_->places.emplace(text, place);
  return place;
}

std::int32_t Profile::name_of_op(const char* op) {
  Names::Recent& recent = names_->recent_of(op);
  if (recent.text != op || data_.names[static_cast<std::size_t>(recent.place)] != op) recent = {op, name_of(op)};
  return recent.place;
}

std::int32_t Profile::module_of(std::uint64_t node) const {
  const auto next = std::lower_bound(recorders_.begin(), recorders_.end(), node,
                                     [](const Recorder& recorder, std::uint64_t n) { return recorder.after < n; });
  return next == recorders_.begin() ? 0 : std::prev(next)->module;
}

void Profile::record_for(std::int32_t module) {
  const std::uint64_t newest = newest_sequence();
  if (!recorders_.empty() && recorders_.back().after == newest) recorders_.back().module = module;
  else recorders_.push_back({newest, module});
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
  return span;
}

void Profile::close(SpanKind kind) noexcept {
  if (!recording_) return;
  const double end = last_ = now();
  while (!open_.empty()) {
    Span& span = data_.spans[static_cast<std::size_t>(open_.back())];
    open_.pop_back();
    span.end = end;
    if (span.kind == SpanKind::module) modules_.pop_back();
    if (span.kind == kind) return;
  }
}

void Profile::begin(const char* op, Cost cost) {
  if (observer_) observer_->begin(op, cost);
  Span& span = open(SpanKind::op, name_of_op(op));
  span.cost = cost;
  const bool is_inside = span.parent >= 0 && data_.spans[static_cast<std::size_t>(span.parent)].kind == SpanKind::op;
  host_->begin_op(data_.spans.size() - 1, !span.backward && !is_inside);
}

void Profile::begin(const Node& node) {
  if (formulas_) formulas_->begin(node);
  Span& span = open(SpanKind::formula, name_of_op(node.edge_count() == 0 ? "leaf" : node.name()));
  span.module = module_of(node.sequence);
  span.backward = true;
  span.sequence = node.sequence;
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
    host_->end_op(static_cast<std::size_t>(*innermost));
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

void Profile::mark_levels() {
  for (const Device device : devices_) {
    std::vector<const Storage*>& gradients = gradients_.emplace_back();
    gradients.reserve(parameters_.size());
    MemoryLevel& level = data_.levels.emplace_back(level_of(device, parameters_, gradients));
    level.seconds = last_;
    level.changes = data_.memory.size();
  }
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

Report Profile::report() {
  stop();
  return report(machine_roof());
}

Report Profile::report(const Roof& roof) {
  stop();
  return summarize(data_, roof);
}

std::string Profile::chrome_trace() {
  stop();
  return profiler::chrome_trace(data_);
}

Range::Range(std::string_view name) : profile_(current && current->recording_ ? current : nullptr) {
  if (profile_) profile_->open(SpanKind::range, profile_->name_of(name));
}
Range::~Range() {
  if (profile_) profile_->close(SpanKind::range);
}

}  // namespace minima::profiler
