#include <minima/train/captured_step/captured_step.h>

#include <minima/autograd/autocast_state.h>
#include <minima/autograd/mode.h>
#include <minima/distributed/captured_groups.h>
#include <minima/distributed/store/error.h>
#include <minima/ops/core/reported.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/optim/optimizer.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/device/capture_observer.h>
#include <minima/tensor/random/generator.h>
#include <minima/tensor/random/philox_state.h>
#include <minima/tensor/zero_memory.h>
#include <minima/train/captured_step/graph_driver.h>
#include <minima/train/captured_step/recording.h>
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

namespace {

/// Whether this thread runs a step on its capture stream.
constinit thread_local bool is_in_step = false;

constexpr const char* other_gradients =
    "the step uses gradients from before it, which are not where they were when it was captured; to replay it always, "
    "clear gradients in the step, by optimizer.zero_grad()";
constexpr const char* frees_gradients =
    "the step frees gradients from before it that it has used; it is captured again";

int next_pool() {
  static std::int32_t pools = 1000;  // smaller numbers are left to programs that capture graphs themselves
  return __atomic_add_fetch(&pools, 1, __ATOMIC_RELAXED);
}

}  // namespace

class CapturedStep::Impl {
 public:
  Impl(Body body, const CaptureOptions& options)
      : body_(std::move(body)), options_(options), driver_(options.driver ? *options.driver : cuda_graphs()) {
    minima::detail::check_count("CapturedStep", "warmup", options.warmup, 0);
  }
  ~Impl() { forget_all(); }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs) {
    for (const auto& hook : hooks_) hook();
    if (is_in_step) return run_as_part(inputs);
    watched_.look();
    const Device device = device_of(inputs);
    if (!options_.enabled) return run_eagerly(inputs, "capturing is switched off");
    if (!driver_.can_capture(device)) return run_eagerly(inputs, str("work on ", device, " is not captured"));
    std::vector<InputSignature> signature = signature_of(inputs);
    const bool has_changed = std::exchange(is_invalid_, false) || watched_.revision() != seen_;
    seen_ = watched_.revision();
    const bool has_moved = !has_changed && has_other_gradients(signature);
    bool is_eager = has_moved;
    if (!groups_.has_others()) {
      if (has_changed) forget_all();
      last_ = broken_.empty() ? recording_for(std::move(signature), "") : nullptr;
    } else if (const bool goes_on = !has_changed && !has_moved && is_steady(signature); !groups_.all_agree(goes_on)) {
      is_eager = agree(std::move(signature), has_changed, has_moved);
    }
    if (!broken_.empty()) return run_eagerly(inputs, broken_);
    if (is_eager)
      return run_on_capture_stream(inputs, device,
                                   has_moved ? other_gradients : "another rank called the step eagerly");
    watched_.upload_learning_rates();
    if (!last_) return run_eagerly(inputs, str("the inputs have had more than ", options_.graphs, " shapes"));
    if (!last_->graph && last_->warmup_left > 0) {
      --last_->warmup_left, ++warmed_up_;
      return run_on_capture_stream(inputs, device, "the step is still warming up");
    }
    std::string why;
    if (last_->graph || capture(*last_, inputs, device, why)) return replay(*last_, inputs);
    start_again();
    return run_eagerly(inputs, why);
  }

  std::vector<Tensor> call_eagerly(const std::vector<Tensor>& inputs) {
    for (const auto& hook : hooks_) hook();
    if (is_in_step) return run_as_part(inputs);
    const char* const why = "it was called eagerly";
    const Device device = device_of(inputs);
    if (!options_.enabled || !driver_.can_capture(device)) return run_eagerly(inputs, why);
    if (groups_.has_others() && !groups_.all_agree(false)) agree(signature_of(inputs), false, true);
    return run_on_capture_stream(inputs, device, why);
  }

  std::vector<Function<void()>> hooks_;
  Watched watched_;
  Counts counts_;
  std::string reason_;

  void invalidate() {
    is_invalid_ = true;  // other ranks hear of it at the next call
    forget_all();
    broken_.clear();
  }

 private:
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

  /// Whether a graph for these inputs uses gradients of before the step, and not those that are there.
  bool has_other_gradients(const std::vector<InputSignature>& signature) const {
    return std::any_of(recordings_.begin(), recordings_.end(), [&](const auto& recording) {
      return recording->graph && recording->signature == signature && !recording->used.are_current();
    });
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
    const SavedGradients gradients = watched_.gradients();
    {
      const CapturedGroups::Scope noting(groups_);
      results = body_(inputs);
    }
    watched_.learn(gradients);
    if (driver_.can_capture(device_of(inputs)) && options_.enabled) start_again();
    return results;
  }

  /// Runs eagerly on the stream that will be captured, so that libraries finish their first-call setup there.
  std::vector<Tensor> run_on_capture_stream(const std::vector<Tensor>& inputs, Device device, const char* why) {
    const OnCaptureStream scope(driver_, device);
    return run_eagerly(inputs, why);
  }

  /// Runs the step as a part of the one that calls it, in whose graph it is.
  std::vector<Tensor> run_as_part(const std::vector<Tensor>& inputs) {
    reason_ = "another captured step has called it, and contains it";
    ++counts_.eager;
    return body_(inputs);
  }

  /// Captures the step. If that fails on any rank, it is undone, and `broken_` says why unless another attempt may do.
  bool capture(Recording& recording, const std::vector<Tensor>& inputs, Device device, std::string& failed) {
    const SavedGradients gradients = watched_.gradients();
    recording.used = watched_.used_gradients();
    bool is_final = true;
    failed = record(recording, inputs, device, is_final);
    watched_.learn(gradients);
    if (std::optional<GradientPlaces> used = gradients.used(recording.used)) recording.used = std::move(*used);
    else if (failed.empty()) failed = frees_gradients, is_final = false;
    const auto undo = [&] {
      recording.operations.out_of_date();
      recording.forget(driver_);
      gradients.restore();
    };
    try {
      if (groups_.has_others() ? !settle_capture(failed, is_final) : !failed.empty()) {
        if (is_final) broken_ = failed;
        undo();
        return false;
      }
    } catch (const distributed::DistributedError&) {  // another rank is gone
      undo();
      throw;
    }
    for (Tensor& output : recording.outputs) output = output.detach();
    recording.left = gradients.left();
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
    recording.take_inputs(inputs);
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
    recording.copy_inputs(inputs);
    if (recording.counters > 0)
      fill_(recording.offset, static_cast<std::int64_t>(default_generator().reserve(recording.counters).offset));
    {
      const detail::Reported reported("captured_step", {});
      recording.operations.before_replay();
      recording.graph->replay();
      recording.operations.after_replay();
    }
    recording.left.make_current();
    watched_.bump_versions();
    ++counts_.replayed;
    reason_.clear();
    return recording.copied_outputs();
  }

  void forget_all() {
    for (const auto& recording : recordings_) recording->forget(driver_);
  }

  /// Switches this thread to the capture stream.
  class OnCaptureStream {
   public:
    OnCaptureStream(GraphDriver& driver, Device device) : driver_(driver), device_(device) {
      driver.enter(device);
      is_in_step = true;
    }
    ~OnCaptureStream() {
      is_in_step = false;
      driver_.leave(device_);
    }
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
  bool is_invalid_ = false;        ///< the graphs were discarded by hand since the last call
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
