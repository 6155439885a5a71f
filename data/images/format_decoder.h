#pragma once

#include <minima/data/images/decode.h>

// What a format does for ImageDecoder.

namespace minima::data::detail {

/// The pixels of a file as they are stored. Made by reading its header; `decode` is called once.
class FormatDecoder {
 public:
  virtual ~FormatDecoder() = default;
  /// As ImageDecoder's.
  virtual PixelBox decode(const PixelBox& wanted, Tensor& image) = 0;

  std::int64_t height = 0, width = 0;
};

std::unique_ptr<FormatDecoder> open_jpeg(std::span<const std::byte> bytes, const std::string& source,
                                         const DecodeOptions& options);
std::unique_ptr<FormatDecoder> open_png(std::span<const std::byte> bytes, const std::string& source,
                                        const DecodeOptions& options);

/// Throws FormatError for an image without pixels or with too many.
void expect_size(std::uint64_t width, std::uint64_t height, const DecodeOptions& options, const std::string& source);

/// The orientation 1 … 8 that a JPEG file's EXIF data give; 1 (as it is stored) where there are none or they are
/// broken.
int exif_orientation(std::span<const std::byte> jpeg);
/// Which stored pixels those of an upright box are, in an image stored as height × width.
PixelBox stored_box(const PixelBox& upright, std::int64_t height, std::int64_t width, int orientation);
/// The upright image of stored pixels, or a part of both.
Tensor turned_upright(const Tensor& stored, int orientation);

}  // namespace minima::data::detail
