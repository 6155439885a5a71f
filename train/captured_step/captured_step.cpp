#include <minima/train/captured_step/captured_step.h>

#include <minima/autograd/autocast_state.h>
#include <minima/autograd/mode.h>
#include <minima/ops/core/reported.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/optim/optimizer.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/device/capture_observer.h>
#include <minima/tensor/pinned.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/random/philox_state.h>
#include <minima/tensor/transfer.h>
#include <minima/tensor/zero_memory.h>
#include <minima/train/captured_step/graph_driver.h>
#include <minima/train/captured_step/step_signature.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace minima::train {

namespace {

int next_pool() {
  static std::int32_t pools = 1000;  // smaller numbers are left to programs that capture graphs themselves
  return __atomic_add_fetch(&pools, 1, __ATOMIC_RELAXED);
}

/// An uninitialised dense tensor of x's shape and dtype.
Tensor buffer_like(const Tensor& x, Device device) {
  return empty(Layout::dense_like(x.layout()), {.dtype = x.dtype(), .device = device});
}

/// Copies an input to the graph's. From pageable memory CUDA would wait for the GPU first.
void copy_in(const Tensor& from, const Tensor& to) {
  if (from.device() == to.device()) return detail::copy_values(from, to);
  if (from.device().is_cuda()) {
    const Tensor dense = from.layout().is_dense() ? from : detail::clone_values(from);
    return detail::copy_values(detail::on_device(dense, to.device()), to);
  }
  if (from.layout() == to.layout() && is_pinned(from)) return detail::transfer(from, to);
  const Tensor staged = empty_pinned(Layout(to.layout()), to.dtype());
  detail::copy_values(from, staged);
  detail::transfer(staged, to);
}

}  // namespace

class CapturedStep::Impl {
 public:
  Impl(Body body, const CaptureOptions& options)
      : body_(std::move(body)), options_(options), driver_(options.driver ? *options.driver : cuda_graphs()) {
    minima::detail::check_count("CapturedStep", "warmup", options.warmup, 0);
  }
  ~Impl() {
    for (const auto& recording : recordings_) forget(*recording);
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs) {
    for (const auto& hook : hooks_) hook();
    watched_.look();
    const Device device = device_of(inputs);
    if (!options_.enabled) return run_eagerly(inputs, "capturing is switched off");
    if (!driver_.can_capture(device)) return run_eagerly(inputs, str("work on ", device, " is not captured"));
    if (!broken_.empty()) return run_eagerly(inputs, broken_);
    watched_.upload_learning_rates();
    if (watched_.revision() != seen_) {
      for (const auto& recording : recordings_) forget(*recording);
      seen_ = watched_.revision();
    }
    Recording* const recording = recording_for(inputs);
    if (!recording) return run_eagerly(inputs, str("the inputs have had more than ", options_.graphs, " shapes"));
    if (!recording->graph && recording->warmup_left > 0) {
      --recording->warmup_left;
      return run_on_capture_stream(inputs, device);
    }
    if (!recording->graph && !capture(*recording, inputs, device)) return run_eagerly(inputs, broken_);
    return replay(*recording, inputs);
  }

  std::vector<Tensor> call_eagerly(const std::vector<Tensor>& inputs) {
    for (const auto& hook : hooks_) hook();
    const std::string why = "it was called eagerly";
    const Device device = device_of(inputs);
    if (!options_.enabled || !driver_.can_capture(device)) return run_eagerly(inputs, why);
    const OnCaptureStream scope(driver_, device);  // where the graphs' steps run
    return run_eagerly(inputs, why);
  }

  std::vector<Function<void()>> hooks_;
  Watched watched_;
  Counts counts_;
  std::string reason_;

  void invalidate() {
    for (const auto& recording : recordings_) forget(*recording);
    broken_.clear();
  }

 private:
  /// The graph for one signature of inputs.
  struct Recording {
    std::vector<InputSignature> signature;
    int warmup_left;
    int pool = 0;
    Device device;
    std::unique_ptr<GraphDriver::Graph> graph;
    std::vector<Tensor> inputs, outputs;       ///< at the addresses that the graph uses
    std::vector<std::vector<Tensor>> results;  ///< copies of the outputs, reused once the caller drops them
    std::size_t next_result = 0;
    Tensor offset;               ///< int64: Philox offset of the next replay
    std::uint64_t counters = 0;  ///< Philox counters that one replay consumes
  };

  Device device_of(const std::vector<Tensor>& inputs) const {
    if (const std::optional<Device> device = watched_.device()) return *device;
    for (const Tensor& input : inputs)
      if (input.defined()) return input.device();
    return Device::cpu();
  }

  Recording* recording_for(const std::vector<Tensor>& inputs) {
    std::vector<InputSignature> signature = signature_of(inputs);
    for (const auto& recording : recordings_)
      if (recording->signature == signature) return recording.get();
    if (recordings_.size() >= options_.graphs) return nullptr;
    auto recording = std::make_unique<Recording>();
    recording->signature = std::move(signature);
    recording->warmup_left = recordings_.empty() ? options_.warmup : 1;
    recordings_.push_back(std::move(recording));
    return recordings_.back().get();
  }

  std::vector<Tensor> run_eagerly(const std::vector<Tensor>& inputs, const std::string& why) {
    reason_ = why;
    ++counts_.eager;
    return body_(inputs);
  }

  /// Runs eagerly on the stream that will be captured, so that libraries finish their first-call setup there.
  std::vector<Tensor> run_on_capture_stream(const std::vector<Tensor>& inputs, Device device) {
    const OnCaptureStream scope(driver_, device);
    return run_eagerly(inputs, "the step is still warming up");
  }

  bool capture(Recording& recording, const std::vector<Tensor>& inputs, Device device) {
    if (detail::autocasts(detail::mode().autocast, device.type)) {
      broken_ =
          "autocast is enabled outside the step, so the graph could use weights that were cast before it; enable it "
          "inside";
      return false;
    }
    recording.device = device;
    recording.offset = minima::detail::zeroed({}, {.dtype = int64, .device = device});
    recording.inputs.clear();  // of an attempt that failed
    for (const Tensor& input : inputs) recording.inputs.push_back(buffer_like(input, device));
    for (std::size_t i = 0; i < inputs.size(); ++i) copy_in(inputs[i], recording.inputs[i]);
    const SavedGradients gradients = watched_.gradients();
    const OnCaptureStream scope(driver_, device);
    const int pool = next_pool();
    driver_.begin(device, pool);
    recording.pool = pool;
    try {
      const detail::CaptureScope capturing(device);
      const detail::ObservedCapture observed;
      const PhiloxCapture draws(reinterpret_cast<const std::uint64_t*>(recording.offset.data<std::int64_t>()));
      recording.outputs = body_(recording.inputs);
      recording.counters = draws.counters();
    } catch (const std::exception& error) {
      driver_.abandon(device);
      give_up(recording, gradients, error.what());
      return false;
    } catch (...) {
      driver_.abandon(device);
      give_up(recording, gradients, "the step threw an object that is not a std::exception");
      return false;
    }
    try {
      recording.graph = driver_.end(device);
    } catch (const Error& error) {
      give_up(recording, gradients, error.what());
      return false;
    }
    for (Tensor& output : recording.outputs) output = output.detach();
    ++counts_.captured;
    watched_.look();
    seen_ = watched_.revision();  // with gradients and optimizer state at the graph's addresses
    return true;
  }

  void give_up(Recording& recording, const SavedGradients& gradients, const std::string& why) {
    broken_ = why;
    forget(recording);
    gradients.restore();
  }

  std::vector<Tensor> replay(Recording& recording, const std::vector<Tensor>& inputs) {
    const NoGrad guard;
    for (std::size_t i = 0; i < inputs.size(); ++i) copy_in(inputs[i], recording.inputs[i]);
    if (recording.counters > 0)
      fill_(recording.offset, static_cast<std::int64_t>(default_generator().reserve(recording.counters).offset));
    {
      const detail::Reported reported("captured_step", {});
      recording.graph->replay();
    }
    watched_.bump_versions();
    ++counts_.replayed;
    reason_.clear();
    return copies_of(recording);
  }

  /// Copies the outputs into results that the caller no longer holds, or into new ones.
  static std::vector<Tensor> copies_of(Recording& recording) {
    const auto is_free = [](const std::vector<Tensor>& result) {
      for (const Tensor& tensor : result)
        if (!tensor.impl()->storage->unique()) return false;
      return true;
    };
    std::vector<Tensor>* result = nullptr;
    for (std::size_t i = 0; i < recording.results.size() && !result; ++i) {
      std::vector<Tensor>& candidate = recording.results[recording.next_result++ % recording.results.size()];
      if (is_free(candidate)) result = &candidate;
    }
    if (!result) {
      result = &recording.results.emplace_back();
      for (const Tensor& output : recording.outputs) result->push_back(buffer_like(output, output.device()));
    }
    std::vector<Tensor> handles;
    for (std::size_t i = 0; i < result->size(); ++i) {
      detail::copy_values(recording.outputs[i], (*result)[i]);
      handles.push_back(
          (*result)[i].detach());  // a second handle: the storage is unique again once the caller drops it
    }
    return handles;
  }

  void forget(Recording& recording) {
    const bool had_pool = recording.pool != 0;
    recording.graph.reset();
    recording.outputs.clear();
    recording.inputs.clear();
    recording.results.clear();
    recording.warmup_left = std::max(recording.warmup_left, 1);
    if (had_pool) driver_.release_pool(recording.device, std::exchange(recording.pool, 0));
  }

  /// Switches this thread to the capture stream.
  class OnCaptureStream {
   public:
    OnCaptureStream(GraphDriver& driver, Device device) : driver_(driver), device_(device) { driver.enter(device); }
    ~OnCaptureStream() { driver_.leave(device_); }
    OnCaptureStream(const OnCaptureStream&) = delete;

   private:
    GraphDriver& driver_;
    Device device_;
  };

  Body body_;
  CaptureOptions options_;
  GraphDriver& driver_;
  std::vector<std::unique_ptr<Recording>> recordings_;
  std::uint64_t seen_ = 0;  ///< revision of what is watched
  std::string broken_;
};

CapturedStep::CapturedStep(Body body, const CaptureOptions& options, int) : impl_(new Impl(std::move(body), options)) {}
CapturedStep::~CapturedStep() { delete impl_; }

std::vector<Tensor> CapturedStep::call(const std::vector<Tensor>& inputs) { return impl_->call(inputs); }
std::vector<Tensor> CapturedStep::call_eagerly(const std::vector<Tensor>& inputs) {
  return impl_->call_eagerly(inputs);
}
void CapturedStep::on_replay(Function<void()> hook) { impl_->hooks_.push_back(std::move(hook)); }
Watched& CapturedStep::watched() { return impl_->watched_; }
void CapturedStep::watch(optim::Optimizer& optimizer) { watched().add(optimizer); }
void CapturedStep::invalidate() { impl_->invalidate(); }
CapturedStep::Counts CapturedStep::counts() const { return impl_->counts_; }
const std::string& CapturedStep::reason() const { return impl_->reason_; }

void CapturedStep::expect_inputs(std::size_t wanted, std::size_t given) {
  if (wanted != given) throw ValueError(str("CapturedStep: the function takes ", wanted, " tensors, got ", given));
}

}  // namespace minima::train
