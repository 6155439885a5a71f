#pragma once

#include <minima/data/images/geometry.h>
#include <minima/data/sampling/random.h>
#include <minima/data/transforms/transforms.h>
#include <minima/tensor/tensor.h>

#include <span>
#include <vector>

// Augmentation where the images are: whole batches of bytes go to the GPU as they were read, and one kernel crops,
// resizes, turns, flips, recolours and normalises them. What happens to an image is drawn on the host as plain numbers:
//
//     const RandomImageChange random{.crop = {.size = 224}, .colours = {.4, .4, .4, .1}};
//     for (auto& [images, labels] : loader) {
//       const auto changes = random.draw(images, stream);
//       const Tensor x = augment_images(images, changes, 224, 224, imagenet_mean, imagenet_std, DType::bfloat16);

namespace minima::data {

/// What is done to one image. The order is: the box of the image is turned about its middle, brought to the output's
/// size and flipped; then brightness, contrast (about the mean of the grey whole image), saturation and hue are
/// changed.
struct ImageChange {
  Box box{};           ///< of zero size: the whole image
  double degrees = 0;  ///< counter-clockwise
  bool flip_horizontal = false;
  bool flip_vertical = false;
  double fill = 0;  ///< what comes from outside the image, 0 … 255
  double brightness = 1, contrast = 1, saturation = 1;
  double hue = 0;  ///< a part of the circle round the grey axis, -0.5 … 0.5
};

/// Images as bytes into what a network takes, in one pass: x uint8 [B, H, W, C] with 1 or 3 channels → [B, C, height,
/// width] of a floating dtype in channels_last order, changed as `changes` says (one for each image) and normalised as
/// normalize_images does. An output pixel is the mean of bilinear samples spread over the part of the box that it
/// stands for. Colours are changed by one matrix and limited to 0 … 255 at the end. Throws ShapeError, DTypeError or
/// ValueError.
MINIMA_API Tensor augment_images(const Tensor& x, std::span<const ImageChange> changes, std::int64_t height,
                                 std::int64_t width, std::span<const double> mean, std::span<const double> std,
                                 DType dtype = DType::float32);

/// RandAugment for a batch of bytes [B, H, W, C], where it is: what the transform makes of one image after the other
/// with the same stream, up to the rounding of a byte. Throws ShapeError, DTypeError, or ValueError for the rule.
MINIMA_API Tensor rand_augment_images(const Tensor& x, const RandAugment& rule, RandomStream& random);

/// Random changes by the rules of the transforms for single images.
struct RandomImageChange {
  RandomResizedCrop crop{};  ///< its size is the output's
  double flip = 0.5;         ///< probability of flip_horizontal
  double degrees = 0;        ///< an angle uniform on ± this
  double fill = 0;
  ColorJitter colours{};

  /// For an image of this size.
  MINIMA_API ImageChange draw(std::int64_t height, std::int64_t width, RandomStream& random) const;
  /// For every image of a batch [B, H, W, C].
  MINIMA_API std::vector<ImageChange> draw(const Tensor& images, RandomStream& random) const;
};

}  // namespace minima::data
