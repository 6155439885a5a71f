#include <minima/profiler/gpu/cuda/cupti_recorder.h>

#include <minima/profiler/gpu/captured_labels.h>
#include <minima/profiler/gpu/cuda/cupti_records.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/cuda/libraries/lazy_library.h>

#if __has_include(<cupti.h>)
#include <cupti.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace minima::profiler {

namespace {

std::string text_of(CUptiResult result) {
  const char* text = nullptr;
  return cuptiGetResultString(result, &text) == CUPTI_SUCCESS && text ? text : str("error ", static_cast<int>(result));
}

/// Buffers that CUPTI has filled. It calls back from threads of its own.
struct Buffers {
  struct Filled {
    std::uint8_t* memory;
    std::size_t bytes;
  };
  std::mutex mutex;
  std::vector<Filled> filled;

  std::vector<Filled> take() {
    const std::lock_guard lock(mutex);
    return std::exchange(filled, {});
  }
};
Buffers& buffers() {
  static auto* const all = new Buffers;  // CUPTI may call while static objects are destroyed
  return *all;
}

void request_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most) {
  constexpr std::size_t size = std::size_t{1} << 20;
  *buffer = static_cast<std::uint8_t*>(std::malloc(size));  // aligned to 8 bytes at least, as CUPTI demands
  *bytes = *buffer ? size : 0;
  *most = 0;
}

void complete_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t used) {
  const std::lock_guard lock(buffers().mutex);
  try {
    buffers().filled.push_back({buffer, used});
  } catch (const std::bad_alloc&) {  // these records are lost
    std::free(buffer);
  }
}

// External correlation needs records of the calls, too: those of the runtime, and of the driver, which cuDNN calls.
constexpr std::array kinds{CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
                           CUPTI_ACTIVITY_KIND_RUNTIME,
                           CUPTI_ACTIVITY_KIND_DRIVER,
                           CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                           CUPTI_ACTIVITY_KIND_MEMCPY,
                           CUPTI_ACTIVITY_KIND_MEMCPY2,
                           CUPTI_ACTIVITY_KIND_MEMSET};

void disable() {
  for (const CUpti_ActivityKind kind : kinds) static_cast<void>(cuptiActivityDisable(kind));
}

/// Why CUPTI's records cannot be had; empty if they can, and are on their way.
std::string enable() {
  std::uint32_t version = 0;
  if (const CUptiResult result = cuptiGetVersion(&version); result != CUPTI_SUCCESS)
    return str("cuptiGetVersion: ", text_of(result));
  if (version < CUPTI_API_VERSION)  // records of a newer one begin as those that this source knows
    return str("CUPTI ", version, " is older than ", CUPTI_API_VERSION, ", with which minima was built");
  static const CUptiResult registered = cuptiActivityRegisterCallbacks(request_buffer, complete_buffer);
  if (registered != CUPTI_SUCCESS) return str("cuptiActivityRegisterCallbacks: ", text_of(registered));
  for (const CUpti_ActivityKind kind : kinds)
    if (const CUptiResult result = cuptiActivityEnable(kind); result != CUPTI_SUCCESS) {
      disable();
      return str("cuptiActivityEnable of kind ", static_cast<int>(kind), ": ", text_of(result));
    }
  return "";
}

std::atomic<bool> is_recording = false;

class CuptiRecorder final : public GpuRecorder {
 public:
  explicit CuptiRecorder(const Function<double()>& now) : now_(now) {}
  ~CuptiRecorder() override {
    while (depth_ > 0) pop();
    disable();
    static_cast<void>(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
    for (const auto& [memory, bytes] : buffers().take()) std::free(memory);
    is_recording = false;
  }

  void start() override { first_ = both_clocks(); }

  void begin(std::int32_t span, SpanKind kind) override {
    if (kind == SpanKind::wait) return;
    // Spans are numbered from 1, as 0 could be taken for none.
    if (cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0,
                                               static_cast<std::uint64_t>(span) + 1) == CUPTI_SUCCESS)
      ++depth_;
  }
  void end(SpanKind kind) noexcept override {
    if (kind != SpanKind::wait && depth_ > 0) pop();
  }

  void finish(GpuRecording& gpu, const NamedSpans& recording,
              const Function<std::int32_t(std::string_view)>& name_of) override {
    while (depth_ > 0) pop();
    wait_for_gpus();
    last_ = both_clocks();
    static_cast<void>(cuptiActivityFlushAll(0));
    disable();
    CuptiRecords records;
    for (const auto& [memory, bytes] : buffers().take()) {
      records.read(memory, bytes);
      std::free(memory);
    }
    gpu.untimed = records.untimed;
    std::map<std::int32_t, std::int32_t> places;  ///< in `captured`, by the number of the label
    for (const CuptiRecords::Work& from : records.work) {
      GpuWork to{.name = name_of(from.name),
                 .kind = from.kind,
                 .device = static_cast<std::int32_t>(from.device),
                 .stream = static_cast<std::int32_t>(from.stream),
                 .launch = from.correlation,
                 .begin = seconds(from.begin),
                 .end = seconds(from.end),
                 .bytes = static_cast<double>(from.bytes)};
      const auto span = records.external.find(from.correlation);
      if (span != records.external.end() && span->second <= recording.spans.size())
        to.span = static_cast<std::int32_t>(span->second) - 1;
      const auto called = records.called.find(from.correlation);
      if (called != records.called.end()) to.launched = seconds(called->second);
      if (const std::int32_t label = from.node ? CapturedLabels::all().find(from.node) : -1; label >= 0) {
        const auto [place, is_new] = places.try_emplace(label, static_cast<std::int32_t>(gpu.captured.size()));
        if (is_new) gpu.captured.push_back(CapturedLabels::all().op(label));
        to.captured = place->second;
      }
      gpu.work.push_back(to);
    }
  }

 private:
  /// A moment on CUPTI's clock and the recording's.
  struct Moment {
    std::uint64_t nanoseconds = 0;
    double seconds = 0;
  };

  void pop() noexcept {
    static_cast<void>(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, nullptr));
    --depth_;
  }
  /// Returns the reading of several that took the least time.
  Moment both_clocks() const {
    Moment best;
    double least = 1e9;
    for (int i = 0; i < 8; ++i) {
      const double before = now_();
      std::uint64_t at = 0;
      if (cuptiGetTimestamp(&at) != CUPTI_SUCCESS) continue;
      const double after = now_();
      if (after - before >= least) continue;
      least = after - before;
      best = {at, (before + after) / 2};
    }
    return best;
  }
  /// On the recording's clock; the two may run at slightly different rates.
  double seconds(std::uint64_t nanoseconds) const {
    const double since = static_cast<double>(static_cast<std::int64_t>(nanoseconds - first_.nanoseconds));
    const double length = static_cast<double>(static_cast<std::int64_t>(last_.nanoseconds - first_.nanoseconds));
    const double rate = length >= 1e6 ? (last_.seconds - first_.seconds) / length : 1e-9;
    return first_.seconds + rate * since;
  }

  Function<double()> now_;
  Moment first_, last_;
  int depth_ = 0;  ///< external ids pushed
};

/// Called in captures, and by cudaGraphInstantiate for the copies of their nodes.
void on_callback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (domain != CUPTI_CB_DOMAIN_RESOURCE) return;
  const auto& graph =
      *static_cast<const CUpti_GraphData*>(static_cast<const CUpti_ResourceData*>(data)->resourceDescriptor);
  std::uint64_t node = 0, original = 0;
  if (cuptiGetGraphNodeId(graph.node, &node) != CUPTI_SUCCESS) return;
  try {
    if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED && captured_nodes) {
      const auto& open = *captured_nodes->open;
      captured_nodes->nodes.push_back({node, open.empty() ? -1 : open.back()});
    }
    if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED &&
        cuptiGetGraphNodeId(graph.originalNode, &original) == CUPTI_SUCCESS)
      CapturedLabels::all().copy(original, node);
  } catch (const std::bad_alloc&) {  // its work is that of the launch
  }
}

}  // namespace

std::unique_ptr<GpuRecorder> record_by_cupti(const Function<double()>& now, std::string& reason) {
  reason = cuda::cupti_library.failure();
  if (!reason.empty()) return nullptr;
  if (is_recording.exchange(true)) {
    reason = "another profile reads CUPTI's records";
    return nullptr;
  }
  reason = enable();
  if (!reason.empty()) {
    is_recording = false;
    return nullptr;
  }
  return std::make_unique<CuptiRecorder>(now);
}

void listen_to_captures() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (!cuda::cupti_library.is_there()) return;
    CUpti_SubscriberHandle subscriber = nullptr;
    if (cuptiSubscribe(&subscriber, on_callback, nullptr) != CUPTI_SUCCESS) return;  // a debugger, or another profiler
    for (const CUpti_CallbackId id : {CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED})
      static_cast<void>(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, id));
  });
}

}  // namespace minima::profiler

#else

namespace minima::profiler {

std::unique_ptr<GpuRecorder> record_by_cupti(const Function<double()>&, std::string& reason) {
  reason = "minima was built without the headers of CUPTI";
  return nullptr;
}

void listen_to_captures() {}

}  // namespace minima::profiler
#endif
