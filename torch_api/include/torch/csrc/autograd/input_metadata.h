#pragma once

#include <torch/csrc/autograd/variable.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace torch::autograd {

/// The shape, dtype and device that a gradient has to have.
struct InputMetadata {
  InputMetadata() = default;
  explicit InputMetadata(const at::Tensor& tensor)
      : shape(tensor.sizes().vec()), dtype(tensor.scalar_type()), device_(tensor.device()) {}
  InputMetadata(std::vector<std::int64_t> shape, at::ScalarType dtype, at::Device device)
      : shape(std::move(shape)), dtype(dtype), device_(device) {}

  at::Device device() const { return device_; }
  at::TensorOptions options() const { return at::TensorOptions(dtype).device(device_); }
  /// Whether the gradient can be summed to the shape.
  bool is_expandable_to_shape(const at::Tensor& gradient) const;
  at::Tensor reduce_grad(const at::Tensor& gradient) const;

  std::vector<std::int64_t> shape;
  at::ScalarType dtype = at::kFloat;

 private:
  at::Device device_ = at::Device(at::kCPU);
};

/// Sums gradients to their shapes and converts their dtypes; throws, in words that `format_error` adds to, if that
/// cannot be done.
void validate_outputs(const std::vector<std::optional<InputMetadata>>& metadata, variable_list& gradients,
                      const std::function<std::string(const std::string&)>& format_error);

}  // namespace torch::autograd
