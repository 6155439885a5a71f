#include <torch/csrc/autograd/functions/comm.h>

#include <c10/core/native.h>
#include <c10/util/Exception.h>

#include <minima/ops/view/join.h>
#include <minima/ops/view/split.h>
#include <minima/ops/view/view.h>

#include <utility>
#include <vector>

// Copies between devices are recorded, so the gradients of these are those of the copies.

namespace torch::autograd {

Scatter::Scatter(std::vector<at::Device> devices, std::optional<std::vector<std::int64_t>> chunk_sizes,
                 std::int64_t dim)
    : devices_(std::move(devices)), chunk_sizes_(std::move(chunk_sizes)), dim_(dim) {}

variable_list Scatter::apply(const variable_list& inputs) const {
  TORCH_CHECK(inputs.size() == 1, "Scatter takes one tensor, got ", inputs.size());
  TORCH_CHECK(!devices_.empty(), "Scatter: no devices to scatter to");
  const minima::Tensor& input = inputs[0];
  std::vector<minima::Tensor> parts = chunk_sizes_
                                          ? minima::split_with_sizes(input, *chunk_sizes_, dim_)
                                          : minima::chunk(input, static_cast<std::int64_t>(devices_.size()), dim_);
  TORCH_CHECK(parts.size() <= devices_.size(), "Scatter: ", parts.size(), " parts for ", devices_.size(), " devices");
  variable_list result;
  for (std::size_t i = 0; i < parts.size(); ++i) result.emplace_back(parts[i].to(c10::native(devices_[i])));
  return result;
}

variable_list Gather::apply(const variable_list& inputs) const {
  TORCH_CHECK(!inputs.empty(), "Gather: no tensors");
  std::vector<minima::Tensor> parts;
  for (const at::Tensor& input : inputs) {
    const minima::Tensor part = input.native().to(c10::native(destination_));
    parts.push_back(part.rank() == 0 ? minima::reshape(part, {1}) : part);
  }
  return {at::Tensor(minima::cat(parts, dim_))};
}

}  // namespace torch::autograd
