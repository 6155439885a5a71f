#pragma once

#include <minima/tensor/tensor.h>

#include <cstdint>

// What transforms are made of. Images are uint8 or float32 [H, W, C]; results are new tensors.

namespace minima::data {

/// A part of an image; it may be larger than a whole number of pixels.
struct Box {
  double top = 0, left = 0, height = 0, width = 0;
};

/// The box, which must lie inside the image, at another size: bilinear with antialiasing (a triangle filter as wide as
/// the reduction), as Pillow's and torchvision's. Throws ShapeError for what is no image, ValueError for an empty box.
MINIMA_API Tensor resize(const Tensor& image, const Box& box, std::int64_t height, std::int64_t width);
/// Whole pixels, copied.
MINIMA_API Tensor crop(const Tensor& image, std::int64_t top, std::int64_t left, std::int64_t height,
                       std::int64_t width);
/// Left to right.
MINIMA_API Tensor flip_horizontal(const Tensor& image);
/// Top to bottom.
MINIMA_API Tensor flip_vertical(const Tensor& image);
/// `border` more pixels of `fill` on every side.
MINIMA_API Tensor pad_image(const Tensor& image, std::int64_t border, double fill = 0);

/// Where an output pixel comes from: x' = a x + b y + c, y' = d x + e y + f, counted from the image's centre.
struct Affine {
  double a = 1, b = 0, c = 0, d = 0, e = 1, f = 0;
  /// Counter-clockwise.
  MINIMA_API static Affine rotation(double degrees);
};
/// Bilinear; what comes from outside is `fill`.
MINIMA_API Tensor warp(const Tensor& image, const Affine& map, double fill = 0);

namespace detail {
/// Throws ShapeError or DTypeError unless x is an image on the CPU; returns it row-major.
MINIMA_API Tensor expect_image(const Tensor& x, const char* what);
}  // namespace detail

}  // namespace minima::data
