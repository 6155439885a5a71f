#include <minima/autograd/node.h>

#include <minima/autograd/call_stack.h>
#include <minima/autograd/node_hooks.h>  // IWYU pragma: keep
#include <minima/autograd/observe/formula_observer.h>
#include <minima/autograd/primitives.h>
#include <minima/tensor/device/stream.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace minima {

namespace {

constinit thread_local std::uint64_t last_sequence = 0;

// Dropping the last handle of a chain of a million nodes must not recurse: a node that dies while another is being
// deleted is queued here. The links live in the dead nodes' scratch, so the queue allocates nothing.
constinit thread_local bool is_deleting = false;
constinit thread_local Node* condemned = nullptr;

/// The view has its own history, but its base has since been changed in place.
bool is_outdated_view(const TensorImpl& impl) {
  return impl.base && !impl.unrecorded_view && impl.base_rebases != impl.base->rebases &&
         !(impl.history && impl.history->is_leaf());
}

}  // namespace

Node::~Node() {
  delete hooks;
  delete forward_location;
}

void Node::destroy() noexcept {
  scratch.pass = reinterpret_cast<std::uintptr_t>(std::exchange(condemned, this));
  if (std::exchange(is_deleting, true)) return;
  while (Node* const next = condemned) {
    condemned = reinterpret_cast<Node*>(next->scratch.pass);
    delete next;
  }
  is_deleting = false;
}

std::uint64_t newest_sequence() { return last_sequence; }

namespace detail {

void number(Node& node) {
  std::uint64_t highest = last_sequence;
  for (std::uint32_t i = 0; i < node.edge_count(); ++i)
    if (const Node* input = node.edges()[i].node()) highest = std::max(highest, input->sequence);
  node.sequence = last_sequence = highest + 1;
  if (mode().anomaly) node.forward_location = new std::string(record_stack_and_causes());
}

void note_stream(Node& node) { node.stream = current_stream(node.outputs()[0].device).state(); }

void set_history(const Tensor& tensor, Node& node, std::uint32_t index) {
  TensorImpl& impl = *tensor.impl();
  node.retain();
  if (impl.history) impl.history->release();
  impl.history = &node;
  impl.output_index = index;
}

Edge edge_to_history(const Tensor& tensor) {
  TensorImpl& impl = *tensor.impl();
  if (is_outdated_view(impl)) {
    impl.base->retain();
    const Tensor base(impl.base);
    const Edge edge = record_as_strided(base, impl.layout, impl.dtype);
    if (edge) set_history(tensor, *edge.node(), edge.output());
    impl.base_rebases = impl.base->rebases;
  }
  if (!impl.history || !impl.history->requires_grad()) return {};
  auto* node = static_cast<Node*>(impl.history);
  node->retain();
  return Edge(node, impl.output_index);
}

}  // namespace detail

}  // namespace minima
