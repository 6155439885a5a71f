#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>
#include <string>

namespace minima {

/// Encodes an image as a PNG file: pixels [height, width, channels], 8 bits per channel, top row first, with 1 (grey),
/// 3 (RGB) or 4 (RGBA) channels. Throws ValueError for other counts and for an empty image.
MINIMA_API std::string encode_png(const std::uint8_t* pixels, int height, int width, int channels);

/// Base64 (RFC 4648) with padding, for data in URLs.
MINIMA_API std::string base64(const std::string& bytes);

}  // namespace minima
