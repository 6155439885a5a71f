#pragma once

#include <torch/csrc/autograd/function.h>

#include <minima/autograd/node.h>

#include <string>
#include <utility>

namespace torch::autograd {

/// The library's node under LibTorch's name, or a program's own; null for null. Retains it.
std::shared_ptr<Node> node_handle(minima::Node* node);
Edge edge_handle(const minima::Edge& edge);
/// The library's edge to an operator, which need not have been recorded.
minima::Edge native_edge(const Edge& edge);

/// Stands for the gradient of an operator that has none.
struct NotImplemented final : Node {
  explicit NotImplemented(std::string operator_name) : operator_name_(std::move(operator_name)) {}

  std::string name() const override { return operator_name_; }

 protected:
  variable_list apply(variable_list&& gradients) override;

 private:
  std::string operator_name_;
};
/// Whether the tensor is a view from an operator without a gradient, so that no change of it can be recorded.
bool is_view_without_gradient(const minima::TensorImpl& impl);

/// The gradient that operator `name` returned at `index`; throws unless it can be summed to the shape.
minima::Tensor checked_gradient(const std::string& name, const at::Tensor& gradient, std::size_t index,
                                const minima::Shape& wanted);

inline constexpr const char* freed_message =
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
    "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
    "Specify retain_graph=true if you need to backward through the graph a second time or if you need to access "
    "saved tensors after calling backward.";

}  // namespace torch::autograd
