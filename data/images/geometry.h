#pragma once

#include <minima/tensor/tensor.h>

#include <cstdint>

// Geometric operations on images, uint8 or float32 [H, W, C] on the CPU. Results are new tensors.

namespace minima::data {

/// A rectangle in pixels, not necessarily whole ones.
struct Box {
  double top = 0, left = 0, height = 0, width = 0;
};

/// Resizes a box of the image to height × width: bilinear with antialiasing (a triangle filter scaled by the
/// reduction), as in Pillow and torchvision's resized_crop. Throws ShapeError unless `image` is [H, W, C], ValueError
/// for a box that is empty or not inside the image.
MINIMA_API Tensor resize(const Tensor& image, const Box& box, std::int64_t height, std::int64_t width);
/// Copies height × width pixels starting at (top, left). torchvision's crop, but the box must be inside the image.
MINIMA_API Tensor crop(const Tensor& image, std::int64_t top, std::int64_t left, std::int64_t height,
                       std::int64_t width);
/// Mirrors left and right. torchvision's hflip.
MINIMA_API Tensor flip_horizontal(const Tensor& image);
/// Mirrors top and bottom. torchvision's vflip.
MINIMA_API Tensor flip_vertical(const Tensor& image);
/// Adds `border` pixels of `fill` on every side. torchvision's pad.
MINIMA_API Tensor pad_image(const Tensor& image, std::int64_t border, double fill = 0);

/// Maps output to source coordinates: x' = a x + b y + c, y' = d x + e y + f, in pixels from the image's centre.
struct Affine {
  double a = 1, b = 0, c = 0, d = 0, e = 1, f = 0;
  /// Rotates the image counter-clockwise.
  MINIMA_API static Affine rotation(double degrees);
};
/// Applies an affine map with bilinear interpolation; pixels from outside the image are `fill`. The size stays the
/// same.
MINIMA_API Tensor warp(const Tensor& image, const Affine& map, double fill = 0);

namespace detail {
/// room / 2 rounded half to even, which is where torchvision's centre crops begin; room ≥ 0.
inline std::int64_t centred(std::int64_t room) { return room / 2 + (room % 4 == 3 ? 1 : 0); }
/// Returns x, contiguous. Throws ShapeError, DTypeError or DeviceError unless x is an image on the CPU.
MINIMA_API Tensor expect_image(const Tensor& x, const char* what);
}  // namespace detail

}  // namespace minima::data
