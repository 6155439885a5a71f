#include <torch/csrc/autograd/function.h>

#include "node_handle.h"
#include "operator_names.h"

#include <c10/util/Exception.h>

namespace torch::autograd {

namespace {

minima::Node& native(Node& node) { return reinterpret_cast<minima::Node&>(node); }
const minima::Node& native(const Node& node) { return reinterpret_cast<const minima::Node&>(node); }

}  // namespace

std::shared_ptr<Node> node_handle(minima::Node* node) {
  if (!node) return nullptr;
  node->retain();
  return {reinterpret_cast<Node*>(node), [](Node* handle) { native(*handle).release(); }};
}

Edge edge_handle(const minima::Edge& edge) { return {node_handle(edge.node()), edge.output()}; }

std::string Node::name() const { return operator_name(native(*this)); }

edge_list Node::next_edges() const {
  edge_list edges;
  for (std::uint32_t i = 0; i < num_outputs(); ++i) edges.push_back(next_edge(i));
  return edges;
}

Edge Node::next_edge(std::size_t index) const {
  TORCH_CHECK(index < num_outputs(), "Index out of range");
  return edge_handle(native(*this).edges()[index]);
}

std::uint32_t Node::num_inputs() const { return native(*this).output_count(); }
std::uint32_t Node::num_outputs() const { return native(*this).edge_count(); }
std::uint64_t Node::sequence_nr() const { return native(*this).sequence; }
bool Node::should_compute_output(std::size_t index) const { return next_edge(index).is_valid(); }
void Node::release_variables() { native(*this).release_saved(); }
std::shared_ptr<Node> Node::getptr() { return node_handle(&native(*this)); }

}  // namespace torch::autograd
