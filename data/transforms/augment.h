#pragma once

#include <minima/data/images/geometry.h>
#include <minima/data/sampling/random.h>
#include <minima/data/transforms/transforms.h>
#include <minima/tensor/tensor.h>

#include <span>
#include <vector>

// Augmentation of whole batches on their device: uint8 images are copied to the GPU as they are, and one kernel crops,
// resizes, rotates, flips, recolours and normalises them. The host draws each image's parameters:
//
//     const RandomImageChange random{.crop = {.size = 224}, .colours = {.4, .4, .4, .1}};
//     for (auto& [images, labels] : loader) {
//       const auto changes = random.draw(images, stream);
//       const Tensor x = augment_images(images, changes, 224, 224, imagenet_mean, imagenet_std, DType::bfloat16);

namespace minima::data {

/// The augmentation of one image, in this order: rotate the box about its centre, resize it to the output's size, flip;
/// then change brightness, contrast (about the mean grey value of the whole image), saturation and hue.
struct ImageChange {
  Box box{};           ///< zero size: the whole image
  double degrees = 0;  ///< counter-clockwise
  bool flip_horizontal = false;
  bool flip_vertical = false;
  double fill = 0;                                      ///< value of pixels from outside the image, 0 … 255
  double brightness = 1, contrast = 1, saturation = 1;  ///< factors as in adjust_brightness and the like
  double hue = 0;                                       ///< fraction of a turn about the grey axis in YIQ, -0.5 … 0.5
};

/// Augments and normalises a batch in one pass: x uint8 [B, H, W, C] with 1 or 3 channels → [B, C, height, width] of a
/// floating dtype in channels_last order. Takes one change per image; normalises as normalize_images does. An output
/// pixel is the mean of up to 8 × 8 bilinear samples spread over its area in the box. One matrix changes the colours,
/// which are clamped to 0 … 255 afterwards. Throws ShapeError, DTypeError or ValueError.
MINIMA_API Tensor augment_images(const Tensor& x, std::span<const ImageChange> changes, std::int64_t height,
                                 std::int64_t width, std::span<const double> mean, std::span<const double> std,
                                 DType dtype = DType::float32);

/// RandAugment for a batch of uint8 images [B, H, W, C] on their device. Equals the transform applied to the images in
/// order with the same stream, up to rounding to uint8. Throws ShapeError, DTypeError, or ValueError for the rule.
MINIMA_API Tensor rand_augment_images(const Tensor& x, const RandAugment& rule, RandomStream& random);

/// Draws changes for augment_images with the distributions of RandomResizedCrop, RandomHorizontalFlip, RandomRotation
/// and ColorJitter.
struct RandomImageChange {
  RandomResizedCrop crop{};  ///< its `size` is not used
  double flip = 0.5;         ///< probability of a horizontal flip
  double degrees = 0;        ///< rotation uniform on [-degrees, degrees]
  double fill = 0;           ///< value of pixels from outside the image, 0 … 255
  ColorJitter colours{};

  /// For an image of this size.
  MINIMA_API ImageChange draw(std::int64_t height, std::int64_t width, RandomStream& random) const;
  /// For every image of a batch [B, H, W, C].
  MINIMA_API std::vector<ImageChange> draw(const Tensor& images, RandomStream& random) const;
};

}  // namespace minima::data
