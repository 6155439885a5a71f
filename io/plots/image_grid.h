#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>
#include <string>
#include <vector>

namespace minima {

/// An image with what stands under it, such as `Shirt` and `taken for Coat`.
struct CaptionedImage {
  std::vector<std::uint8_t> pixels = {};  ///< [height, width, channels], 1, 3 or 4 channels
  int height = 0;
  int width = 0;
  int channels = 1;
  std::string caption = {};
  std::string note = {};  ///< a second line, in another colour
};

struct ImageGrid {
  std::string title = {};
  std::vector<CaptionedImage> images = {};
  int columns = 6;
  double cell = 96;  ///< side of the square that an image is fitted into, in pixels
};

/// The grid as an SVG document with the images inside it. Throws ValueError where pixels and sizes disagree.
MINIMA_API std::string image_grid_svg(const ImageGrid& grid);

}  // namespace minima
