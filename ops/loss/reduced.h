#pragma once

#include <minima/ops/core/reduction.h>
#include <minima/tensor/tensor.h>

namespace minima::detail {

/// The losses themselves, their sum or their mean.
Tensor reduced(const Tensor& losses, Reduction reduction);

/// Throws ShapeError that names the operator if x and target differ in shape: losses do not broadcast.
void expect_same_shape(const char* op, const Tensor& x, const Tensor& target);

}  // namespace minima::detail
