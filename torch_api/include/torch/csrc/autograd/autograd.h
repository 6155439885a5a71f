#pragma once

#include <torch/csrc/autograd/function.h>

#include <optional>

namespace torch::autograd {

/// Undefined gradients mean ones, for outputs with one element. With `inputs`, leaves or not, only their `.grad` is
/// accumulated into.
void backward(const variable_list& tensors, const variable_list& grad_tensors = {},
              std::optional<bool> retain_graph = std::nullopt, bool create_graph = false,
              const variable_list& inputs = {});

variable_list grad(const variable_list& outputs, const variable_list& inputs, const variable_list& grad_outputs = {},
                   std::optional<bool> retain_graph = std::nullopt, bool create_graph = false,
                   bool allow_unused = false);

/// Forward-mode differentiation does not exist here: these throw.
namespace forward_ad {
std::uint64_t enter_dual_level();
void exit_dual_level(std::uint64_t level);
}  // namespace forward_ad

}  // namespace torch::autograd
