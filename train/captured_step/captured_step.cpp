#include <minima/train/captured_step/captured_step.h>

#include <minima/autograd/autocast_state.h>
#include <minima/autograd/mode.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/device/capture.h>
#include <minima/tensor/random/philox_state.h>
#include <minima/tensor/transfer.h>
#include <minima/tensor/zero_memory.h>
#include <minima/train/captured_step/graph_driver.h>
#include <minima/train/captured_step/step_signature.h>

#include <optional>

namespace minima::train {

namespace {

int next_pool() {
  static std::int32_t pools = 1000;  // below: for programs that capture themselves
  return __atomic_add_fetch(&pools, 1, __ATOMIC_RELAXED);
}

/// A tensor's values at an address of the graph's own, or anywhere for the caller.
Tensor place_like(const Tensor& x, Device device) {
  return empty(Layout::dense_like(x.layout()), {.dtype = x.dtype(), .device = device});
}

void copy_in(const Tensor& from, const Tensor& to) {
  const Tensor there =
      from.device() == to.device()
          ? from
          : detail::on_device(from.layout().is_dense() ? from : detail::clone_values(from), to.device());
  detail::copy_values(there, to);
}

}  // namespace

class CapturedStep::Impl {
 public:
  Impl(Body body, const CaptureOptions& options)
      : body_(std::move(body)), options_(options), driver_(options.driver ? *options.driver : cuda_graphs()) {}
  ~Impl() {
    for (const auto& entry : entries_) forget(*entry);
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs) {
    for (const auto& hook : hooks_) hook();
    const Device device = device_of(inputs);
    if (!options_.enabled) return run_eagerly(inputs, "capturing is switched off");
    if (!driver_.can_capture(device)) return run_eagerly(inputs, str("work on ", device, " is not captured"));
    if (!broken_.empty()) return run_eagerly(inputs, broken_);
    watched_.upload_learning_rates();
    if (const WatchedState now = watched_.state(); now != seen_) {
      for (const auto& entry : entries_) forget(*entry);
      seen_ = now;
    }
    Entry* const entry = entry_for(inputs);
    if (!entry) return run_eagerly(inputs, str("there are more than ", options_.graphs, " shapes of inputs"));
    if (!entry->graph && entry->eager_left > 0) {
      --entry->eager_left;
      return run_on_capture_stream(inputs, device);
    }
    if (!entry->graph && !capture(*entry, inputs, device)) return run_eagerly(inputs, broken_);
    return replay(*entry, inputs);
  }

  std::vector<Function<void()>> hooks_;
  Watched watched_;
  Counts counts_;
  std::string reason_;

  void invalidate() {
    for (const auto& entry : entries_) forget(*entry);
    broken_.clear();
  }

 private:
  /// One shape of inputs.
  struct Entry {
    std::vector<InputSignature> signature;
    int eager_left;
    int pool = 0;
    Device device;
    std::unique_ptr<GraphDriver::Graph> graph;
    std::vector<Tensor> inputs, outputs;  ///< the graph's own
    std::vector<std::vector<Tensor>> ring;
    std::size_t next = 0;
    Tensor offset;               ///< int64: where replays start to draw
    std::uint64_t counters = 0;  ///< that one uses
  };

  Device device_of(const std::vector<Tensor>& inputs) const {
    if (const std::optional<Device> device = watched_.device()) return *device;
    for (const Tensor& input : inputs)
      if (input.defined()) return input.device();
    return Device::cpu();
  }

  Entry* entry_for(const std::vector<Tensor>& inputs) {
    std::vector<InputSignature> signature = signature_of(inputs);
    for (const auto& entry : entries_)
      if (entry->signature == signature) return entry.get();
    if (entries_.size() >= options_.graphs) return nullptr;
    auto entry = std::make_unique<Entry>();
    entry->signature = std::move(signature);
    entry->eager_left = entries_.empty() ? options_.warmup : 1;
    entries_.push_back(std::move(entry));
    return entries_.back().get();
  }

  std::vector<Tensor> run_eagerly(const std::vector<Tensor>& inputs, const std::string& why) {
    reason_ = why;
    ++counts_.eager;
    return body_(inputs);
  }

  /// Eagerly, on the stream that will be captured: what libraries set up at a first call is there then.
  std::vector<Tensor> run_on_capture_stream(const std::vector<Tensor>& inputs, Device device) {
    const Aside aside(driver_, device);
    return run_eagerly(inputs, "the step is still warming up");
  }

  bool capture(Entry& entry, const std::vector<Tensor>& inputs, Device device) {
    if (detail::autocasts(detail::mode().autocast, device.type)) {
      broken_ =
          "autocast is on around the step, so casts of weights from outside could be used; open it inside of the step";
      return false;
    }
    entry.device = device;
    entry.pool = next_pool();
    entry.offset = detail::zeroed({}, {.dtype = int64, .device = device});
    for (const Tensor& input : inputs) entry.inputs.push_back(place_like(input, device));
    for (std::size_t i = 0; i < inputs.size(); ++i) copy_in(inputs[i], entry.inputs[i]);
    const SavedGradients gradients = watched_.gradients();
    const Aside aside(driver_, device);
    driver_.begin(device, entry.pool);
    try {
      const detail::CaptureScope scope(device);
      const PhiloxCapture draws(reinterpret_cast<const std::uint64_t*>(entry.offset.data<std::int64_t>()));
      entry.outputs = body_(entry.inputs);
      entry.counters = draws.counters();
    } catch (const std::exception& error) {
      driver_.abandon(device);
      give_up(entry, gradients, error.what());
      return false;
    } catch (...) {
      driver_.abandon(device);
      give_up(entry, gradients, "the step threw what is no exception of the standard library");
      return false;
    }
    try {
      entry.graph = driver_.end(device);
    } catch (const Error& error) {
      give_up(entry, gradients, error.what());
      return false;
    }
    for (Tensor& output : entry.outputs) output = output.detach();
    ++counts_.captured;
    seen_ = watched_.state();  // gradients and state lie where the graph put them
    return true;
  }

  void give_up(Entry& entry, const SavedGradients& gradients, const std::string& why) {
    broken_ = why;
    forget(entry);
    gradients.restore();
  }

  std::vector<Tensor> replay(Entry& entry, const std::vector<Tensor>& inputs) {
    const NoGrad guard;
    for (std::size_t i = 0; i < inputs.size(); ++i) copy_in(inputs[i], entry.inputs[i]);
    if (entry.counters > 0)
      fill_(entry.offset, static_cast<std::int64_t>(default_generator().reserve(entry.counters).offset));
    entry.graph->replay();
    watched_.bump_versions();
    ++counts_.replayed;
    reason_.clear();
    return copies_of(entry);
  }

  /// Each returned tensor goes to a place that nobody holds any more, or to a new one.
  static std::vector<Tensor> copies_of(Entry& entry) {
    const auto is_free = [](const std::vector<Tensor>& slot) {
      for (const Tensor& tensor : slot)
        if (!tensor.impl()->storage->unique()) return false;
      return true;
    };
    std::vector<Tensor>* slot = nullptr;
    for (std::size_t i = 0; i < entry.ring.size() && !slot; ++i) {
      std::vector<Tensor>& candidate = entry.ring[entry.next++ % entry.ring.size()];
      if (is_free(candidate)) slot = &candidate;
    }
    if (!slot) {
      slot = &entry.ring.emplace_back();
      for (const Tensor& output : entry.outputs) slot->push_back(place_like(output, output.device()));
    }
    std::vector<Tensor> results;
    for (std::size_t i = 0; i < slot->size(); ++i) {
      detail::copy_values(entry.outputs[i], (*slot)[i]);
      results.push_back((*slot)[i].detach());  // a handle of its own, so that the storage says whether it is held
    }
    return results;
  }

  void forget(Entry& entry) {
    const bool had_pool = entry.pool != 0;
    entry.graph.reset();
    entry.outputs.clear();
    entry.inputs.clear();
    entry.ring.clear();
    entry.eager_left = std::max(entry.eager_left, 1);
    if (had_pool) driver_.release_pool(entry.device, std::exchange(entry.pool, 0));
  }

  /// The time between enter and leave.
  class Aside {
   public:
    Aside(GraphDriver& driver, Device device) : driver_(driver), device_(device) { driver.enter(device); }
    ~Aside() { driver_.leave(device_); }
    Aside(const Aside&) = delete;

   private:
    GraphDriver& driver_;
    Device device_;
  };

  Body body_;
  CaptureOptions options_;
  GraphDriver& driver_;
  std::vector<std::unique_ptr<Entry>> entries_;
  WatchedState seen_;
  std::string broken_;
};

CapturedStep::CapturedStep(Body body, const CaptureOptions& options, int) : impl_(new Impl(std::move(body), options)) {}
CapturedStep::~CapturedStep() { delete impl_; }

std::vector<Tensor> CapturedStep::call(const std::vector<Tensor>& inputs) { return impl_->call(inputs); }
void CapturedStep::on_replay(Function<void()> hook) { impl_->hooks_.push_back(std::move(hook)); }
Watched& CapturedStep::watched() { return impl_->watched_; }
void CapturedStep::watch(optim::Optimizer& optimizer) { watched().add(optimizer); }
void CapturedStep::invalidate() { impl_->invalidate(); }
CapturedStep::Counts CapturedStep::counts() const { return impl_->counts_; }
const std::string& CapturedStep::reason() const { return impl_->reason_; }

void CapturedStep::expect_inputs(std::size_t wanted, std::size_t given) {
  if (wanted != given) throw ValueError(str("CapturedStep: the function takes ", wanted, " tensors, not ", given));
}

}  // namespace minima::train
