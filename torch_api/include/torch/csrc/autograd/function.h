#pragma once

#include <torch/csrc/autograd/input_metadata.h>
#include <torch/csrc/autograd/variable.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace minima {
class BackwardContext;
class Node;
}

namespace torch::autograd {

namespace detail {
class ProgramNode;
struct NodeAccess;
}

/// A recorded operator. `grad_fn()` and `next_edges()` give the library's own under LibTorch's names; the address
/// identifies the operator while a handle or the graph holds it. An operator of the program's own derives from this,
/// computes the gradients of its inputs in apply(), and is recorded by set_history():
///
///   auto node = std::make_shared<MyBackward>();
///   node->set_next_edges(collect_next_edges(x));
///   set_history(y, node);
struct Node : std::enable_shared_from_this<Node> {
  explicit Node(edge_list&& next_edges = {}) : next_edges_(std::move(next_edges)) {}
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  virtual ~Node() = default;

  /// Gradients of the inputs from those of the outputs. Undefined gradients are zeros.
  variable_list operator()(variable_list&& gradients) { return apply(std::move(gradients)); }

  /// The type's name. Of the library's operators LibTorch's: `AddBackward0`, `AddmmBackward0`; the rule is the name in
  /// camel case, and `Backward0`.
  virtual std::string name() const;
  edge_list next_edges() const;
  /// Throws c10::Error if there is no such edge.
  Edge next_edge(std::size_t index) const;
  /// These three throw c10::Error for an operator of the library.
  void set_next_edge(std::size_t index, Edge edge);
  void add_next_edge(Edge edge);
  void set_next_edges(edge_list&& edges);
  /// Inputs of the gradient are outputs of forward.
  std::uint32_t num_inputs() const;
  std::uint32_t num_outputs() const;
  /// Adds an output of forward, of which an undefined tensor never has a gradient, and returns its number.
  std::uint32_t add_input_metadata(const at::Tensor& output);
  InputMetadata input_metadata(std::size_t index) const;
  /// Grows from operator to operator; 0 before the node is recorded.
  std::uint64_t sequence_nr() const;
  bool should_compute_output(std::size_t index) const { return next_edge(index).is_valid(); }
  bool should_compute_output(std::initializer_list<IndexRange> ranges) const;
  /// The same, and the pass that runs needs the gradient.
  bool task_should_compute_output(std::size_t index) const;
  bool task_should_compute_output(std::initializer_list<IndexRange> ranges) const;
  /// Frees what the operator has saved, after a pass that does not retain the graph.
  virtual void release_variables() {}
  std::shared_ptr<Node> getptr();

 protected:
  virtual variable_list apply(variable_list&& gradients) = 0;

  edge_list next_edges_;  ///< of a program's own operator

 private:
  friend class detail::ProgramNode;
  friend struct detail::NodeAccess;

  bool is_library() const;
  /// Passes changed edges and outputs on to the graph; throws for an operator of the library.
  void changed();

  std::vector<std::optional<InputMetadata>> outputs_;
  minima::Node* recorded_ = nullptr;  ///< the library's node, which owns this one
  const minima::BackwardContext* pass_ = nullptr;
};

/// As in std::shared_ptr<MyBackward>(new MyBackward, deleteNode).
inline void deleteNode(Node* node) { delete node; }

/// Records the node as the operator that made the tensor.
void create_gradient_edge(Variable& tensor, const std::shared_ptr<Node>& node);

namespace detail {

struct EdgeCollector {
  edge_list edges;

  void add(const at::Tensor& tensor) { edges.push_back(tensor.defined() ? impl::gradient_edge(tensor) : Edge()); }
  void add(const std::optional<at::Tensor>& tensor) { add(tensor ? *tensor : at::Tensor()); }
  void add(at::TensorList tensors) {
    for (const at::Tensor& tensor : tensors) add(tensor);
  }
  void add(const variable_list& tensors) { add(at::TensorList(tensors)); }
};

}  // namespace detail

/// An edge for each tensor, also of lists, in order; empty ones for undefined tensors.
template <class... Tensors>
edge_list collect_next_edges(Tensors&&... tensors) {
  detail::EdgeCollector collector;
  (collector.add(tensors), ...);
  return std::move(collector.edges);
}

}  // namespace torch::autograd
