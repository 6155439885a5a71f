#pragma once

#include <minima/data/images/geometry.h>
#include <minima/data/sampling/random.h>
#include <minima/tensor/tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

// The end of a composition: from images [H, W, C] to float32 tensors [C, H, W].
//
//     compose(RandomCrop{}, RandomHorizontalFlip{}, ToTensor{}, Normalize{{.49, .48, .45}, {.25, .24, .26}},
//     RandomErasing{})
//
// normalize_images does the same to a whole batch of uint8 images on their device, which copies a quarter of the bytes.

namespace minima::data {

/// uint8 or float32 [H, W, C] → float32 [C, H, W]; uint8 is divided by 255. torchvision's ToTensor.
struct ToTensor {
  MINIMA_API Tensor operator()(const Tensor& image) const;
  Tensor operator()(const Tensor& image, RandomStream&) const { return (*this)(image); }
};
/// (x - mean) / std for each channel of float32 [C, H, W]. torchvision's Normalize. Throws ValueError unless there are
/// as many numbers as channels and every std is positive.
struct Normalize {
  std::vector<double> mean, std;
  MINIMA_API Tensor operator()(const Tensor& x) const;
  Tensor operator()(const Tensor& x, RandomStream&) const { return (*this)(x); }
};
/// With a probability fills a random rectangle of float32 [C, H, W] (Zhong et al. 2020). torchvision's RandomErasing.
struct RandomErasing {
  double probability = 0.5;
  Interval scale = {0.02, 0.33};  ///< fraction of the image's area, uniform
  Interval ratio = {0.3, 3.3};    ///< height / width of the rectangle, log-uniform
  double value = 0;
  bool random_values = false;  ///< normal numbers for each element instead: torchvision's value='random'
  MINIMA_API Tensor operator()(const Tensor& x, RandomStream& random) const;
  /// Draws the rectangle for an image of this size, in whole pixels, or none.
  MINIMA_API std::optional<Box> box(std::int64_t height, std::int64_t width, RandomStream& random) const;
};

}  // namespace minima::data
