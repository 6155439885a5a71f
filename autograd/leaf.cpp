#include <minima/autograd/leaf.h>

#include <minima/autograd/node.h>
#include <minima/autograd/node_hooks.h>
#include <minima/autograd/primitives.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>
#include <minima/tensor/tensor_impl.h>

#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace minima {

namespace {

/// The gradient in the parameter's memory order, so that optimizers index both alike.
Layout gradient_layout(const TensorImpl& tensor) { return Layout::dense_like(tensor.layout); }

bool is_sole_owner(const Tensor& gradient) {
  const TensorImpl& impl = *gradient.impl();
  return impl.references.is_one() && impl.storage->unique() && !impl.base && !impl.history;
}

/// Guards what weak references share.
std::mutex& weak_references() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

/// An address that identifies the calling thread.
const void* this_thread() {
  static thread_local char place = 0;
  return &place;
}

}  // namespace

/// Waits for the leaf, unless this thread has it already.
class Leaf::Lock {
 public:
  explicit Lock(Leaf& leaf) : leaf_(leaf), was_mine_(__atomic_load_n(&leaf.owner_, __ATOMIC_RELAXED) == this_thread()) {
    while (!was_mine_ && !leaf_.try_lock()) std::this_thread::yield();
  }
  Lock(const Lock&) = delete;
  ~Lock() {
    if (!was_mine_) leaf_.unlock();
  }
  bool was_mine() const { return was_mine_; }

 private:
  Leaf& leaf_;
  const bool was_mine_;
};

Leaf::Leaf(TensorImpl& tensor) : Node(Kind::leaf), tensor_(&tensor) {
  outputs_ = &output_;
  output_count_ = 1;
  tensor_changed();
}

Leaf* Leaf::find(const Tensor& tensor) {
  History* history = tensor.impl()->history;
  return history && history->is_leaf() ? static_cast<Leaf*>(history) : nullptr;
}

Leaf* Leaf::of(const Tensor& tensor) {
  TensorImpl& impl = *tensor.impl();
  if (impl.history) return find(tensor);
  auto* leaf = new Leaf(impl);
  leaf->requires_grad_ = false;
  impl.history = leaf;
  impl.output_index = 0;
  return leaf;
}

void Leaf::tensor_destroyed(TensorImpl* tensor) noexcept {
  {
    const Lock lock(*this);  // waits for passes that use the tensor
    if (tensor != tensor_) return;
    tensor_ = nullptr;
  }
  if (!weak_) return;
  const std::lock_guard lock(weak_references());
  *weak_ = nullptr;
}

WeakLeaf::WeakLeaf(Leaf& leaf) {
  const std::lock_guard lock(weak_references());
  if (!leaf.weak_) leaf.weak_ = std::make_shared<Leaf*>(&leaf);
  place_ = leaf.weak_;
}

Ref<Leaf> WeakLeaf::lock() const {
  const std::lock_guard lock(weak_references());
  if (*place_) (*place_)->retain();  // its tensor has not given up its own reference yet
  return Ref<Leaf>(*place_);
}

void Leaf::tensor_changed() {
  const Lock lock(*this);
  output_.shape = tensor_->layout.shape;
  output_.dtype = tensor_->dtype;
  output_.device = tensor_->storage->device();
  if (grad.defined() &&
      (grad.shape() != output_.shape || grad.dtype() != output_.dtype || grad.device() != output_.device)) {
    grad = {};
    stale = true;
  }
}

void Leaf::accumulate(Tensor gradient) {
  const Lock lock(*this);
  if (lock.was_mine()) waiting_.push_back(std::move(gradient));
  else add(std::move(gradient));
}

void Leaf::add(Tensor gradient) {
  if (!tensor_) return;  // the tensor is gone, so .grad has no reader
  note(Access::used);
  if (grad.defined() && !stale) {
    detail::add_into(grad, gradient);
    return;
  }
  const Layout wanted = gradient_layout(*tensor_);
  const bool same_order = gradient.layout().offset == 0 && gradient.strides() == wanted.strides;
  const bool replaceable = !grad.defined() || is_sole_owner(grad);
  if (replaceable && same_order && is_sole_owner(gradient)) grad = std::move(gradient);
  else if (grad.defined()) detail::copy_into(grad, gradient);
  else grad = detail::copy_with_layout(gradient, wanted);
  stale = false;
}

Tensor Leaf::tensor() {
  const Lock lock(*this);
  if (!tensor_) return {};
  if (tensor_->references.retain_if_shared()) return Tensor(tensor_);
  // Another thread may be dropping the last handle: a count of zero must not rise again. Holding the lock keeps the
  // TensorImpl alive meanwhile.
  Tensor alias(new TensorImpl(tensor_->storage, tensor_->layout, tensor_->dtype));
  detail::set_history(alias, *this, 0);
  return alias;
}

void Leaf::finish() {
  NodeHooks* const hooks = NodeHooks::find(*this);
  if (!hooks) return;
  const auto calls = hooks->copy(&NodeHooks::after_accumulation);
  if (calls.empty()) return;
  const Tensor leaf = tensor();
  if (!leaf.defined()) return;
  for (const auto& hook : calls) hook.call(leaf);
}

Tensor Leaf::gradient() {
  const Lock lock(*this);
  note(Access::used);
  return stale ? Tensor() : grad;
}

void Leaf::replace(Tensor gradient) {
  const Lock lock(*this);
  note(Access::cleared);
  stale = !gradient.defined();
  std::swap(grad, gradient);
}

void Leaf::zero() {
  const Lock lock(*this);
  note(Access::cleared);
  stale = true;
  if (grad.defined() && grad.device().type == DeviceType::cuda && is_sole_owner(grad)) grad = {};
}

bool Leaf::try_lock() {
  const void* unlocked = nullptr;
  return __atomic_compare_exchange_n(&owner_, &unlocked, this_thread(), false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

Tensor Leaf::writable() {
  note(Access::used);
  if (!grad.defined() && tensor_) grad = detail::room_for(gradient_layout(*tensor_), output_.dtype, output_.device);
  return grad;
}

void Leaf::add_waiting() {
  for (Tensor& gradient : std::exchange(waiting_, {})) add(std::move(gradient));
}

void Leaf::unlock() noexcept {
  waiting_.clear();
  __atomic_store_n(&owner_, nullptr, __ATOMIC_RELEASE);
}

}  // namespace minima
