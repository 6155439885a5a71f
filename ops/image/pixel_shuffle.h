#pragma once

#include <minima/tensor/tensor.h>

namespace minima {

/// Channels into pixels (Shi et al. 2016): x [..., C · r², H, W] → [..., C, H · r, W · r]. All dtypes. Differentiable
/// to any order. Throws ShapeError unless r² divides the channels.
///   y[..., c, h · r + i, w · r + j] = x[..., c · r² + i · r + j, h, w]
MINIMA_API Tensor pixel_shuffle(const Tensor& x, std::int64_t r);
/// The inverse, pixels into channels: x [..., C, H · r, W · r] → [..., C · r², H, W].
MINIMA_API Tensor pixel_unshuffle(const Tensor& x, std::int64_t r);
/// Exchanges the places of channels: x [N, C, …] as [N, groups, C / groups, …] with the two transposed (Zhang et al.
/// 2018). Throws ValueError unless groups divides C.
MINIMA_API Tensor channel_shuffle(const Tensor& x, std::int64_t groups);

}  // namespace minima
