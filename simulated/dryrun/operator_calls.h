#pragma once

#include <minima/tensor/base/device.h>
#include <minima/tensor/base/function.h>
#include <minima/tensor/tensor.h>

#include <string>
#include <vector>

namespace simulated {

/// A call of an operator, or of its gradient.
struct OperatorCall {
  std::string name;  ///< with the shapes of its inputs
  minima::Function<minima::Tensor()> call;
};

/// Calls that GPUs are easily slow at: few long lines or many short ones, lines along inner dimensions, repeated
/// targets, mixed dtypes, odd addresses; and some that only move memory, to compare with. `reduced`: the same kernels
/// with little work, whatever the names say.
std::vector<OperatorCall> operator_calls(minima::Device device, bool reduced = false);

}  // namespace simulated
