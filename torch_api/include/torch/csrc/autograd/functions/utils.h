#pragma once

#include <torch/csrc/autograd/function.h>

#include <memory>
#include <optional>
#include <vector>

namespace torch::autograd {

/// Records the node as the operator that made the tensors, which become its outputs in order.
void set_history(const at::Tensor& tensor, const std::shared_ptr<Node>& node);
void set_history(const std::vector<Variable>& tensors, const std::shared_ptr<Node>& node);

namespace detail {

inline bool any_requires_grad(const at::Tensor& tensor) { return tensor.defined() && tensor.requires_grad(); }
inline bool any_requires_grad(const std::optional<at::Tensor>& tensor) { return tensor && any_requires_grad(*tensor); }
inline bool any_requires_grad(at::TensorList tensors) {
  for (const at::Tensor& tensor : tensors)
    if (any_requires_grad(tensor)) return true;
  return false;
}
inline bool any_requires_grad(const variable_list& tensors) { return any_requires_grad(at::TensorList(tensors)); }

}  // namespace detail

/// Whether gradients are recorded and one of the tensors, also of lists, requires one.
template <class... Tensors>
bool compute_requires_grad(const Tensors&... tensors) {
  return c10::GradMode::is_enabled() && (... || detail::any_requires_grad(tensors));
}

}  // namespace torch::autograd
