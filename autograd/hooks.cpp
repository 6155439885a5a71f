#include <minima/autograd/hooks.h>

#include <minima/autograd/node_hooks.h>

#include <minima/autograd/node.h>
#include <minima/autograd/primitives.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/function.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace minima {

namespace {

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> counter{0};
  return ++counter;
}

Node& node_of(const Tensor& tensor, const char* what) {
  if (!tensor.defined()) throw ValueError(str(what, ": the tensor is undefined"));
  const Edge edge = detail::edge_to(tensor);
  if (!edge) throw AutogradError(str(what, ": the tensor does not require grad: ", tensor));
  return *edge.node();  // the tensor keeps it alive
}

template <class Signature>
HookHandle add(NodeHooks::List<Signature> NodeHooks::* list, Node& node, std::uint32_t output,
               Function<Signature> call) {
  const std::uint64_t id = next_id();
  NodeHooks::of(node).add(list, NodeHooks::Entry<Signature>{id, output, std::move(call)});
  return HookHandle(node, id);
}

}  // namespace

NodeHooks& NodeHooks::of(Node& node) {
  NodeHooks* hooks = find(node);
  if (hooks) return *hooks;
  auto* const fresh = new NodeHooks;
  if (__atomic_compare_exchange_n(&node.hooks, &hooks, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return *fresh;
  delete fresh;  // another thread was first
  return *hooks;
}

void NodeHooks::remove(std::uint64_t id) {
  const auto has_id = [id](const auto& entry) { return entry.id == id; };
  const std::lock_guard guard(lock_);
  std::erase_if(on_gradient, has_id);
  std::erase_if(before, has_id);
  std::erase_if(after, has_id);
  std::erase_if(after_accumulation, has_id);
}

void NodeHooks::retain(std::uint32_t output, Tensor gradient) {
  const std::lock_guard guard(lock_);
  for (const Retained& entry : retained_)
    if (entry.output == output) return;
  retained_.push_back({output, std::move(gradient)});
}

void NodeHooks::add_retained(const std::vector<Tensor>& gradients) {
  const std::lock_guard guard(lock_);
  for (Retained& entry : retained_)
    if (const Tensor& gradient = gradients[entry.output]; gradient.defined())
      entry.grad = entry.grad.defined() ? detail::sum_gradients(entry.grad, gradient) : gradient;
}

Tensor NodeHooks::retained(std::uint32_t output) const {
  const std::lock_guard guard(lock_);
  for (const Retained& entry : retained_)
    if (entry.output == output) return entry.grad;
  return {};
}

void NodeHooks::zero_retained(std::uint32_t output) {
  const std::lock_guard guard(lock_);
  for (Retained& entry : retained_)
    if (entry.output == output) entry.grad = {};
}

std::optional<Tensor> NodeHooks::take_retained(std::uint32_t output) {
  const std::lock_guard guard(lock_);
  for (Retained& entry : retained_)
    if (entry.output == output) {
      Tensor gradient = std::move(entry.grad);
      retained_.erase(retained_.begin() + (&entry - retained_.data()));
      return gradient;
    }
  return std::nullopt;
}

HookHandle::HookHandle(Node& node, std::uint64_t id) : node_(&node), id_(id) { node_->retain(); }
HookHandle::HookHandle(const HookHandle& other) : node_(other.node_), id_(other.id_) {
  if (node_) node_->retain();
}
HookHandle& HookHandle::operator=(HookHandle other) noexcept {
  std::swap(node_, other.node_);
  std::swap(id_, other.id_);
  return *this;
}
HookHandle::~HookHandle() {
  if (node_) node_->release();
}

void HookHandle::remove() {
  if (!node_) return;
  if (NodeHooks* const hooks = NodeHooks::find(*node_)) hooks->remove(id_);
}

HookHandle register_hook(const Tensor& tensor, Function<Tensor(const Tensor&)> hook) {
  Node& node = node_of(tensor, "register_hook");
  return add(&NodeHooks::on_gradient, node, tensor.impl()->output_index, std::move(hook));
}

HookHandle register_post_accumulate_hook(const Tensor& leaf, Function<void(const Tensor&)> hook) {
  Node& node = node_of(leaf, "register_post_accumulate_hook");
  if (!node.is_leaf())
    throw AutogradError("register_post_accumulate_hook: the tensor is not a leaf; use register_hook");
  return add(&NodeHooks::after_accumulation, node, 0, std::move(hook));
}

HookHandle register_pre_backward_hook(const Tensor& tensor, Function<void(std::vector<Tensor>&)> hook) {
  Node& node = node_of(tensor, "register_pre_backward_hook");
  if (node.is_leaf()) throw AutogradError("register_pre_backward_hook: a leaf has no operator; use register_hook");
  return add(&NodeHooks::before, node, 0, std::move(hook));
}

HookHandle register_backward_hook(const Tensor& tensor, Function<void(std::vector<Tensor>&)> hook) {
  Node& node = node_of(tensor, "register_backward_hook");
  if (node.is_leaf()) throw AutogradError("register_backward_hook: a leaf has no operator; use register_hook");
  return add(&NodeHooks::after, node, 0, std::move(hook));
}

}  // namespace minima
