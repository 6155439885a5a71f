#pragma once

#include <minima/tensor/tensor.h>

namespace minima {

/// A copy with its own memory, in x's order of dimensions in memory. Differentiable.
MINIMA_API Tensor clone(const Tensor& x);
/// x itself if it is row-major without gaps, else a copy that is. Differentiable.
MINIMA_API Tensor contiguous(const Tensor& x);
/// x itself if its memory is in NHWC order (shape [N, C, H, W] or [N, C, D, H, W]), else a copy that is.
MINIMA_API Tensor channels_last(const Tensor& x);
/// A copy with exactly this layout of x's shape (offset 0, any gaps unwritten). Differentiable.
MINIMA_API Tensor copy_as(const Tensor& x, const Layout& layout);
/// x converted to another dtype; x itself if it has it already. Differentiable between floating dtypes.
/// Floating → integer truncates towards zero; what lies beyond int32 (int64, for that) becomes its nearest end, NaN 0.
/// The types of 8 bits keep the lowest 8: 300 → uint8 is 44, -1 is 255. Anything → bool is x != 0.
MINIMA_API Tensor cast(const Tensor& x, DType dtype);
/// target = source: broadcast to target's shape, converted to its dtype, in place. Recorded like any in-place change.
MINIMA_API void copy_(const Tensor& target, const Tensor& source);

}  // namespace minima
