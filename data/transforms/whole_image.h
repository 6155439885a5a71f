#pragma once

#include <minima/data/sampling/random.h>
#include <minima/tensor/tensor.h>

// Transforms with torchvision's names that are no augmentation: several crops of one image for testing, and whitening.

namespace minima::data {

/// The four corners and the centre, [5, size, size, C] of an image [H, W, C]: upper left, upper right, lower left,
/// lower right, centre. torchvision's FiveCrop. `on_batch` transforms the crops on: `on_batch(ToTensor{})`.
struct FiveCrop {
  std::int64_t size = 224;
  MINIMA_API Tensor operator()(const Tensor& image) const;
  Tensor operator()(const Tensor& image, RandomStream&) const { return (*this)(image); }
};
/// FiveCrop of the image, then of its mirror image: [10, size, size, C]. torchvision's TenCrop.
struct TenCrop {
  std::int64_t size = 224;
  bool vertical = false;  ///< mirror top and bottom instead of left and right
  MINIMA_API Tensor operator()(const Tensor& image) const;
  Tensor operator()(const Tensor& image, RandomStream&) const { return (*this)(image); }
};
/// (x - mean) · matrix of the elements of float32 [C, H, W] in row-major order, such as whitening. torchvision's
/// LinearTransformation. Throws ShapeError unless the matrix is [D, D] and the mean [D] with D = C · H · W.
struct LinearTransformation {
  Tensor matrix, mean;
  MINIMA_API Tensor operator()(const Tensor& x) const;
  Tensor operator()(const Tensor& x, RandomStream&) const { return (*this)(x); }
};

}  // namespace minima::data
