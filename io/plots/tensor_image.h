#pragma once

#include <minima/tensor/tensor.h>

#include <string>

namespace minima {

struct MakeGridOptions {
  std::int64_t columns = 8;  ///< torchvision's `nrow`
  std::int64_t padding = 2;  ///< pixels between and around the images
  bool normalize = false;    ///< map [low, high] to [0, 1]
  double low = 0, high = 0;  ///< if equal, the least and greatest element: torchvision's `value_range`
  bool scale_each = false;   ///< those of each image instead
  double pad_value = 0;
};

/// Images [B, C, H, W], [C, H, W] or [H, W], float32 or uint8 on any device, side by side as one [C, H', W'] on the
/// CPU; grey ones get three channels. torchvision.utils.make_grid. Throws ShapeError for other ranks.
MINIMA_API Tensor make_grid(const Tensor& images, const MakeGridOptions& options = {});

/// make_grid(images, options) as pixels [H', W', C], uint8, with three or four channels: floats in [0, 1] are rounded
/// to 256 levels, uint8 stays as it is. Throws ShapeError unless there are 1, 3 or 4 channels.
MINIMA_API Tensor image_pixels(const Tensor& images, const MakeGridOptions& options = {});

/// Writes image_pixels(images, options) as a PNG file. torchvision.utils.save_image. Throws ShapeError, FileError.
MINIMA_API void save_image(const Tensor& images, const std::string& path, const MakeGridOptions& options = {});

}  // namespace minima
