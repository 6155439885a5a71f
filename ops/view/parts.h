#pragma once

#include <minima/tensor/tensor.h>

// Complex tensors as real ones and the reverse, as differentiable views. Internal; ops/complex/complex.h declares what
// users call.

namespace minima::detail {

/// A layout that counts in elements of another dtype than that of the tensor in whose memory it is. A view operator
/// whose `view` returns one gives a tensor of this dtype.
struct TypedLayout : Layout {
  DType dtype;
};
/// `apply` calls this for it.
Tensor make_view(const Tensor& x, TypedLayout layout);

/// Complex [...] as real [..., 2].
Tensor real_view(const Tensor& z);
/// Real [..., 2] as complex [...]. Throws ValueError unless has_pairs (tensor/complex/parts.h).
Tensor complex_view(const Tensor& parts);
/// The elements of `view`, a layout within x's storage that counts in elements of `dtype`: x's, or the complex dtype of
/// a real x, or the real one of a complex x.
Tensor as_strided(const Tensor& x, const Layout& view, DType dtype);

}  // namespace minima::detail
