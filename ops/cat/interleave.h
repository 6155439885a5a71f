#pragma once

#include <minima/tensor/tensor.h>

#include <span>

namespace minima::detail {

/// y = cat(tensors, dim) where y takes single elements from two or four tensors in turn, as stack(…, -1) does; all
/// row-major and of one dtype. Returns false, with nothing done, for any other arguments.
bool interleave_cpu(std::span<const Tensor> tensors, int dim, const Tensor& y);

}  // namespace minima::detail
