#pragma once

#include <minima/tensor/tensor.h>

namespace minima::detail {

/// `values`, which are x's in another dtype and belong to no one else, recorded as a cast of x.
Tensor recorded_cast(const Tensor& x, const Tensor& values);

}  // namespace minima::detail
