#pragma once

#include <minima/tensor/tensor.h>

// Complex tensors as real ones on the same memory. Autograd and version counters know nothing of these tensors: they
// are for kernels.

namespace minima::detail {

/// Where the numbers of complex elements are, real and imaginary parts in a last dimension, in elements of their dtype.
MINIMA_API Layout parts_layout(const Layout& z);
/// Where real (0) or imaginary (1) parts are.
MINIMA_API Layout part_layout(const Layout& z, int which);
/// The reverse of parts_layout.
MINIMA_API Layout complex_layout(const Layout& parts);
/// Whether the last dimension [..., 2] has adjacent pairs that start at even offsets, so that complex_layout is right.
MINIMA_API bool has_pairs(const Layout& parts);

/// The numbers of a complex tensor [...] as a real tensor [..., 2]; a tensor of any other dtype as it is.
MINIMA_API Tensor parts_of(const Tensor& z);
/// The real (0) or imaginary (1) parts of a complex tensor, in its shape.
MINIMA_API Tensor part_of(const Tensor& z, int which);
/// The complex numbers of a real tensor [..., 2] whose pairs are adjacent and start at even offsets.
MINIMA_API Tensor complex_of_parts(const Tensor& parts);

}  // namespace minima::detail
