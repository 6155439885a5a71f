#include <minima/autograd/node_hooks.h>

#include <minima/autograd/leaf.h>
#include <minima/tensor/error.h>
#include <minima/tensor/format.h>

#include <algorithm>
#include <atomic>

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
  return *edge.node();  // stays alive: the tensor owns it
}

template <class Signature>
HookHandle add(std::vector<NodeHooks::Entry<Signature>>& list, Node& node, std::uint32_t output,
               Function<Signature> call) {
  const std::uint64_t id = next_id();
  list.push_back({id, output, std::move(call)});
  return HookHandle(node, id);
}

}  // namespace

NodeHooks& NodeHooks::of(Node& node) {
  if (!node.hooks) node.hooks = new NodeHooks;
  return *node.hooks;
}

NodeHooks::Retained* NodeHooks::find_retained(std::uint32_t output) {
  for (Retained& entry : retained)
    if (entry.output == output) return &entry;
  return nullptr;
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
  if (!node_ || !node_->hooks) return;
  const auto drop = [id = id_](auto& list) { std::erase_if(list, [id](const auto& entry) { return entry.id == id; }); };
  drop(node_->hooks->on_gradient);
  drop(node_->hooks->before);
  drop(node_->hooks->after);
  drop(node_->hooks->after_accumulation);
}

HookHandle register_hook(const Tensor& tensor, Function<Tensor(const Tensor&)> hook) {
  Node& node = node_of(tensor, "register_hook");
  return add(NodeHooks::of(node).on_gradient, node, tensor.impl()->output_index, std::move(hook));
}

HookHandle register_post_accumulate_hook(const Tensor& leaf, Function<void(const Tensor&)> hook) {
  Node& node = node_of(leaf, "register_post_accumulate_hook");
  if (!node.is_leaf()) throw AutogradError("register_post_accumulate_hook: the tensor is not a leaf; use register_hook");
  return add(NodeHooks::of(node).after_accumulation, node, 0, std::move(hook));
}

HookHandle register_pre_backward_hook(const Tensor& tensor, Function<void(std::vector<Tensor>&)> hook) {
  Node& node = node_of(tensor, "register_pre_backward_hook");
  if (node.is_leaf()) throw AutogradError("register_pre_backward_hook: a leaf has no operator; use register_hook");
  return add(NodeHooks::of(node).before, node, 0, std::move(hook));
}

HookHandle register_backward_hook(const Tensor& tensor, Function<void(std::vector<Tensor>&)> hook) {
  Node& node = node_of(tensor, "register_backward_hook");
  if (node.is_leaf()) throw AutogradError("register_backward_hook: a leaf has no operator; use register_hook");
  return add(NodeHooks::of(node).after, node, 0, std::move(hook));
}

}  // namespace minima
