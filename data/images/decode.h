#pragma once

#include <minima/tensor/tensor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

// Images are uint8 [H, W, C], top row first. minima must be built with libjpeg-turbo for JPEG and libpng for PNG.

namespace minima::data {

struct DecodeOptions {
  /// 1 (grey) or 3 (RGB), converted if needed; an alpha channel is dropped. Grey is 0.299 R + 0.587 G + 0.114 B of the
  /// stored values, to the nearest integer; of a JPEG, its luma.
  int channels = 3;
  /// If positive, a JPEG is decoded at 1/2, 1/4 or 1/8 of its size, several times faster, as long as its shorter side
  /// keeps at least this many pixels.
  std::int64_t min_side = 0;
  bool upright = true;                              ///< apply the EXIF orientation
  std::int64_t max_pixels = std::int64_t{1} << 26;  ///< larger images are rejected before allocation
};

/// Decodes a JPEG (baseline, progressive or CMYK) or PNG file's bytes to uint8 [H, W, C]; `source` is for messages. Of
/// a PNG file with 16 bits per channel the upper eight are kept.
/// Throws FormatError for other formats and for a corrupt, truncated or too large image, ValueError if minima was built
/// without the library. torchvision.io's decode_image.
MINIMA_API Tensor decode_image(std::span<const std::byte> bytes, const std::string& source, DecodeOptions options = {});
/// The same into `image`, whose memory is reused if possible (see reuse_or_allocate).
MINIMA_API void decode_image_into(std::span<const std::byte> bytes, const std::string& source, DecodeOptions options,
                                  Tensor& image);
/// Reads and decodes a file; also throws FileError. torchvision.io's read_image.
MINIMA_API Tensor read_image(const std::string& path, DecodeOptions options = {});

/// A rectangle in whole pixels.
struct PixelBox {
  std::int64_t top = 0, left = 0, height = 0, width = 0;
};

namespace detail {
class FormatDecoder;
}

/// Reads an image's header, then decodes all of it or a part. Pixels outside the part are skipped as far as the format
/// allows, and not checked for errors. `bytes` must outlive the decoder.
class MINIMA_API ImageDecoder {
 public:
  ImageDecoder(std::span<const std::byte> bytes, std::string source, DecodeOptions options = {});
  ImageDecoder(const ImageDecoder&) = delete;
  ~ImageDecoder();

  /// The size after `min_side` and `upright` have been applied.
  std::int64_t height() const { return height_; }
  std::int64_t width() const { return width_; }

  /// Decodes the whole image.
  Tensor decode();
  /// Decodes a part that contains `wanted`, with the same pixels as `decode()`, and returns the part's position. Reuses
  /// the memory of `image` if possible. Pixels outside `wanted` are unspecified. Throws ValueError if `wanted` is not
  /// inside the image.
  PixelBox decode(const PixelBox& wanted, Tensor& image);

 private:
  void open();

  const std::span<const std::byte> bytes_;
  const std::string source_;
  const DecodeOptions options_;
  int orientation_ = 1;
  std::int64_t height_ = 0, width_ = 0;
  std::unique_ptr<detail::FormatDecoder> format_;
};

}  // namespace minima::data
