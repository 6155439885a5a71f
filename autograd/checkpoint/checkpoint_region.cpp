#include <minima/autograd/checkpoint/checkpoint_region.h>

#include <minima/autograd/autocast_state.h>
#include <minima/autograd/checkpoint/checkpoint.h>
#include <minima/autograd/checkpoint/offload.h>
#include <minima/autograd/mode.h>
#include <minima/autograd/node.h>
#include <minima/autograd/saved_tensor.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/random/random_tape.h>

#include <cstddef>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace minima {

Keep keep_products(const char* op) {
  constexpr std::string_view products[] = {"linear", "matmul", "conv2d", "scaled_dot_product_attention",
                                           "linear_cross_entropy"};
  for (const std::string_view product : products)
    if (product == op) return Keep::save;
  return Keep::recompute;
}

namespace detail {

// --- the forward ---

Region::Region(const CheckpointOptions& options, const std::vector<Tensor>& inputs, Recompute recompute)
    : options_(options),
      function_(std::move(recompute)),
      inputs_(inputs.size()),
      outputs_(options.policy, options.memory ? options.memory : &host_memory()),
      anomaly_(mode().anomaly) {
  if (const AutocastState* state = mode().autocast) {
    autocast_ = *state;
    caches_casts_ = state->cache != nullptr;
    autocast_->cache = nullptr;
  }
  // Hooks installed around this call, including an enclosing region's, pack the inputs.
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& input = inputs[i];
    if (input.defined()) inputs_[i].edge = edge_to(input);
    if (options.offload_inputs) {
      OffloadSavedTensors offload(options.memory ? *options.memory : host_memory(), 0);
      inputs_[i].saved.save(input, "checkpoint");
    } else {
      inputs_[i].saved.save(input, "checkpoint");
    }
  }
}

Region::~Region() {
  if (on_end) on_end();
}

static constinit thread_local int forwards_running = 0;

bool RegionForward::is_running() { return forwards_running > 0; }

RegionForward::RegionForward(Region& region) : region_(region), outer_tape_(mode().tape) {
  mode().tape = region.outputs_.has_policy() ? &region.outputs_ : nullptr;
  if (region.options_.preserve_rng) random_.emplace(region.random_, RandomTape::Use::Kind::record);
  region.in_forward_ = true;
  ++forwards_running;
}

RegionForward::~RegionForward() {
  --forwards_running;
  region_.in_forward_ = false;
  mode().tape = outer_tape_;
}

struct CheckpointScope::State {
  RegionPtr region;
  RegionForward forward;
  State(const CheckpointOptions& options, const std::vector<Tensor>& inputs, Region::Recompute again)
      : region(options, inputs, std::move(again)), forward(*region) {}
};

CheckpointScope::CheckpointScope(const CheckpointOptions& options, const std::vector<Tensor>& inputs,
                                 Region::Recompute again)
    : state_(new State(options, inputs, std::move(again))) {}
CheckpointScope::~CheckpointScope() { delete state_; }

PackedTensor* Region::pack(const Tensor& tensor, const char* op, bool is_leaf) {
  if (is_leaf) return nullptr;
  const std::lock_guard guard(lock_);
  holders_.push_back(nullptr);
  auto* const holder = new Holder(*this, holders_.size() - 1, tensor, op);
  holders_.back() = holder;
  return holder;
}

bool Region::evict() {
  const std::lock_guard guard(lock_);
  if (running_) return false;
  keeps_ = false;
  outputs_.clear();
  drop_values();
  return true;
}

void Region::drop_values() noexcept {
  for (Holder* holder : holders_)
    if (holder) holder->value_ = {};
}

// --- the recomputation ---

/// The thread's state during recomputation: as in forward, except for the hooks, which fill the holders.
class Region::Filling final : ModeGuard, SavedTensorHooks {
 public:
  explicit Filling(Region& region) : region_(region), casts_(region.caches_casts_) {
    Mode& now = mode();
    now.grad = true;
    now.inference = false;
    now.anomaly = region.anomaly_;
    now.recomputing = true;
    now.tape = &region.outputs_;
    now.autocast = nullptr;
    if (region.autocast_) {
      autocast_ = *region.autocast_;
      autocast_.cache = casts_.cache;
      now.autocast = &autocast_;
    }
    if (region.options_.preserve_rng) random_.emplace(region.random_, RandomTape::Use::Kind::play);
    region.outputs_.rewind();
    region.next_ = 0;
    region.running_ = true;
  }
  ~Filling() {
    region_.outputs_.end_replay();
    region_.running_ = false;
  }

 private:
  PackedTensor* pack(const Tensor& tensor, const char* op, bool is_leaf) override {
    if (!is_leaf) region_.refill(tensor, op);
    return nullptr;
  }

  Region& region_;
  CastCacheOwner casts_;
  AutocastState autocast_;
  std::optional<RandomTape::Use> random_;
};

std::vector<Tensor> Region::unpack_inputs() const {
  std::vector<Tensor> result;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const Input& input = inputs_[i];
    result.push_back(input.saved.unpack("checkpoint", "input", static_cast<int>(i)));
    if (input.edge) set_history(result.back(), *input.edge.node(), input.edge.output());
  }
  return result;
}

void Region::recompute() {
  if (running_)
    throw AutogradError(
        "checkpoint: the recomputation of a region asks for its own result; a backward inside of the "
        "function must not run through tensors from outside that depend on it");
  if (on_recompute) on_recompute();
  try {
    fill();
  } catch (...) {
    drop_values();
    throw;
  }
}

void Region::fill() {
  for (std::size_t i = 0; i < holders_.size(); ++i)
    if (holders_[i] && !holders_[i]->value_.defined()) last_needed_ = i;
  const std::vector<Tensor> inputs = unpack_inputs();
  const Filling filling(*this);
  try {
    function_(inputs);
  } catch (const Stop& stop) {
    if (stop.region != this) throw;
    return;
  }
  if (next_ == holders_.size() || next_ > last_needed_) return;
  const Holder* const missing = holders_[last_needed_];
  throw AutogradError(str("checkpoint: the recomputation saved ", next_, " tensors, the forward ", holders_.size(),
                          "; tensor ", last_needed_, " is missing, which ", missing->op_, " saved: ", missing->dtype_,
                          " ", missing->shape_, "; the function must do the same each time it is called"));
}

void Region::refill(const Tensor& tensor, const char* op) {
  const std::size_t index = next_++;
  if (index >= holders_.size())
    throw AutogradError(str("checkpoint: the recomputation saves more tensors than the forward, which saved ",
                            holders_.size(), "; the next is saved by ", op, ": ", tensor,
                            "; the function must do the same each time it is called"));
  if (Holder* const holder = holders_[index]) {
    if (holder->shape_ != tensor.shape() || holder->dtype_ != tensor.dtype() || holder->device_ != tensor.device() ||
        std::string_view(holder->op_) != op)
      throw AutogradError(str("checkpoint: tensor ", index, " was saved in the forward by ", holder->op_, " as ",
                              holder->dtype_, " ", holder->shape_, " on ", holder->device_,
                              ", and in the recomputation by ", op, " as ", tensor.dtype(), " ", tensor.shape(), " on ",
                              tensor.device(), "; the function must do the same each time it is called"));
    if (!holder->value_.defined()) {
      holder->value_ = tensor;
      holder->version_ = tensor.version();
    }
  }
  if ((options_.early_stop || in_forward_) && index == last_needed_) throw Stop{this};
}

// --- what nodes hold ---

Holder::Holder(Region& region, std::size_t index, const Tensor& tensor, const char* op)
    : region_(region),
      index_(index),
      shape_(tensor.shape()),
      dtype_(tensor.dtype()),
      device_(tensor.device()),
      op_(op),
      version_(tensor.version()) {
  region.retain();
  if (region.keeps_) value_ = tensor;
}

Holder::~Holder() {
  {
    const std::lock_guard guard(region_.lock_);
    region_.holders_[index_] = nullptr;
  }
  region_.release();
}

Tensor Holder::unpack() {
  const std::lock_guard guard(region_.lock_);
  if (!value_.defined()) region_.recompute();
  if (region_.on_use) std::exchange(region_.on_use, {})();
  if (value_.version() != version_)
    throw AutogradError(str("checkpoint: ", dtype_, " ", shape_, ", which ", op_,
                            " saved for the gradient, was changed in ", "place: it is at version ", value_.version(),
                            ", expected version ", version_,
                            "; clone it before the change, or use the out-of-place operator"));
  return std::exchange(value_, {});
}

}  // namespace detail
}  // namespace minima
