#include <minima/data/images/decode.h>

#include <minima/io/mapped_file.h>
#include <minima/tensor/error.h>
#include <minima/tensor/format.h>

#include <cstring>

namespace minima::data {

namespace {

bool starts_with(std::span<const std::byte> bytes, const char* signature, std::size_t size) {
  return bytes.size() >= size && std::memcmp(bytes.data(), signature, size) == 0;
}

}  // namespace

void detail::expect_size(std::uint64_t width, std::uint64_t height, const DecodeOptions& options, const std::string& source) {
  if (width == 0 || height == 0) throw FormatError(str(source, ": byte 0: an image of ", width, " × ", height, " pixels"));
  if (width > static_cast<std::uint64_t>(options.most_pixels) / height)
    throw FormatError(str(source, ": byte 0: an image of ", width, " × ", height, " pixels; at most ", options.most_pixels, " are decoded (DecodeOptions::most_pixels)"));
}

void decode_image_into(std::span<const std::byte> bytes, const std::string& source, DecodeOptions options, Tensor& image) {
  if (options.channels != 1 && options.channels != 3) throw ValueError(str("decode_image: channels must be 1 or 3, got ", options.channels));
  if (starts_with(bytes, "\xff\xd8\xff", 3)) return detail::decode_jpeg(bytes, source, options, image);
  if (starts_with(bytes, "\x89PNG\r\n\x1a\n", 8)) return detail::decode_png(bytes, source, options, image);
  throw FormatError(str(source, ": byte 0: neither a JPEG nor a PNG image"));
}

Tensor decode_image(std::span<const std::byte> bytes, const std::string& source, DecodeOptions options) {
  Tensor image;
  decode_image_into(bytes, source, options, image);
  return image;
}

Tensor read_image(const std::string& path, DecodeOptions options) {
  const MappedFile file(path);
  return decode_image(file.bytes(), path, options);
}

}  // namespace minima::data
