#include <minima/train/captured_step/captured_step.h>

#include <minima/autograd/autocast_state.h>
#include <minima/autograd/mode.h>
#include <minima/distributed/captured_groups.h>
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

using distributed::detail::captured_difference;
using distributed::detail::CapturedGroups;
using distributed::detail::CapturedOperations;

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
    std::vector<InputSignature> signature = signature_of(inputs);
    const bool has_changed = watched_.revision() != seen_;
    seen_ = watched_.revision();
    if (!groups_.has_others()) {
      if (has_changed) forget_all();
      last_ = broken_.empty() ? recording_for(std::move(signature), "") : nullptr;
    } else if (const bool goes_on = !has_changed && is_steady(signature); !groups_.all_agree(goes_on)) {
      if (agree(std::move(signature), has_changed, false)) {
        const OnCaptureStream scope(driver_, device);
        return run_eagerly(inputs, "another rank called the step eagerly");
      }
    }
    if (!broken_.empty()) return run_eagerly(inputs, broken_);
    watched_.upload_learning_rates();
    if (!last_) return run_eagerly(inputs, str("the inputs have had more than ", options_.graphs, " shapes"));
    if (!last_->graph && last_->warmup_left > 0) {
      --last_->warmup_left, ++warmed_up_;
      return run_on_capture_stream(inputs, device);
    }
    if (last_->graph || capture(*last_, inputs, device)) return replay(*last_, inputs);
    const std::string why = broken_.empty() ? "the step communicates over groups whose ranks have to agree" : broken_;
    start_again();
    return run_eagerly(inputs, why);
  }

  std::vector<Tensor> call_eagerly(const std::vector<Tensor>& inputs) {
    for (const auto& hook : hooks_) hook();
    const std::string why = "it was called eagerly";
    const Device device = device_of(inputs);
    if (!options_.enabled || !driver_.can_capture(device)) return run_eagerly(inputs, why);
    if (groups_.has_others() && !groups_.all_agree(false)) agree(signature_of(inputs), false, true);
    const OnCaptureStream scope(driver_, device);  // where the graphs' steps run
    return run_eagerly(inputs, why);
  }

  std::vector<Function<void()>> hooks_;
  Watched watched_;
  Counts counts_;
  std::string reason_;

  void invalidate() {
    forget_all();
    broken_.clear();
  }

 private:
  /// The graph for one signature of inputs.
  struct Recording {
    std::vector<InputSignature> signature;
    std::string others;  ///< the signatures of all ranks
    int warmup_left;
    int pool = 0;
    Device device;
    CapturedOperations operations;  ///< outlive the graph
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

  Recording* recording_for(std::vector<InputSignature> signature, const std::string& others) {
    for (const auto& recording : recordings_)
      if (recording->signature == signature && recording->others == others) return recording.get();
    if (recordings_.size() >= options_.graphs) return nullptr;
    auto recording = std::make_unique<Recording>();
    recording->signature = std::move(signature);
    recording->others = others;
    recording->warmup_left = recordings_.empty() ? std::max(0, options_.warmup - warmed_up_) : 1;
    recordings_.push_back(std::move(recording));
    return recordings_.back().get();
  }

  // --- steps that communicate ---

  /// Whether this call does what the last one did, as far as this rank knows.
  bool is_steady(const std::vector<InputSignature>& signature) const {
    if (!broken_.empty()) return is_agreed_broken_;
    return last_ && last_->graph && last_->signature == signature;
  }

  /// Decides by what all ranks say, and so on all ranks alike. Returns whether one was called eagerly.
  bool agree(std::vector<InputSignature> signature, bool has_changed, bool eagerly) {
    std::string others;
    bool any_changed = false, any_eager = false;
    for (const std::string& text : groups_.exchange(str(has_changed ? 'c' : 's', broken_.empty() ? ' ' : 'b',
                                                        eagerly ? 'e' : ' ', text_of(signature), '\n', broken_))) {
      const std::size_t end = text.find('\n');
      any_changed = any_changed || text[0] == 'c';
      any_eager = any_eager || text[2] == 'e';
      if (text[1] == 'b' && broken_.empty()) broken_ = str("on another rank: ", text.substr(end + 1));
      others += text.substr(3, end - 2);
    }
    is_agreed_broken_ = !broken_.empty();
    if (any_changed) forget_all();
    last_ = broken_.empty() ? recording_for(std::move(signature), others) : nullptr;
    return any_eager;
  }

  static std::string text_of(const std::vector<InputSignature>& signature) {
    std::string text;
    for (const InputSignature& input : signature) text += str(input.dtype, ' ', input.shape, ' ');
    return text;
  }

  /// Other groups may have to agree now, so that no recording counts.
  void start_again() {
    if (!groups_.settle()) return;
    forget_all();
    recordings_.clear();
    last_ = nullptr;
  }

  /// Keeps a capture if all ranks have captured, and the same operations. `failed` is empty if this one has; it may try
  /// again unless that is final.
  bool settle_capture(std::string& failed, bool& is_final) {
    std::vector<std::string> texts =
        groups_.exchange(failed.empty() ? 'k' + last_->operations.text() : str(is_final ? 'b' : 'a', failed));
    for (std::size_t rank = 0; rank < texts.size(); ++rank) {
      is_final = is_final || texts[rank][0] == 'b';
      if (texts[rank][0] != 'k' && failed.empty()) failed = str("rank ", rank, ": ", texts[rank].substr(1));
      texts[rank].erase(0, 1);
    }
    if (!failed.empty()) return false;
    failed = captured_difference(texts);
    is_final = true;
    return failed.empty();
  }

  // ---

  std::vector<Tensor> run_eagerly(const std::vector<Tensor>& inputs, const std::string& why) {
    reason_ = why;
    ++counts_.eager;
    std::vector<Tensor> results;
    {
      const CapturedGroups::Scope noting(groups_);
      results = body_(inputs);
    }
    if (driver_.can_capture(device_of(inputs)) && options_.enabled) start_again();
    return results;
  }

  /// Runs eagerly on the stream that will be captured, so that libraries finish their first-call setup there.
  std::vector<Tensor> run_on_capture_stream(const std::vector<Tensor>& inputs, Device device) {
    const OnCaptureStream scope(driver_, device);
    return run_eagerly(inputs, "the step is still warming up");
  }

  /// Captures the step. If that fails on any rank, it is undone, and `broken_` says why unless another attempt may do.
  bool capture(Recording& recording, const std::vector<Tensor>& inputs, Device device) {
    const SavedGradients gradients = watched_.gradients();
    bool is_final = true;
    std::string failed = record(recording, inputs, device, is_final);
    const bool is_kept = groups_.has_others() ? settle_capture(failed, is_final) : failed.empty();
    if (!is_kept) {
      recording.operations.out_of_date();
      if (is_final) broken_ = failed;
      forget(recording);
      gradients.restore();
      return false;
    }
    for (Tensor& output : recording.outputs) output = output.detach();
    ++counts_.captured;
    watched_.look();
    seen_ = watched_.revision();  // with gradients and optimizer state at the graph's addresses
    return true;
  }

  /// Records a graph; returns why it could not.
  std::string record(Recording& recording, const std::vector<Tensor>& inputs, Device device, bool& is_final) {
    if (detail::autocasts(detail::mode().autocast, device.type))
      return "autocast is enabled outside the step, so the graph could use weights that were cast before it; enable it "
             "inside";
    recording.device = device;
    recording.offset = minima::detail::zeroed({}, {.dtype = int64, .device = device});
    recording.inputs.clear();  // of an attempt that failed
    for (const Tensor& input : inputs) recording.inputs.push_back(buffer_like(input, device));
    for (std::size_t i = 0; i < inputs.size(); ++i) copy_in(inputs[i], recording.inputs[i]);
    const OnCaptureStream scope(driver_, device);
    const int pool = next_pool();
    driver_.begin(device, pool);
    recording.pool = pool;
    std::string failed;
    try {
      const detail::CaptureScope capturing(device);
      const detail::ObservedCapture observed;
      const PhiloxCapture draws(reinterpret_cast<const std::uint64_t*>(recording.offset.data<std::int64_t>()));
      const CapturedGroups::Scope noting(groups_);
      recording.outputs = body_(recording.inputs);
      recording.counters = draws.counters();
      recording.operations = groups_.join();
    } catch (const std::exception& error) {
      failed = str(error.what());
    } catch (...) {
      failed = "the step threw an object that is not a std::exception";
    }
    if (!failed.empty()) {
      is_final = !groups_.has_more();
      driver_.abandon(device);
      groups_.abandon();
      return failed;
    }
    try {
      recording.graph = driver_.end(device);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  std::vector<Tensor> replay(Recording& recording, const std::vector<Tensor>& inputs) {
    const NoGrad guard;
    for (std::size_t i = 0; i < inputs.size(); ++i) copy_in(inputs[i], recording.inputs[i]);
    if (recording.counters > 0)
      fill_(recording.offset, static_cast<std::int64_t>(default_generator().reserve(recording.counters).offset));
    {
      const detail::Reported reported("captured_step", {});
      recording.operations.before_replay();
      recording.graph->replay();
      recording.operations.after_replay();
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

  void forget_all() {
    for (const auto& recording : recordings_) forget(*recording);
  }

  void forget(Recording& recording) {
    const bool had_pool = recording.pool != 0;
    recording.graph.reset();
    recording.operations = {};
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
  CapturedGroups groups_;
  std::vector<std::unique_ptr<Recording>> recordings_;
  Recording* last_ = nullptr;  ///< that a call decided for; none if it runs eagerly for good or has too many shapes
  int warmed_up_ = 0;          ///< calls before captures, so far
  std::uint64_t seen_ = 0;     ///< revision of what is watched
  std::string broken_;
  bool is_agreed_broken_ = false;  ///< all ranks know of it
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
