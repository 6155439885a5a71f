#pragma once

#include <torch/core/tensor.h>

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

}  // namespace torch::autograd
