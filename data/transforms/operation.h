#pragma once

#include <minima/tensor/tensor.h>

// The image operations that augmentation policies choose from. Internal to data/transforms.

namespace minima::data::detail {

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

/// torchvision's `_apply_op`, with bilinear warps: the magnitude is a slope, whole pixels, degrees, what is added to a
/// factor of 1, bits or a threshold.
Tensor applied(const Tensor& image, Operation operation, double magnitude, double fill);

}  // namespace minima::data::detail
