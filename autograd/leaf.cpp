#include <minima/autograd/leaf.h>

#include <minima/autograd/node_hooks.h>
#include <minima/autograd/primitives.h>

#include <thread>

namespace minima {

namespace {

/// A gradient in the parameter's own order of memory, so that optimizers run over both with one index.
Layout gradient_layout(const TensorImpl& tensor) { return Layout::dense_like(tensor.layout); }

bool is_sole_owner(const Tensor& gradient) {
  const TensorImpl& impl = *gradient.impl();
  return __atomic_load_n(&impl.references, __ATOMIC_ACQUIRE) == 1u && impl.storage->unique() && !impl.base &&
         !impl.history;
}

}  // namespace

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
  if (tensor == tensor_) tensor_ = nullptr;
}

void Leaf::tensor_changed() {
  output_.shape = tensor_->layout.shape;
  output_.dtype = tensor_->dtype;
  output_.device = tensor_->storage->device();
  if (grad.defined() && (grad.shape() != output_.shape || grad.dtype() != output_.dtype || grad.device() != output_.device)) {
    grad = {};
    stale = true;
  }
}

void Leaf::accumulate(Tensor gradient) {
  if (!tensor_) return;  // nobody can ask for it any more
  lock();
  struct Unlock {
    Leaf& leaf;
    ~Unlock() { leaf.unlock(); }
  } unlock_at_end{*this};

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

void Leaf::finish() {
  if (!hooks || hooks->after_accumulation.empty() || !tensor_) return;
  tensor_->retain();
  const Tensor tensor(tensor_);
  const auto calls = hooks->after_accumulation;  // a hook may remove itself
  for (const auto& hook : calls) hook.call(tensor);
}

bool Leaf::try_lock() { return __atomic_exchange_n(&locked_, 1u, __ATOMIC_ACQUIRE) == 0u; }
void Leaf::lock() {
  while (!try_lock()) std::this_thread::yield();
}
void Leaf::unlock() { __atomic_store_n(&locked_, 0u, __ATOMIC_RELEASE); }

}  // namespace minima
