#pragma once

#include <minima/data/transforms/on_batch/on_batch.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

#include <initializer_list>
#include <vector>

// The transforms of batches share these functions. Internal to data/transforms/on_batch.

namespace minima::data::detail {

/// Throws ShapeError or DTypeError unless x is uint8 or float32 [B, H, W, C] with a stream for each image.
void expect_images(const char* what, const Tensor& x, Streams random);
/// The same for float32 [B, C, H, W].
void expect_plane_images(const char* what, const Tensor& x, Streams random);

/// The largest value of a pixel.
inline double white_of(const Tensor& x) { return x.dtype() == DType::uint8 ? 255 : 1; }
/// float32 [B, C, H, W] of images.
Tensor planes_of(const Tensor& images);
/// Images of float32 [B, C, H, W]; uint8 are rounded and clamped.
Tensor images_of(const Tensor& planes, DType dtype);

/// `count` numbers of each image on x's device, float32 [B, …], from a row per image on the host.
Tensor per_image(const Tensor& x, const std::vector<double>& numbers, const Shape& shape);
/// 0, 1, …, size - 1 in float32 on x's device.
Tensor places(const Tensor& x, std::int64_t size, const Shape& shape);

/// x [B, H, W, C] with each column multiplied by rows [B, H', H] and each row by columns [B, W', W]: [B, C, H', W'].
Tensor separable(const Tensor& images, const Tensor& rows, const Tensor& columns);

}  // namespace minima::data::detail
