#include <minima/ops/creation/creation.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>

#include <torch/core/memory_order.h>
#include <torch/csrc/utils/tensor_flatten.h>

namespace torch::utils {

at::Tensor flatten_dense_tensors(at::TensorList tensors) {
  std::vector<minima::Tensor> flat;
  for (const at::Tensor& tensor : tensors) flat.push_back(minima::reshape(tensor, -1));
  return minima::cat(flat, 0);
}

std::vector<at::Tensor> unflatten_dense_tensors(const at::Tensor& flat, at::TensorList tensors) {
  std::vector<at::Tensor> parts;
  std::int64_t start = 0;
  for (const at::Tensor& tensor : tensors) {
    const std::int64_t count = tensor.numel();
    if (count == 0) {
      parts.emplace_back(
          minima::empty(tensor.sizes(), {.dtype = flat.native().dtype(), .device = flat.native().device()}));
      continue;
    }
    const minima::Tensor part = minima::slice(at::rows_first(flat), 0, start, start + count);
    parts.emplace_back(minima::view(part, tensor.sizes()));
    start += count;
  }
  return parts;
}

}  // namespace torch::utils
