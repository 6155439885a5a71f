#pragma once

#include <minima/tensor/tensor.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

// Images are uint8 [H, W, C], rows from the top. JPEG needs libjpeg(-turbo) and PNG libpng when minima is built.

namespace minima::data {

struct DecodeOptions {
  int channels = 3;              ///< 1 (grey) or 3 (RGB); the other kind is converted, transparency is dropped
  /// A JPEG larger than needed may come at 1/2, 1/4 or 1/8 of its size, several times faster, as long as its shorter
  /// side stays at least this. 0: always whole.
  std::int64_t least_side = 0;
  std::int64_t most_pixels = std::int64_t{1} << 26;  ///< larger images are refused before memory is asked for
};

/// Decodes a JPEG (baseline or progressive; also CMYK) or PNG file's bytes; `source` is for messages. Throws FormatError
/// for what is neither, broken, cut off or too large, ValueError where minima was built without the library.
MINIMA_API Tensor decode_image(std::span<const std::byte> bytes, const std::string& source, DecodeOptions options = {});
/// The same into memory that is used again if it can be (see reuse_or_allocate).
MINIMA_API void decode_image_into(std::span<const std::byte> bytes, const std::string& source, DecodeOptions options, Tensor& image);
MINIMA_API Tensor read_image(const std::string& path, DecodeOptions options = {});

namespace detail {
void decode_jpeg(std::span<const std::byte> bytes, const std::string& source, const DecodeOptions& options, Tensor& image);
void decode_png(std::span<const std::byte> bytes, const std::string& source, const DecodeOptions& options, Tensor& image);
/// Throws FormatError for an image without pixels or with too many.
void expect_size(std::uint64_t width, std::uint64_t height, const DecodeOptions& options, const std::string& source);
}  // namespace detail

}  // namespace minima::data
