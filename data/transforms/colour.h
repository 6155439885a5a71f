#pragma once

#include <minima/tensor/tensor.h>

// Changes of colour with the meaning that torchvision gives them. Images are uint8 [H, W, C], 0 … 255, or float32, 0 …
// 1, with 1 or 3 channels; factor 1 changes nothing.

namespace minima::data {

/// x · factor.
MINIMA_API Tensor adjust_brightness(const Tensor& image, double factor);
/// Away from (factor > 1) or towards the mean of the grey image.
MINIMA_API Tensor adjust_contrast(const Tensor& image, double factor);
/// Away from or towards the grey image; grey images stay as they are.
MINIMA_API Tensor adjust_saturation(const Tensor& image, double factor);
/// Turns the hue by a part of the circle, -0.5 … 0.5.
MINIMA_API Tensor adjust_hue(const Tensor& image, double turn);
/// Away from or towards an image smoothed by [[1, 1, 1], [1, 5, 1], [1, 1, 1]] / 13.
MINIMA_API Tensor adjust_sharpness(const Tensor& image, double factor);
/// Keeps the upper `bits` bits; of float32 images, those of the bytes that they stand for.
MINIMA_API Tensor posterize(const Tensor& image, int bits);
/// Inverts what is at least `threshold`, which counts from 0 to 255 for both kinds of images.
MINIMA_API Tensor solarize(const Tensor& image, double threshold);
/// Each channel stretched to the whole range.
MINIMA_API Tensor auto_contrast(const Tensor& image);
/// Each channel's histogram made flat; of float32 images, that of the bytes that they stand for.
MINIMA_API Tensor equalize(const Tensor& image);

}  // namespace minima::data
