#pragma once

// IWYU pragma: begin_exports
#include <minima/autograd/mode.h>
#include <minima/tensor/tensor.h>
// IWYU pragma: end_exports

#include <optional>
#include <string>

namespace minima {

class Node;
class NodeHooks;
namespace detail {
struct StreamState;
}

/// Where the gradient of an operator's input goes: an output of the node that produced that input. Owns the node.
class Edge {
 public:
  Edge() = default;
  /// Takes over one reference.
  Edge(Node* node, std::uint32_t output) : node_(node), output_(output) {}
  Edge(Edge&& other) noexcept : node_(std::exchange(other.node_, nullptr)), output_(other.output_) {}
  inline Edge(const Edge& other);
  Edge& operator=(Edge other) noexcept {
    std::swap(node_, other.node_);
    std::swap(output_, other.output_);
    return *this;
  }
  inline ~Edge();

  Node* node() const { return node_; }
  std::uint32_t output() const { return output_; }
  explicit operator bool() const { return node_ != nullptr; }

 private:
  Node* node_ = nullptr;
  std::uint32_t output_ = 0;
};

/// A leaf's `.grad` as the destination of a kernel that can write or add there itself.
struct Destination {
  Tensor tensor;            ///< undefined where the kernel has to return its gradient as usual
  bool accumulate = false;  ///< add to what is there instead of overwriting it
  /// The dtype in which a gradient that is returned stays as it is, where the input's is narrower.
  std::optional<DType> wide = {};
};

/// Answers a node's questions about the pass.
class MINIMA_API BackwardContext {
 public:
  /// The gradient will itself be differentiated.
  virtual bool create_graph() const = 0;
  /// The gradient of input `edge` is needed.
  virtual bool needs(std::uint32_t edge) const = 0;
  /// The `.grad` behind input `edge` if the kernel may write it directly; its tensor is undefined if not. With `wide`,
  /// also that of a leaf of which input `edge` is a conversion, in the leaf's dtype.
  virtual Destination destination(std::uint32_t edge, bool wide) = 0;
  /// The kernel wrote the destination of `edge`.
  virtual void written(std::uint32_t edge) = 0;
  /// Takes what other nodes have contributed to the gradient of input `edge`, for a formula that returns its sum with
  /// its own. Undefined if there is nothing yet, or if the contributions have to stay apart.
  virtual Tensor take_so_far(std::uint32_t edge) = 0;
  /// True if input `edge` is the output of a node that passes_where_nonzero, has no other use in the pass, and no hook
  /// or caller asks for its gradient. The formula must then return the gradient of that node's input instead.
  virtual bool skip_mask(std::uint32_t edge) = 0;

 protected:
  ~BackwardContext() = default;
};

/// One recorded operator call, or a leaf. Gradients enter backward at the outputs of forward.
class MINIMA_API Node : public History {
 public:
  /// One forward output, and the sum of its gradients during a pass.
  struct Output {
    Shape shape;
    DType dtype = DType::float32;
    Device device;
    Tensor pending;
  };

  virtual const char* name() const = 0;
  /// gradients[i] belongs to output i; undefined means zero. Fills results[e] for every edge that is needed.
  virtual void backward(Tensor* gradients, Tensor* results, BackwardContext& context) = 0;
  /// Frees saved tensors; running backward again is then an error.
  virtual void release_saved() = 0;
  /// Whether the only output is input 0 in another dtype or layout. Its gradient may arrive in input 0's dtype.
  virtual bool keeps_values() const { return false; }
  /// Whether input 0 has the gradient of the only output where that output is not zero, and none elsewhere.
  virtual bool passes_where_nonzero() const { return false; }

  Edge* edges() const { return edges_; }
  std::uint32_t edge_count() const { return edge_count_; }
  Output* outputs() const { return outputs_; }
  std::uint32_t output_count() const { return output_count_; }

  /// One more than the largest among its inputs and its thread's previous node; backward runs the highest first.
  std::uint64_t sequence = 0;
  detail::StreamState* stream = nullptr;    ///< the GPU stream that forward ran on, which backward runs on too
  NodeHooks* hooks = nullptr;               ///< owned; null for almost all nodes
  std::string* forward_location = nullptr;  ///< owned; kept in anomaly mode only

  /// The engine's notes of the pass that holds this node.
  struct Scratch {
    std::uint64_t pass = 0;
    std::int32_t dependencies = 0;
    bool needed = false;      ///< is between the outputs and a requested input
    bool is_target = false;   ///< is a requested input
    bool written = false;     ///< a kernel wrote this leaf's gradient
    bool is_skipped = false;  ///< what arrives at this ReLU is its input's gradient
  } scratch;

 protected:
  explicit Node(Kind kind = Kind::node) : History(kind) {}
  virtual ~Node();
  void destroy() noexcept final;

  Edge* edges_ = nullptr;
  Output* outputs_ = nullptr;
  std::uint32_t edge_count_ = 0;
  std::uint32_t output_count_ = 0;
};

inline Edge::Edge(const Edge& other) : node_(other.node_), output_(other.output_) {
  if (node_) node_->retain();
}
inline Edge::~Edge() {
  if (node_) node_->release();
}

namespace detail {

/// The edge to this tensor's history; empty if it needs no gradient. Renews the history of a view whose base was
/// changed in place.
MINIMA_API Edge edge_to_history(const Tensor& tensor);
inline Edge edge_to(const Tensor& tensor) {
  return tensor.impl()->history || tensor.impl()->base ? edge_to_history(tensor) : Edge();
}
/// Numbers a new node after its inputs and, in anomaly mode, records the location of the forward call.
MINIMA_API void number(Node& node);
/// Remembers the current stream of the node's GPU.
MINIMA_API void note_stream(Node& node);
/// Makes `tensor` output `index` of `node`.
MINIMA_API void set_history(const Tensor& tensor, Node& node, std::uint32_t index);

}  // namespace detail

}  // namespace minima
