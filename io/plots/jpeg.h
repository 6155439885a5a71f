#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>
#include <string>

namespace minima {

/// An image as a baseline JPEG file's bytes: pixels [height, width, channels], rows from the top, with 1 (grey) or 3
/// (RGB) channels; `quality` 1 to 100. Throws ValueError for other counts, an empty image, one of more than 65,500
/// pixels a side, or where minima was built without libjpeg.
MINIMA_API std::string encode_jpeg(const std::uint8_t* pixels, int height, int width, int channels, int quality = 90);

}  // namespace minima
