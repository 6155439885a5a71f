#pragma once

#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>

#include <optional>
#include <span>

namespace minima::detail {

/// The layout of the tensor whose parts along `dim` these are, in this order and in one storage; nothing if they are
/// not. All have the same rank.
MINIMA_API std::optional<Layout> joined(std::span<const Tensor> parts, int dim);

}  // namespace minima::detail
