#pragma once

#include <minima/ops/core/spec.h>
#include <minima/tensor/layout/layout.h>
#include <minima/tensor/tensor.h>

#include <optional>
#include <span>

// Parts of tensors, for operators of other families: the gradient of a part, the whole that adjoining parts make, and
// complex numbers as pairs of real ones, as differentiable views. Internal; ops/complex/complex.h declares what users
// call.

namespace minima {

/// The gradient of a view: zeros of x's shape, with `g` added at the elements of `view`, a layout in x's storage that
/// stays within x. x's elements must not overlap. Differentiable.
Tensor slice_gradient(const Tensor& g, const TensorSpec& x, const Layout& view);

namespace detail {

/// The layout of the tensor whose parts along `dim` these are, in this order and in one storage; nothing if they are
/// not. All have the same rank.
MINIMA_API std::optional<Layout> joined(std::span<const Tensor> parts, int dim);

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

}  // namespace detail

}  // namespace minima
