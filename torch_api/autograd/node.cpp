#include <torch/csrc/autograd/function.h>

#include "node_handle.h"
#include "operator_names.h"

#include <c10/core/native.h>
#include <c10/util/Exception.h>
#include <c10/util/Type.h>

#include <minima/autograd/leaf.h>
#include <minima/autograd/node_hooks.h>

#include <algorithm>
#include <typeinfo>

namespace torch::autograd {

namespace detail {

struct NodeAccess {
  static minima::Node*& recorded(Node& node) { return node.recorded_; }
};

/// A recorded Node of the program. It owns the Node, which refers back to it.
class ProgramNode final : public minima::Node {
 public:
  explicit ProgramNode(autograd::Node& program) : program_(program.shared_from_this()), name_(program.name()) {
    update();
    program.recorded_ = this;
  }
  ~ProgramNode() override { program_->recorded_ = nullptr; }

  /// Takes over the program's edges and outputs.
  void update();
  autograd::Node& program() const { return *program_; }

  const char* name() const override { return name_.c_str(); }
  void backward(minima::Tensor* gradients, minima::Tensor* results, minima::BackwardContext& pass) override;
  void release_saved() override { program_->release_variables(); }

 private:
  std::shared_ptr<autograd::Node> program_;
  std::string name_;
  std::vector<minima::Edge> edge_list_;
  std::vector<Output> output_list_;
};

void ProgramNode::update() {
  std::vector<minima::Edge> edges;
  bool is_numbered = sequence != 0;
  for (const autograd::Edge& edge : program_->next_edges_) {
    const minima::Edge& added = edges.emplace_back(native_edge(edge));
    if (!added) continue;
    TORCH_CHECK(added.output() < added.node()->output_count(), name_, ": there is no output ", added.output(), " of ",
                added.node()->name(), ", which has ", added.node()->output_count());
    is_numbered = is_numbered && added.node()->sequence < sequence;
  }
  edge_list_ = std::move(edges);
  edges_ = edge_list_.data();
  edge_count_ = static_cast<std::uint32_t>(edge_list_.size());
  output_list_.clear();
  for (const std::optional<InputMetadata>& output : program_->outputs_)
    output_list_.push_back(
        output ? Output{c10::IntArrayRef(output->shape), c10::native(output->dtype), c10::native(output->device()), {}}
               : Output());
  outputs_ = output_list_.data();
  output_count_ = static_cast<std::uint32_t>(output_list_.size());
  if (output_count_ && output_list_[0].device.is_cuda()) minima::detail::note_stream(*this);
  if (is_numbered) return;
  delete std::exchange(forward_location, nullptr);
  minima::detail::number(*this);
}

void ProgramNode::backward(minima::Tensor* gradients, minima::Tensor* results, minima::BackwardContext& pass) {
  variable_list given;
  for (std::uint32_t i = 0; i < output_count_; ++i) given.emplace_back(std::move(gradients[i]));
  struct Restore {
    autograd::Node& node;
    const minima::BackwardContext* outer;
    ~Restore() { node.pass_ = outer; }
  } restore{*program_, std::exchange(program_->pass_, &pass)};
  const variable_list returned = (*program_)(std::move(given));
  TORCH_CHECK(returned.size() == edge_count_, "Function ", name_,
              " returned an invalid number of gradients - expected ", edge_count_, ", but got ", returned.size());
  for (std::uint32_t i = 0; i < edge_count_; ++i) {
    const minima::Edge& edge = edge_list_[i];
    if (!returned[i].defined() || !edge || !pass.needs(i)) continue;
    results[i] = checked_gradient(name_, returned[i], i, edge.node()->outputs()[edge.output()].shape);
  }
}

}  // namespace detail

namespace {

using detail::NodeAccess;
using detail::ProgramNode;

/// A call of a gradient formula outside of any pass.
struct DirectCall final : minima::BackwardContext {
  explicit DirectCall(const minima::Node& node) : node_(node) {}
  bool create_graph() const override { return c10::GradMode::is_enabled(); }
  bool needs(std::uint32_t edge) const override { return static_cast<bool>(node_.edges()[edge]); }
  minima::Destination destination(std::uint32_t, bool) override { return {}; }
  void written(std::uint32_t) override {}
  minima::Tensor take_so_far(std::uint32_t) override { return {}; }
  bool skip_mask(std::uint32_t) override { return false; }

 private:
  const minima::Node& node_;
};

/// An operator of the library, which keeps this handle.
class LibraryNode final : public Node {
 public:
  explicit LibraryNode(minima::Node& node) : native_(node) { NodeAccess::recorded(*this) = &node; }

  std::string name() const override { return operator_name(native_); }
  void release_variables() override { native_.release_saved(); }

 protected:
  variable_list apply(variable_list&& gradients) override {
    TORCH_CHECK(gradients.size() == native_.output_count(), name(), ": expected ", native_.output_count(),
                " gradients, got ", gradients.size());
    variable_list results(native_.edge_count());
    if (std::none_of(gradients.begin(), gradients.end(), [](const at::Tensor& g) { return g.defined(); }))
      return results;
    if (native_.is_leaf()) {
      static_cast<minima::Leaf&>(native_).accumulate(gradients[0].native());
      return results;
    }
    std::vector<minima::Tensor> given, returned(results.size());
    for (at::Tensor& gradient : gradients) given.push_back(gradient.native());
    DirectCall call(native_);
    native_.backward(given.data(), returned.data(), call);
    std::copy(returned.begin(), returned.end(), results.begin());
    return results;
  }

 private:
  minima::Node& native_;
};

ProgramNode* program_node(minima::Node* node) { return dynamic_cast<ProgramNode*>(node); }

}  // namespace

std::shared_ptr<Node> node_handle(minima::Node* node) {
  if (!node) return nullptr;
  Node* handle = nullptr;
  if (const ProgramNode* own = program_node(node)) {
    handle = &own->program();
  } else {
    const auto make = [node] { return std::make_shared<LibraryNode>(*node); };
    handle = static_cast<LibraryNode*>(minima::NodeHooks::of(*node).companion(make).get());
  }
  node->retain();
  return {handle, [node](Node*) { node->release(); }};
}

Edge edge_handle(const minima::Edge& edge) { return {node_handle(edge.node()), edge.output()}; }

minima::Edge native_edge(const Edge& edge) {
  if (!edge.function) return {};
  minima::Node* node = NodeAccess::recorded(*edge.function);
  if (node) node->retain();
  else node = new ProgramNode(*edge.function);
  return {node, edge.input_nr};
}

variable_list NotImplemented::apply(variable_list&&) {
  throw c10::NotImplementedError("derivative for " + operator_name_ + " is not implemented");
}

bool is_view_without_gradient(const minima::TensorImpl& impl) {
  if (!impl.base || !impl.history || impl.history->is_leaf()) return false;
  const ProgramNode* const own = program_node(static_cast<minima::Node*>(impl.history));
  return own && dynamic_cast<const NotImplemented*>(&own->program());
}

minima::Tensor checked_gradient(const std::string& name, const at::Tensor& gradient, std::size_t index,
                                const minima::Shape& wanted) {
  const minima::Shape& given = gradient.native().shape();
  bool fits = given.rank() >= wanted.rank();
  for (int i = 1; fits && i <= wanted.rank(); ++i) {
    const std::int64_t size = wanted[wanted.rank() - i];
    fits = size == 1 || size == given[given.rank() - i];
  }
  TORCH_CHECK(fits, "Function ", name, " returned an invalid gradient at index ", index, " - got ",
              c10::IntArrayRef(given), " but expected shape compatible with ", c10::IntArrayRef(wanted));
  return gradient.native();
}

// A node of the library does not keep edges and outputs in LibTorch's form: they are made when needed.

std::string Node::name() const { return c10::demangle(typeid(*this).name()); }

bool Node::is_library() const { return recorded_ && !program_node(recorded_); }

edge_list Node::next_edges() const {
  edge_list edges;
  for (std::uint32_t i = 0; i < num_outputs(); ++i) edges.push_back(next_edge(i));
  return edges;
}

Edge Node::next_edge(std::size_t index) const {
  TORCH_CHECK(index < num_outputs(), "Index out of range");
  return is_library() ? edge_handle(recorded_->edges()[index]) : next_edges_[index];
}

void Node::changed() {
  TORCH_CHECK(!is_library(), name(), " is the library's own, whose edges and outputs cannot be changed");
  if (ProgramNode* own = program_node(recorded_)) own->update();
}

void Node::set_next_edge(std::size_t index, Edge edge) {
  TORCH_CHECK(index < num_outputs(), "Index out of range");
  if (!is_library()) next_edges_[index] = std::move(edge);
  changed();
}
void Node::add_next_edge(Edge edge) {
  if (!is_library()) next_edges_.push_back(std::move(edge));
  changed();
}
void Node::set_next_edges(edge_list&& edges) {
  if (!is_library()) next_edges_ = std::move(edges);
  changed();
}

std::uint32_t Node::num_inputs() const {
  return is_library() ? recorded_->output_count() : static_cast<std::uint32_t>(outputs_.size());
}
std::uint32_t Node::num_outputs() const {
  return is_library() ? recorded_->edge_count() : static_cast<std::uint32_t>(next_edges_.size());
}

std::uint32_t Node::add_input_metadata(const at::Tensor& output) {
  const auto number = static_cast<std::uint32_t>(outputs_.size());
  if (!is_library()) outputs_.push_back(output.defined() ? std::optional(InputMetadata(output)) : std::nullopt);
  changed();
  return number;
}

InputMetadata Node::input_metadata(std::size_t index) const {
  TORCH_CHECK(index < num_inputs(), "Index out of range");
  if (!is_library()) return outputs_[index].value_or(InputMetadata());
  const minima::Node::Output& output = recorded_->outputs()[index];
  return {c10::IntArrayRef(output.shape).vec(), c10::scalar_type(output.dtype), c10::from_native(output.device)};
}

std::uint64_t Node::sequence_nr() const { return recorded_ ? recorded_->sequence : 0; }

bool Node::should_compute_output(std::initializer_list<IndexRange> ranges) const {
  for (const auto& [first, last] : ranges)
    for (std::size_t i = first; i < last; ++i)
      if (should_compute_output(i)) return true;
  return false;
}
bool Node::task_should_compute_output(std::size_t index) const {
  return should_compute_output(index) && (!pass_ || pass_->needs(static_cast<std::uint32_t>(index)));
}
bool Node::task_should_compute_output(std::initializer_list<IndexRange> ranges) const {
  for (const auto& [first, last] : ranges)
    for (std::size_t i = first; i < last; ++i)
      if (task_should_compute_output(i)) return true;
  return false;
}

std::shared_ptr<Node> Node::getptr() { return is_library() ? node_handle(recorded_) : shared_from_this(); }

}  // namespace torch::autograd
