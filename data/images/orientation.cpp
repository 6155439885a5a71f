#include <minima/data/images/format_decoder.h>

#include <minima/data/images/decode.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/tensor.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

// EXIF data are a TIFF file in a JPEG segment or a PNG chunk, and untrusted like all input. Their orientation records
// how the camera was held.

namespace minima::data::detail {

namespace {

using Bytes = std::span<const std::byte>;

std::optional<std::uint32_t> number(Bytes bytes, std::size_t at, std::size_t size, bool little) {
  if (at > bytes.size() || size > bytes.size() - at) return std::nullopt;
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size; ++i)
    value = value << 8 | std::to_integer<std::uint32_t>(bytes[at + (little ? size - 1 - i : i)]);
  return value;
}

bool starts_with(Bytes bytes, const char* text, std::size_t size) {
  return bytes.size() >= size && std::memcmp(bytes.data(), text, size) == 0;
}

/// The orientation in a TIFF file, whose first directory holds entries of 12 bytes (tag, type, count, value).
int orientation_in(Bytes tiff) {
  constexpr std::uint32_t orientation_tag = 0x112, short_type = 3, long_type = 4;
  const bool little = starts_with(tiff, "II*\0", 4);
  if (!little && !starts_with(tiff, "MM\0*", 4)) return 1;
  const std::size_t directory = number(tiff, 4, 4, little).value_or(0);
  const std::uint32_t entries = number(tiff, directory, 2, little).value_or(0);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t at = directory + 2 + 12 * i;
    const auto tag = number(tiff, at, 2, little);
    if (!tag) return 1;
    if (*tag != orientation_tag) continue;
    const std::uint32_t type = number(tiff, at + 2, 2, little).value_or(0);
    const std::uint32_t value = number(tiff, at + 8, type == long_type ? 4 : 2, little).value_or(1);
    return (type == short_type || type == long_type) && value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

/// How an upright image's rows and columns map to the stored image.
struct Orientation {
  bool swapped, rows_reversed, columns_reversed;
  explicit Orientation(int orientation)
      : swapped(orientation >= 5),
        rows_reversed(orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7),
        columns_reversed(orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8) {}
};

int orientation_of_jpeg(Bytes jpeg) {
  for (std::size_t at = 2;;) {
    while (number(jpeg, at, 2, false) == 0xFFFFu) ++at;  // a marker may begin with more bytes of ones
    const auto marker = number(jpeg, at, 2, false), size = number(jpeg, at + 2, 2, false);
    if (!marker || !size || *marker < 0xFFC0 || *marker == 0xFFDA || *size < 2) return 1;  // 0xFFDA: the pixels begin
    if (*size > jpeg.size() - at - 2) return 1;
    const Bytes content = jpeg.subspan(at + 4, *size - 2);
    if (*marker == 0xFFE1 && starts_with(content, "Exif\0\0", 6)) return orientation_in(content.subspan(6));
    at += 2 + *size;
  }
}

int orientation_of_png(Bytes png) {
  constexpr std::size_t frame = 12;  // of a chunk: length, name and checksum
  for (std::size_t at = 8;;) {
    const auto size = number(png, at, 4, false);
    if (!size || png.size() - at < frame || *size > png.size() - at - frame) return 1;
    const Bytes chunk = png.subspan(at + 4, 4 + std::size_t{*size});
    if (starts_with(chunk, "eXIf", 4)) return orientation_in(chunk.subspan(4));
    at += frame + *size;
  }
}

}  // namespace

int exif_orientation(Bytes file) {
  return starts_with(file, "\x89PNG", 4) ? orientation_of_png(file) : orientation_of_jpeg(file);
}

PixelBox stored_box(const PixelBox& upright, std::int64_t height, std::int64_t width, int orientation) {
  const Orientation turn(orientation);
  PixelBox box = turn.swapped ? PixelBox{upright.left, upright.top, upright.width, upright.height} : upright;
  if (turn.rows_reversed) box.top = height - box.top - box.height;
  if (turn.columns_reversed) box.left = width - box.left - box.width;
  return box;
}

Tensor exif_transpose(const Tensor& stored, int orientation) {
  const Orientation turn(orientation);
  const std::int64_t height = stored.size(0), width = stored.size(1), channels = stored.size(2);
  Tensor upright =
      empty({turn.swapped ? width : height, turn.swapped ? height : width, channels}, {.dtype = DType::uint8});
  const std::uint8_t* from = stored.data<std::uint8_t>();
  std::uint8_t* to = upright.data<std::uint8_t>();
  for (std::int64_t y = 0; y < upright.size(0); ++y)
    for (std::int64_t x = 0; x < upright.size(1); ++x) {
      const std::int64_t row = turn.swapped ? x : y, column = turn.swapped ? y : x;
      const std::int64_t stored_row = turn.rows_reversed ? height - 1 - row : row;
      const std::int64_t stored_column = turn.columns_reversed ? width - 1 - column : column;
      for (std::int64_t c = 0; c < channels; ++c) *to++ = from[(stored_row * width + stored_column) * channels + c];
    }
  return upright;
}

}  // namespace minima::data::detail
