#pragma once

#include <minima/autograd/node.h>

// The few computations that the engine needs. ops/ defines them, because autograd depends on no operator.

namespace minima::detail {

/// a + b, in a's memory if it is not shared and nothing is recorded.
MINIMA_API Tensor sum_gradients(Tensor a, const Tensor& b);
/// Sums `gradient` over broadcast dimensions to `shape` and converts it to `dtype`.
MINIMA_API Tensor fit_gradient(const Tensor& gradient, const Shape& shape, DType dtype);
/// Uninitialised memory.
MINIMA_API Tensor room_for(const Layout& layout, DType dtype, Device device);
/// A copy, not recorded, with the given dense layout.
MINIMA_API Tensor copy_with_layout(const Tensor& source, const Layout& layout);
/// target += source and target = source, not recorded; the version is bumped.
MINIMA_API void add_into(const Tensor& target, const Tensor& source);
MINIMA_API void copy_into(const Tensor& target, const Tensor& source);
MINIMA_API Tensor ones_like_output(const Node::Output& output);
MINIMA_API bool has_nan(const Tensor& tensor);
/// The history of a view after its base was changed in place. `view` counts in elements of `dtype`, the view's.
MINIMA_API Edge record_as_strided(const Tensor& base, const Layout& view, DType dtype);

}  // namespace minima::detail
