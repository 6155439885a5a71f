#pragma once

#include <torch/core/tensor.h>

#include <vector>

namespace torch::utils {

/// All elements, one tensor after the other.
at::Tensor flatten_dense_tensors(at::TensorList tensors);
/// Parts of `flat` with the shapes of `tensors`. Empty ones share no memory with others.
std::vector<at::Tensor> unflatten_dense_tensors(const at::Tensor& flat, at::TensorList tensors);

}  // namespace torch::utils
