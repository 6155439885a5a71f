#include <minima/profiler/gpu/cuda/event_recorder.h>

#include <minima/tensor/base/device.h>
#include <minima/tensor/cuda/stream_state.h>
#include <minima/tensor/cuda/used_devices.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/device/stream.h>

#include <map>
#include <utility>
#include <vector>

namespace minima::profiler {

namespace {

class EventRecorder final : public GpuRecorder {
 public:
  explicit EventRecorder(const Function<double()>& now) : now_(now) {}

  void start() override {
    for (const int device : minima::detail::used_devices()) anchor_of(device);
  }

  void begin(std::int32_t span, SpanKind kind) override {
    if (kind != SpanKind::op || depth_++ > 0 || minima::detail::capture_scope) return;
    const Stream stream = current();
    anchor_of(stream.device().index);
    Pair& pair = pairs_.emplace_back(span, stream);
    pair.begin.record(stream);
    is_open_ = true;
  }
  void end(SpanKind kind) noexcept override {
    if (kind != SpanKind::op || depth_ == 0 || --depth_ > 0 || !std::exchange(is_open_, false)) return;
    try {
      pairs_.back().end.record(pairs_.back().stream);
    } catch (const Error&) {  // the next call of the GPU tells
      pairs_.pop_back();
    }
  }

  void finish(GpuRecording& gpu, const NamedSpans& recording,
              const Function<std::int32_t(std::string_view)>&) override {
    wait_for_gpus();
    for (const Pair& pair : pairs_) {
      if (!pair.end.handle()) continue;  // an exception left it open
      Anchor& anchor = anchors_.at(pair.stream.device().index);
      const double begin = anchor.seconds + 1e-3 * static_cast<double>(pair.begin.since(*anchor.event));
      const double length = 1e-3 * static_cast<double>(pair.end.since(pair.begin));
      gpu.work.push_back({.name = recording[pair.span].name,
                          .span = pair.span,
                          .kind = GpuWorkKind::op,
                          .device = pair.stream.device().index,
                          .stream = pair.stream.id(),
                          .begin = begin,
                          .end = begin + length});
      // CUDA tells the time between events as a float, which is too coarse for long recordings.
      if (begin - anchor.seconds > 0.1) anchor = {&pair.begin, begin};
    }
  }

 private:
  struct Pair {
    Pair(std::int32_t inside, Stream on) : span(inside), stream(on) {}
    std::int32_t span;
    Stream stream;
    Event begin{true}, end{true};
  };
  /// An event, and when it was on the recording's clock.
  struct Anchor {
    const Event* event = nullptr;
    double seconds = 0;
  };

  static Stream current() {
    const int device = minima::detail::thread_device.device;
    return Stream(minima::detail::current_stream_state(device));
  }
  /// The first event of each GPU, recorded while nothing runs on it.
  void anchor_of(int device) {
    if (anchors_.contains(device)) return;
    const Device gpu = Device::cuda(device);
    synchronize(gpu);
    Event& event = first_.try_emplace(device, true).first->second;
    const double before = now_();
    event.record(current_stream(gpu));
    event.synchronize();
    anchors_[device] = {&event, (before + now_()) / 2};
  }

  Function<double()> now_;
  std::map<int, Event> first_;
  std::map<int, Anchor> anchors_;
  std::vector<Pair> pairs_;
  int depth_ = 0;
  bool is_open_ = false;
};

}  // namespace

std::unique_ptr<GpuRecorder> record_by_events(const Function<double()>& now) {
  return std::make_unique<EventRecorder>(now);
}

}  // namespace minima::profiler
