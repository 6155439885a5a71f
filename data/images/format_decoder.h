#pragma once

#include <minima/data/images/decode.h>

// The interface between ImageDecoder and the file formats.

namespace minima::data::detail {

/// Decodes a file's pixels as stored, before orientation. Construction reads the header; `decode` is called once.
class FormatDecoder {
 public:
  virtual ~FormatDecoder() = default;
  /// As ImageDecoder::decode.
  virtual PixelBox decode(const PixelBox& wanted, Tensor& image) = 0;

  std::int64_t height = 0, width = 0;
};

std::unique_ptr<FormatDecoder> open_jpeg(std::span<const std::byte> bytes, const std::string& source,
                                         const DecodeOptions& options);
std::unique_ptr<FormatDecoder> open_png(std::span<const std::byte> bytes, const std::string& source,
                                        const DecodeOptions& options);

/// Throws FormatError for an image that is empty or too large.
void expect_size(std::uint64_t width, std::uint64_t height, const DecodeOptions& options, const std::string& source);

/// Luma of ITU-R BT.601 to the nearest integer, 0.299 R + 0.587 G + 0.114 B in 16 bits, as Pillow and torchvision
/// compute it.
inline unsigned char grey_of(unsigned red, unsigned green, unsigned blue) {
  return static_cast<unsigned char>((19595 * red + 38470 * green + 7471 * blue + 0x8000) >> 16);
}

/// The EXIF orientation of a JPEG or PNG file, 1 … 8; 1 (as stored) without valid EXIF data.
int exif_orientation(std::span<const std::byte> file);
/// Maps a box of the upright image to the stored image of height × width.
PixelBox stored_box(const PixelBox& upright, std::int64_t height, std::int64_t width, int orientation);
/// Rotates and mirrors stored pixels upright, as Pillow's exif_transpose does.
Tensor exif_transpose(const Tensor& stored, int orientation);

}  // namespace minima::data::detail
