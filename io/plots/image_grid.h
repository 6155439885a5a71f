#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>
#include <string>
#include <vector>

namespace minima {

/// An image with two lines of text below it, such as `Shirt` and `predicted Coat`.
struct CaptionedImage {
  std::vector<std::uint8_t> pixels = {};  ///< [height, width, channels], 1, 3 or 4 channels
  int height = 0;
  int width = 0;
  int channels = 1;
  std::string caption = {};
  std::string note = {};  ///< the second line, in another colour
};

/// Captioned images in rows.
struct ImageGrid {
  std::string title = {};
  std::vector<CaptionedImage> images = {};
  int columns = 6;
  double cell = 96;  ///< side in pixels of the square that each image is scaled to fit
};

/// The grid as an SVG document with embedded images. Throws ValueError if an image's pixels do not match its size.
MINIMA_API std::string image_grid_svg(const ImageGrid& grid);

}  // namespace minima
