#pragma once

#include <torch/csrc/autograd/function.h>

#include <optional>
#include <vector>

namespace torch::autograd {

/// Splits a tensor along a dimension over devices. Gradients come back to the input's device.
struct Scatter {
  /// Chunks have equal sizes, the last ones fewer, unless sizes are given.
  explicit Scatter(std::vector<at::Device> devices, std::optional<std::vector<std::int64_t>> chunk_sizes = std::nullopt,
                   std::int64_t dim = 0);
  variable_list apply(const variable_list& inputs) const;
  variable_list operator()(const variable_list& inputs) const { return apply(inputs); }

 private:
  std::vector<at::Device> devices_;
  std::optional<std::vector<std::int64_t>> chunk_sizes_;
  std::int64_t dim_;
};

/// Joins tensors along a dimension on one device. Scalars are joined to a vector.
struct Gather {
  explicit Gather(at::Device destination, std::int64_t dim = 0) : destination_(destination), dim_(dim) {}
  variable_list apply(const variable_list& inputs) const;
  variable_list operator()(const variable_list& inputs) const { return apply(inputs); }

 private:
  at::Device destination_;
  std::int64_t dim_;
};

}  // namespace torch::autograd
