#pragma once

#include <minima/autograd/node.h>
#include <minima/autograd/node_stream.h>

#include <unordered_map>
#include <vector>

namespace minima {

class Leaf;
class NodeHooks;

/// One backward pass: counts dependencies with an explicit stack, then runs ready nodes from a heap, most recent first.
///
/// Any number of passes may run concurrently: in several threads, nested in hooks and formulas, over graphs that share
/// leaves, inner nodes or everything. Each computes what it would compute alone.
///
/// - A pass keeps its notes inside the nodes that it holds. If another pass already holds a node, this pass is a guest
///   there and keeps its notes in a table, whatever the other does later.
/// - Only a pass that is alone in a node frees its saved tensors. Without retain_graph, a pass that starts after
/// another
///   has finished with a node finds it freed and throws AutogradError.
/// - A leaf accepts one contribution at a time (Leaf::accumulate); hooks run without holding a lock.
/// - Hooks, and gradients of operators with state, run on the threads of their passes, possibly concurrently.
/// - Not covered: changing a tensor in place, by set_data or by requires_grad() while another thread uses it. The first
///   use of a view after its base was changed in place counts as such a change, since it renews the view's history.
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
  /// The innermost pass on this thread; null outside of backward.
  static const Pass* current();
  /// Whether this pass, or one that it is nested in, has still to add to the `.grad` of `leaf`.
  bool awaits(const Node& leaf) const;

 private:
  /// In Node::Scratch::pass: the holder is freeing the node's saved tensors right now.
  static constexpr std::uint64_t freeing = std::uint64_t{1} << 63;

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
  Destination destination(std::uint32_t edge, bool wide) override;
  void written(std::uint32_t edge) override;
  Tensor take_so_far(std::uint32_t edge) override;
  bool skip_mask(std::uint32_t edge) override;

  void seed();
  void discover(Node& root);
  void mark_needed();
  bool claim(Node& node);
  bool holds(const Node& node) const { return __atomic_load_n(&node.scratch.pass, __ATOMIC_ACQUIRE) == id_; }
  bool retains() const { return request_.retain_graph || request_.create_graph; }
  void become_guest(Node& node);
  void leave(Node& node) noexcept;
  void free_saved(Node& node);
  Node::Scratch& notes(const Node& node) const {
    return holds(node) ? const_cast<Node&>(node).scratch : conflicts_.at(&node).scratch;
  }
  Tensor& pending(Node& node, std::uint32_t output) const {
    return holds(node) ? node.outputs()[output].pending : conflicts_.at(&node).pending[output];
  }
  void add_pending(Node& node, std::uint32_t output, Tensor gradient);
  void make_ready(Node& node);
  void run_node(Node& node);
  void call_gradient_hooks(NodeHooks& hooks, Node& node);
  void run_formula(Node& node, NodeHooks* hooks);
  void finish_leaf(Node& node);
  void capture_targets(Node& node);
  void deliver(Node& node);
  void convert(Tensor& gradient, const Edge& edge, const Node& from) const;
  void unlock_leaves() noexcept;
  /// Whether neither hooks nor the caller see the gradient of this node's output.
  bool is_unseen(const Node& node) const;
  /// Whether no one sees the gradient of this node's output, which is also that of its input.
  bool is_transparent(const Node& node) const { return node.keeps_values() && is_unseen(node); }
  bool is_last_use(Node& node) const { return notes(node).dependencies == 1 && !pending(node, 0).defined(); }

  const Request& request_;
  std::uint64_t id_;
  const Pass* outer_;  ///< which this one is nested in
  std::vector<Edge> roots_;
  std::vector<Node*> nodes_;  ///< all nodes of the pass
  std::vector<Node*> ready_;  ///< a heap by sequence
  std::vector<Target> targets_;
  std::vector<Tensor> captured_;
  std::vector<bool> was_captured_;
  std::vector<Tensor> gradients_, results_;  ///< of the running node
  std::vector<Leaf*> locked_leaves_;
  Node* running_ = nullptr;
  PassStreams streams_;
  mutable std::unordered_map<const Node*, Notes> conflicts_;  ///< for nodes in which this pass is a guest
};

namespace detail {

/// For hooks: whether a backward pass that runs on this thread has still to add to the `.grad` of this leaf. False for
/// a parameter that the pass does not reach.
MINIMA_API bool awaits_gradient(const Tensor& leaf);

}  // namespace detail

}  // namespace minima
