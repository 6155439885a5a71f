#pragma once

#include <minima/tensor/tensor.h>

// Complex tensors as real ones on the same memory. Autograd and version counters know nothing of these tensors: they
// are for kernels.

namespace minima::detail {

/// The numbers of a complex tensor [...] as a real tensor [..., 2]; a tensor of any other dtype as it is.
MINIMA_API Tensor parts_of(const Tensor& z);
/// The real (0) or imaginary (1) parts of a complex tensor, in its shape.
MINIMA_API Tensor part_of(const Tensor& z, int which);
/// The complex numbers of a real tensor [..., 2] whose pairs are adjacent and start at even offsets.
MINIMA_API Tensor complex_of_parts(const Tensor& parts);

}  // namespace minima::detail
