#pragma once

#include <torch/core/tensor.h>

// minima's convolutions and pools return channels_last memory on the CPU, and what follows them keeps it. A LibTorch
// program sees row-major memory, as its own tensors would have. The order is therefore put right at the moment when it
// can be seen: when a view is made or strides or a pointer are asked for. That happens once, in the tensor that all
// handles share, so everything that aliases it afterwards agrees. What has been seen once is never moved again.
//
// Left alone are: views that the program made, tensors with keep_order, and orders other than channels_last, which
// follow from a permuted operand as in LibTorch.

namespace at {

/// Puts x's elements into row-major order if the program has not seen their order yet. Call it first in every function
/// that returns an alias of x. Returns x.
const Tensor& rows_first(const Tensor& x);

/// The same before view(shape): also moves elements of other orders, and throws LibTorch's error if a view of this
/// shape is impossible.
const Tensor& rows_first(const Tensor& x, IntArrayRef shape);

/// Marks x's order as wanted by the program or as seen: rows_first leaves it alone. Returns x.
const Tensor& keep_order(const Tensor& x);

/// Marks the order of `result`, an elementwise function of x, as wanted if x's is and both have the same.
const Tensor& follow_order(const Tensor& result, const Tensor& x);

/// Whether rows_first would change x's order: the program has not seen it yet.
bool has_hidden_order(const Tensor& x);

}  // namespace at
