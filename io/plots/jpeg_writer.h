#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>
#include <string>

namespace minima {

/// Encodes an image as a baseline JPEG file: pixels [height, width, channels], top row first, with 1 (grey) or 3 (RGB)
/// channels; `quality` from 1 to 100. Throws ValueError for other values, for an empty image or one with a side of more
/// than 65,500 pixels, and if minima was built without libjpeg.
MINIMA_API std::string encode_jpeg(const std::uint8_t* pixels, int height, int width, int channels, int quality = 90);

}  // namespace minima
