#pragma once

#include <minima/tensor/tensor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

// Images are uint8 [H, W, C], rows from the top. JPEG needs libjpeg-turbo and PNG libpng when minima is built.

namespace minima::data {

struct DecodeOptions {
  int channels = 3;  ///< 1 (grey) or 3 (RGB); the other kind is converted, transparency is dropped
  /// A JPEG larger than needed may come at 1/2, 1/4 or 1/8 of its size, several times faster, as long as its shorter
  /// side stays at least this. 0: always whole.
  std::int64_t least_side = 0;
  bool upright = true;                               ///< turned and mirrored as the EXIF orientation of a JPEG says
  std::int64_t most_pixels = std::int64_t{1} << 26;  ///< larger images are refused before memory is asked for
};

/// Decodes a JPEG (baseline or progressive; also CMYK) or PNG file's bytes; `source` is for messages. Throws
/// FormatError for what is neither, broken, cut off or too large, ValueError where minima was built without the
/// library.
MINIMA_API Tensor decode_image(std::span<const std::byte> bytes, const std::string& source, DecodeOptions options = {});
/// The same into memory that is used again if it can be (see reuse_or_allocate).
MINIMA_API void decode_image_into(std::span<const std::byte> bytes, const std::string& source, DecodeOptions options,
                                  Tensor& image);
/// Reads and decodes a file.
MINIMA_API Tensor read_image(const std::string& path, DecodeOptions options = {});

/// Whole pixels of an image.
struct PixelBox {
  std::int64_t top = 0, left = 0, height = 0, width = 0;
};

namespace detail {
class FormatDecoder;
}

/// An image whose header has been read: first its size, then those pixels that are wanted. What lies beside them is
/// left out of the work as far as the format allows, and is not looked at for errors. The bytes must stay.
class MINIMA_API ImageDecoder {
 public:
  ImageDecoder(std::span<const std::byte> bytes, std::string source, DecodeOptions options = {});
  ImageDecoder(const ImageDecoder&) = delete;
  ~ImageDecoder();

  /// Of what comes out: made smaller by `least_side` and upright.
  std::int64_t height() const { return height_; }
  std::int64_t width() const { return width_; }

  /// All pixels.
  Tensor decode();
  /// At least the pixels of `wanted`, which must lie inside the image, exactly as `decode` gives them. Returns what is
  /// in `image`, whose memory is used again if it can be; its pixels outside `wanted` are unspecified.
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
