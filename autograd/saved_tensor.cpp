#include <minima/autograd/saved_tensor.h>

#include <minima/autograd/restorable.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace minima {

SavedTensorHooks::SavedTensorHooks() : previous_(std::exchange(detail::mode().saved_tensor_hooks, this)) {}
SavedTensorHooks::~SavedTensorHooks() { detail::mode().saved_tensor_hooks = previous_; }

namespace detail {

namespace {

struct RestorableList {
  std::mutex mutex;
  std::unordered_map<const Storage*, Restorable*> sources;
};

RestorableList& restorables() {
  static auto* const list = new RestorableList;
  return *list;
}

constinit std::atomic<bool> any_restorable{false};

/// Null if the tensor's memory is not listed.
PackedTensor* pack_if_restorable(const Tensor& tensor) {
  RestorableList& list = restorables();
  Restorable* source = nullptr;
  {
    const std::lock_guard guard(list.mutex);
    const auto found = list.sources.find(tensor.impl()->storage.get());
    if (found != list.sources.end()) source = found->second;
  }
  return source ? source->pack_restorable(tensor) : nullptr;
}

}  // namespace

void list_restorable(const Storage& storage, Restorable& source) {
  const std::lock_guard guard(restorables().mutex);
  restorables().sources[&storage] = &source;
  any_restorable.store(true, std::memory_order_relaxed);
}

void unlist_restorable(const Storage& storage) {
  const std::lock_guard guard(restorables().mutex);
  restorables().sources.erase(&storage);
  any_restorable.store(!restorables().sources.empty(), std::memory_order_relaxed);
}

}  // namespace detail

void SavedTensor::save(const Tensor& tensor, const char* op) {
  if (!tensor.defined()) {
    state_ = State::none;
    return;
  }
  const TensorImpl& impl = *tensor.impl();
  if (impl.inference)
    throw AutogradError(str(op, ": Inference tensors cannot be saved for backward. Clone this one outside of ",
                            "inference mode first: ", tensor));
  state_ = State::saved;
  if (detail::any_restorable.load(std::memory_order_relaxed)) {
    NoGrad guard;
    packed_ = detail::pack_if_restorable(tensor.detach());
    if (packed_) return;
  }
  if (SavedTensorHooks* hooks = detail::mode().saved_tensor_hooks) {
    NoGrad guard;
    detail::mode().saved_tensor_hooks = nullptr;  // what the hook itself computes is not packed again
    packed_ = hooks->pack(tensor.detach(), op, tensor.is_leaf() && tensor.requires_grad());
    if (packed_) return;
  }
  storage_ = impl.storage;
  layout_ = impl.layout;
  dtype_ = impl.dtype;
  version_ = storage_->version();
}

void SavedTensor::reset() {
  if (state_ == State::saved) state_ = State::freed;
  storage_ = {};
  if (packed_) std::exchange(packed_, nullptr)->release();
}

Tensor SavedTensor::unpack(const char* user, const char* what, int index) const {
  if (state_ == State::none) return {};
  if (state_ != State::saved)
    throw AutogradError(str(user, ": backward ran through this graph a second time, but what it had saved was ",
                            "freed by the first; pass retain_graph = true to the first backward"));
  if (packed_) return packed_->unpack().detach();  // a new handle, since history may be attached to it
  if (storage_->version() != version_)
    throw AutogradError(str(user, ": ", what, " ", index, " (", dtype_, " ", layout_.shape,
                            ") was saved for the gradient and then changed in place: it is at version ",
                            storage_->version(), ", expected version ", version_,
                            "; clone it before the change, or use the out-of-place operator"));
  return Tensor(new TensorImpl(storage_, layout_, dtype_));
}

Tensor SavedTensor::unpack_input(const Node& node, const Edge& edge, int index) const {
  Tensor tensor = unpack(node.name(), "input", index);
  if (tensor.defined() && edge && detail::mode().grad) detail::set_history(tensor, *edge.node(), edge.output());
  return tensor;
}

Tensor SavedTensor::unpack_output(Node& node, int index) const {
  Tensor tensor = unpack(node.name(), "output", index);
  const auto output = static_cast<std::uint32_t>(index);
  if (tensor.defined() && detail::mode().grad && output < node.output_count())
    detail::set_history(tensor, node, output);
  return tensor;
}

}  // namespace minima
