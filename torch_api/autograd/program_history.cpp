#include <torch/csrc/autograd/VariableTypeUtils.h>

#include "node_handle.h"

#include <c10/util/Exception.h>

#include <minima/autograd/leaf.h>
#include <minima/autograd/saved_tensor.h>
#include <minima/ops/core/op_support.h>

#include <utility>

// These functions put a program's own Node into the graph, and hold what it saves for backward.

namespace torch::autograd {

Edge impl::gradient_edge(const Variable& tensor) { return edge_handle(minima::detail::edge_to(tensor.native())); }

void impl::set_gradient_edge(const Variable& tensor, const Edge& edge) {
  TORCH_CHECK(tensor.defined() && edge.is_valid(), "set_gradient_edge: there is no ",
              tensor.defined() ? "node" : "tensor");
  minima::TensorImpl& own = *tensor.native().impl();
  TORCH_CHECK(!(own.history && own.history->is_leaf() && own.history->requires_grad()),
              "set_history: a leaf that requires grad cannot be the output of an operator; give it a new handle with "
              "detach()");
  const minima::Edge native = native_edge(edge);
  if (own.history) own.history->tensor_destroyed(&own);
  minima::detail::set_history(tensor.native(), *native.node(), native.output());
  own.unrecorded_view = false;
  if (own.base) own.base_rebases = own.base->rebases;
}

std::shared_ptr<Node> impl::grad_accumulator(const Variable& tensor) {
  TORCH_CHECK(tensor.is_leaf(), "grad_accumulator() should be only called on leaf Variables");
  return tensor.requires_grad() ? node_handle(minima::Leaf::of(tensor.native())) : nullptr;
}

void create_gradient_edge(Variable& tensor, const std::shared_ptr<Node>& node) { set_history(tensor, node); }

void set_history(const at::Tensor& tensor, const std::shared_ptr<Node>& node) {
  TORCH_CHECK(node, "set_history: the node is null");
  const std::uint32_t number = node->add_input_metadata(tensor);
  if (tensor.defined()) impl::set_gradient_edge(tensor, {node, number});
}

void set_history(const std::vector<Variable>& tensors, const std::shared_ptr<Node>& node) {
  for (const Variable& tensor : tensors) set_history(tensor, node);
}

void rebase_history(const Variable& tensor, const std::shared_ptr<Node>& node) {
  if (!node || !tensor.defined()) return;
  detail::check_change(tensor);
  const std::uint32_t number = node->add_input_metadata(tensor);
  const minima::Edge native = native_edge({node, number});
  if (number == 0) {
    minima::detail::rebase_history(tensor.native(), *native.node());
    return;
  }
  minima::TensorImpl& own = *tensor.native().impl();
  TORCH_CHECK(!own.base, node->name(), ": a view can be changed in place only if it is the first output");
  minima::detail::set_history(tensor.native(), *native.node(), number);
  ++own.rebases;
}

struct SavedVariable::Saved {
  minima::SavedTensor tensor;
  minima::Edge edge;
  std::uint32_t output = 0;
  bool is_output = false, is_freed = false;
};

SavedVariable::SavedVariable() = default;
SavedVariable::SavedVariable(SavedVariable&& other) noexcept = default;
SavedVariable& SavedVariable::operator=(SavedVariable&& other) noexcept = default;
SavedVariable::~SavedVariable() = default;

SavedVariable::SavedVariable(const Variable& tensor, bool is_output, bool) {
  if (!tensor.defined()) return;
  saved_ = std::make_unique<Saved>();
  saved_->tensor.save(tensor.native(), "SavedVariable");
  saved_->is_output = is_output;
  if (is_output) saved_->output = tensor.native().impl()->output_index;
  else saved_->edge = minima::detail::edge_to(tensor.native());
}

Variable SavedVariable::unpack(const std::shared_ptr<Node>& saved_for) const {
  if (!saved_) return {};
  TORCH_CHECK(!saved_->is_freed, freed_message);
  const minima::Tensor tensor =
      saved_->tensor.unpack("SavedVariable", saved_->is_output ? "output" : "tensor", static_cast<int>(saved_->output));
  if (!c10::GradMode::is_enabled()) return tensor;
  TORCH_CHECK(!saved_->is_output || saved_for,
              "No grad_fn for non-leaf saved tensor: unpack(shared_from_this()) in the node that it is an output of");
  const minima::Edge edge = saved_->is_output ? native_edge({saved_for, saved_->output}) : saved_->edge;
  if (edge) minima::detail::set_history(tensor, *edge.node(), edge.output());
  return tensor;
}

void SavedVariable::reset_data() {
  if (!saved_) return;
  saved_->tensor.reset();
  saved_->is_freed = true;
}

}  // namespace torch::autograd
