#pragma once

#include <minima/autograd/node.h>

#include <unordered_map>
#include <vector>

namespace minima {

/// One backward pass: an explicit-stack counting walk over the graph, then a heap of ready nodes, latest first.
///
/// The pass keeps its notes inside the nodes, which it claims; a node that another pass holds already (a nested
/// backward, another thread that shares leaves) gets its notes in a table of this pass instead.
class Pass final : BackwardContext {
 public:
  struct Request {
    const std::vector<Tensor>& outputs;
    const std::vector<Tensor>& gradients;
    const std::vector<Tensor>* inputs = nullptr;  ///< null: accumulate into leaves
    bool retain_graph = false;
    bool create_graph = false;
    bool allow_unused = false;
  };

  explicit Pass(const Request& request);
  Pass(const Pass&) = delete;
  ~Pass();
  std::vector<Tensor> run();

 private:
  struct Notes {
    Node::Scratch scratch;
    std::vector<Tensor> pending;
  };
  struct Target {
    Edge edge;
    std::size_t position;
  };

  // BackwardContext
  bool create_graph() const override { return request_.create_graph; }
  bool needs(std::uint32_t edge) const override;
  Destination destination(std::uint32_t edge) override;
  void written(std::uint32_t edge) override;

  void seed();
  void discover(Node& root);
  void mark_needed();
  bool claim(Node& node);
  Node::Scratch& notes(const Node& node) const;
  Tensor& pending(Node& node, std::uint32_t output) const;
  void add_pending(Node& node, std::uint32_t output, Tensor gradient);
  void make_ready(Node& node);
  void run_node(Node& node);
  void run_formula(Node& node);
  void finish_leaf(Node& node);
  void capture_targets(Node& node);
  void deliver(Node& node);
  void unlock_leaves();

  const Request& request_;
  std::uint64_t id_;
  std::vector<Edge> roots_;
  std::vector<Node*> nodes_;  ///< all that are part of the pass
  std::vector<Node*> ready_;  ///< a heap by sequence
  std::vector<Target> targets_;
  std::vector<Tensor> captured_;
  std::vector<bool> was_captured_;
  std::vector<Tensor> gradients_, results_;  ///< of the node that is running
  std::vector<Node*> locked_leaves_;
  Node* running_ = nullptr;
  mutable std::unordered_map<const Node*, Notes> conflicts_;
};

}  // namespace minima
