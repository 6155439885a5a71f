#pragma once

#include <minima/tensor/tensor.h>

namespace minima {

/// A copy with its own memory, in x's memory order. Differentiable.
MINIMA_API Tensor clone(const Tensor& x);
/// x itself if it is contiguous (row-major without gaps), else a contiguous copy. Differentiable.
MINIMA_API Tensor contiguous(const Tensor& x);
/// x itself if its memory is in NHWC order (shape [N, C, H, W] or [N, C, D, H, W]), else a copy that is.
MINIMA_API Tensor channels_last(const Tensor& x);
/// A copy with exactly this layout (x's shape, offset 0); gaps are not written. Differentiable.
MINIMA_API Tensor copy_as(const Tensor& x, const Layout& layout);
/// x converted to another dtype; x itself if it already has it. Differentiable between floating dtypes.
/// Real → complex adds imaginary parts of 0; complex → real throws DTypeError, since real(x), imag(x) and abs(x) say
/// what becomes of the imaginary part.
/// Floating → int32 or int64 truncates towards zero and saturates; NaN gives 0. 8-bit types keep the lowest 8 bits: 300
/// → uint8 is 44, -1 is 255. Anything → bool is x != 0.
MINIMA_API Tensor cast(const Tensor& x, DType dtype);
/// x with the dtype of `other`, on its device.
inline Tensor type_as(const Tensor& x, const Tensor& other) { return x.to(other.device(), other.dtype()); }
/// target = source: broadcast to target's shape, converted to its dtype and device, in place. Recorded like any
/// in-place change.
MINIMA_API const Tensor& copy_(const Tensor& target, const Tensor& source);

namespace detail {
/// The same as cast, but complex → real takes the real part: the gradient of a real input by a complex result.
Tensor cast_gradient(const Tensor& gradient, DType dtype);
}  // namespace detail

}  // namespace minima
