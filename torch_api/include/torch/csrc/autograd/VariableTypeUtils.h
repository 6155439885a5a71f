#pragma once

#include <torch/core/tensor.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>

namespace torch::autograd {

namespace detail {
[[gnu::cold]] void check_change(const at::Tensor& tensor);
}

/// Throws LibTorch's errors if a change of the tensor in place is not allowed: of tensors made in inference mode
/// outside of it and, while recording, of leaves that require grad, their views, and views made without recording.
inline void check_inplace(const at::Tensor& tensor) {
  const minima::TensorImpl* const impl = tensor.native().impl();
  if (impl && (impl->inference || impl->history || impl->base)) [[unlikely]]
    detail::check_change(tensor);
}

/// The tensor was changed in place: the node, which has one output, replaces its history. For a view it enters the
/// history of the base.
void rebase_history(const Variable& tensor, const std::shared_ptr<Node>& node);
/// The version counts changes in place, which a program that writes through pointers has to report.
inline void increment_version(const at::Tensor& tensor) { tensor.unsafeGetTensorImpl()->bump_version(); }

namespace detail {

inline void flatten(tensor_list& into, const at::Tensor& tensor) { into.push_back(tensor); }
inline void flatten(tensor_list& into, const std::optional<at::Tensor>& tensor) {
  if (tensor) into.push_back(*tensor);
}
inline void flatten(tensor_list& into, at::TensorList tensors) {
  into.insert(into.end(), tensors.begin(), tensors.end());
}
inline void flatten(tensor_list& into, const tensor_list& tensors) { flatten(into, at::TensorList(tensors)); }

}  // namespace detail

/// All tensors in one list, those of lists among them.
template <class... Tensors>
tensor_list flatten_tensor_args(const Tensors&... tensors) {
  tensor_list result;
  (detail::flatten(result, tensors), ...);
  return result;
}

}  // namespace torch::autograd
