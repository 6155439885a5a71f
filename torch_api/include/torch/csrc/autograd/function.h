#pragma once

#include <torch/csrc/autograd/variable.h>

#include <string>

namespace torch::autograd {

/// A recorded operator, as `grad_fn()` gives it: the library's node under LibTorch's name, so that the address
/// identifies the operator while a handle or the graph holds it. Programs cannot make or derive from one: an operator
/// of their own is a Function<T> (custom_function.h).
struct Node {
  Node() = delete;
  Node(const Node&) = delete;

  /// LibTorch's name where the library has the operator under a name of its own: `AddBackward0`, `AddmmBackward0`. The
  /// rule for all others: the name in camel case, and `Backward0`.
  std::string name() const;
  edge_list next_edges() const;
  Edge next_edge(std::size_t index) const;
  /// Inputs of the gradient are outputs of forward.
  std::uint32_t num_inputs() const;
  std::uint32_t num_outputs() const;
  std::uint64_t sequence_nr() const;
  bool should_compute_output(std::size_t index) const;
  /// Frees what the operator has saved.
  void release_variables();
  std::shared_ptr<Node> getptr();
};

}  // namespace torch::autograd
