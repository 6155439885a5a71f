#pragma once

#include <minima/data/sampling/random.h>
#include <minima/data/transforms/auto_augment.h>
#include <minima/data/transforms/pixel_change.h>
#include <minima/data/transforms/transforms.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <vector>

// Augmentation policies as lists of operations on single images or on batches. Internal to data/.

namespace minima::data::detail {

/// The operations that augmentation policies choose from.
enum class Operation : std::uint8_t {
  identity,
  shear_x,
  shear_y,
  translate_x,
  translate_y,
  rotate,
  brightness,
  color,
  contrast,
  sharpness,
  posterize,
  solarize,
  auto_contrast,
  equalize,
  invert
};

/// Whether a magnitude may have either sign: so far up to `sharpness`, without `identity`.
inline bool is_signed(Operation operation) {
  return operation >= Operation::shear_x && operation <= Operation::sharpness;
}

/// torchvision's `_apply_op` for an image of this size, with bilinear warps: the magnitude is a slope, whole pixels,
/// degrees, what is added to a factor of 1, bits or a threshold.
PixelChange change_of(Operation operation, double magnitude, double fill, std::int64_t height, std::int64_t width);

/// The image after one operation.
Tensor changed(const Tensor& image, const PixelChange& change);

/// Operations on an image, one after the other.
using PixelChanges = std::vector<PixelChange>;
/// uint8 images [B, H, W, C] of 1 or 3 channels after their operations, on their device: a kernel for all first ones,
/// one for all second ones, and so on.
Tensor changed(const Tensor& images, const std::vector<PixelChanges>& changes);

/// Draw what a policy does to an image of this size. Throws ValueError for a rule out of range.
PixelChanges draw_changes(const RandAugment& rule, std::int64_t height, std::int64_t width, RandomStream& random);
PixelChanges draw_changes(const AutoAugment& rule, std::int64_t height, std::int64_t width, RandomStream& random);
PixelChanges draw_changes(const TrivialAugmentWide& rule, std::int64_t height, std::int64_t width,
                          RandomStream& random);

/// The shares of the image itself and of the chains of operations on it, which add up to 1.
struct PixelMixture {
  double kept = 0;
  std::vector<double> shares{};
  std::vector<PixelChanges> chains{};
};
PixelMixture draw_mixture(const AugMix& rule, std::int64_t height, std::int64_t width, RandomStream& random);

}  // namespace minima::data::detail
