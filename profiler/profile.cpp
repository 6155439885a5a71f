#include <minima/profiler/profile.h>

#include <minima/autograd/observe/formula_observer.h>
#include <minima/profiler/chrome_trace.h>
#include <minima/profiler/clock_ticks.h>
#include <minima/profiler/gpu/captured_labels.h>
#include <minima/profiler/gpu/gpu_recorder.h>
#include <minima/profiler/host/host_recorder.h>
#include <minima/profiler/memory_curve.h>
#include <minima/profiler/ranges/nvtx.h>
#include <minima/profiler/recording.h>
#include <minima/profiler/report.h>
#include <minima/profiler/roofs/gpu_roof.h>
#include <minima/profiler/roofs/roof.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/base/string_hash.h>
#include <minima/tensor/device/capture_observer.h>
#include <minima/tensor/device/observer.h>
#include <minima/tensor/device/wait_observer.h>
#include <minima/tensor/storage/memory_observer.h>
#include <minima/tensor/storage/storage.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace minima::profiler {

namespace {

constinit thread_local Profile* current = nullptr;

}  // namespace

struct Profile::Names {
  minima::detail::StringMap<std::int32_t> places;
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
    throw ValueError(str("profiler: skip, steps, wait, warmup and repeat must not be negative, got ", options.skip,
                         ", ", options.steps, ", ", options.wait, ", ", options.warmup, " and ", options.repeat));
  }
  names_->places.emplace("", 0);
  if (options_.gpu) capture_observer_ = set_capture_observer(this);
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
  attach();
  host_->attach();
  restart();
}

void Profile::attach() {
  for (const auto& hook : hook_) unhook_.push_back(hook());
  observer_ = set_observer(this);
  formulas_ = set_formula_observer(this);
  wait_observer_ = set_wait_observer(this);
  memory_observer_ = set_memory_observer(this);
  if (options_.gpu) sizes_ = tell_block_sizes();
  recording_ = true;
}

void Profile::detach() {
  recording_ = false;
  sizes_.reset();
  for (const Function<void()>& remove : unhook_) remove();
  unhook_.clear();
  set_memory_observer(memory_observer_);
  set_wait_observer(wait_observer_);
  set_formula_observer(formulas_);
  set_observer(observer_);
}

void Profile::restart() {
  gpu_.reset();
  data_.gpu = {};
  if (options_.gpu) gpu_ = record_gpus([this] { return now(); }, data_.gpu);
  simulated_clock_ = gpu_ ? profiler::simulated_clock() : nullptr;
  for (LoaderWait& wait : waits_) wait.at_start = wait.seconds();
  if (simulated_clock_) simulated_start_ = simulated_clock_();
  const Ticks::Moment start = clock_.moment();
  start_ = start.ticks;
  if (gpu_) gpu_->start();
  host_->restart(start.steady_ns);
  data_.spans.clear();  // with the waits for GPUs that recording them began with
  data_.steps = 0;
  data_.seconds = data_.loader_seconds = 0;
  open_.clear();
  modules_.clear();
  recorders_.clear();
  data_.memory.clear();
  data_.levels.clear();
  gradients_.clear();
  last_ = 0;
  mark_levels();
}

void Profile::pause() {
  if (!recording_) return;
  if (data_.steps == 0) {
    if (gpu_) wait_for_gpus();
    data_.seconds = now();
  }
  data_.steps = std::max<std::int64_t>(data_.steps, 1);
  for (const std::int32_t span : open_) data_.spans[static_cast<std::size_t>(span)].end = now();
  open_.clear();
  for (const LoaderWait& wait : waits_) data_.loader_seconds += std::max(0.0, wait.seconds() - wait.at_start);
  const Ticks::Moment end = clock_.moment();
  host_->detach(simulated_clock_ ? now() : clock_.seconds(end.ticks - start_), end.steady_ns);
  give_stacks(data_);
  mark_gradients(data_, gradients_);
  gradients_.clear();
  detach();
  if (gpu_) {
    gpu_->finish(data_.gpu, data_.named(), [this](std::string_view name) { return name_of(name); });
    gpu_.reset();
    if (data_.gpu.work.empty() && !data_.gpu.predicted) data_.gpu = {};  // the steps are the CPU's
  }
}

void Profile::stop() {
  if (std::exchange(stopped_, true)) return;
  pause();
  waits_.clear();
  parameters_.clear();
  if (options_.gpu) set_capture_observer(capture_observer_);
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
    if (gpu_ && options_.steps > 0 && place == 0) wait_for_gpus();  // what the steps have asked for is their time
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
  if (recent.text != op || std::strcmp(data_.names[static_cast<std::size_t>(recent.place)].c_str(), op) != 0)
    recent = {op, name_of(op)};
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

void Profile::mark_levels() {
  for (const Device device : devices_) {
    std::vector<const Storage*>& gradients = gradients_.emplace_back();
    gradients.reserve(parameters_.size());
    MemoryLevel& level = data_.levels.emplace_back(level_of(device, parameters_, gradients));
    level.seconds = last_;
    level.changes = data_.memory.size();
  }
}

Report Profile::report() {
  stop();
  if (data_.gpu.source == GpuSource::none) return report(machine_roof());
  return report(gpu_roof(data_.gpu.work.empty() ? 0 : data_.gpu.work.front().device));
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
  is_heard_ = nvtx::is_listening();
  if (is_heard_) nvtx::push(std::string(name).c_str());
}
Range::~Range() {
  if (is_heard_) nvtx::pop();
  if (profile_) profile_->close(SpanKind::range);
}

}  // namespace minima::profiler
