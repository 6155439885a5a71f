#pragma once

#include <minima/ops/core/reduction.h>
#include <minima/tensor/tensor.h>

namespace minima::detail {

/// The losses themselves, their sum or their mean.
Tensor reduced(const Tensor& losses, Reduction reduction);

}  // namespace minima::detail
