#pragma once

#include <minima/tensor/tensor.h>

// Colour operations, each that of torchvision.transforms.functional with the same name. Images are [H, W, C] with 1 or
// 3 channels, uint8 in 0 … 255 or float32 in 0 … 1. Results are clamped to that range.

namespace minima::data {

/// x · factor, factor ≥ 0; 1 changes nothing.
MINIMA_API Tensor adjust_brightness(const Tensor& image, double factor);
/// m + factor · (x - m), where m is the mean of the grey image; 1 changes nothing.
MINIMA_API Tensor adjust_contrast(const Tensor& image, double factor);
/// g + factor · (x - g), where g is the grey image: 0 gives a grey image, 1 changes nothing. Has no effect on grey
/// images.
MINIMA_API Tensor adjust_saturation(const Tensor& image, double factor);
/// Rotates the hue in HSV by `turn` of a full circle, -0.5 … 0.5; 0 changes nothing.
MINIMA_API Tensor adjust_hue(const Tensor& image, double turn);
/// s + factor · (x - s), where s is x smoothed by [[1, 1, 1], [1, 5, 1], [1, 1, 1]] / 13; 1 changes nothing.
MINIMA_API Tensor adjust_sharpness(const Tensor& image, double factor);
/// Keeps the upper `bits` bits of each value, 0 … 8. float32 images are converted to uint8 and back.
MINIMA_API Tensor posterize(const Tensor& image, int bits);
/// Inverts values of at least `threshold`, on the scale 0 … 255 for float32 images, too.
MINIMA_API Tensor solarize(const Tensor& image, double threshold);
/// Stretches each channel to the full range. torchvision's autocontrast.
MINIMA_API Tensor auto_contrast(const Tensor& image);
/// Equalises each channel's histogram. float32 images are converted to uint8 and back.
MINIMA_API Tensor equalize(const Tensor& image);

}  // namespace minima::data
