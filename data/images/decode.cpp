#include <minima/data/images/decode.h>

#include <minima/data/images/format_decoder.h>
#include <minima/data/images/geometry.h>
#include <minima/io/files/format_error.h>
#include <minima/io/files/mapped_file.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace minima::data {

namespace {

bool starts_with(std::span<const std::byte> bytes, const char* signature, std::size_t size) {
  return bytes.size() >= size && std::memcmp(bytes.data(), signature, size) == 0;
}
bool is_jpeg(std::span<const std::byte> bytes) { return starts_with(bytes, "\xff\xd8\xff", 3); }

}  // namespace

void detail::expect_size(std::uint64_t width, std::uint64_t height, const DecodeOptions& options,
                         const std::string& source) {
  if (width == 0 || height == 0)
    minima::detail::throw_format_error(source, 0, str("an empty image of ", width, " × ", height, " pixels"));
  if (width > static_cast<std::uint64_t>(options.max_pixels) / height)
    minima::detail::throw_format_error(source, 0,
                                       str("an image of ", width, " × ", height, " pixels; the limit is ",
                                           options.max_pixels, " (DecodeOptions::max_pixels)"));
}

ImageDecoder::ImageDecoder(std::span<const std::byte> bytes, std::string source, DecodeOptions options)
    : bytes_(bytes), source_(std::move(source)), options_(options) {
  if (options.channels != 1 && options.channels != 3)
    throw ValueError(str("decode_image: channels must be 1 or 3, got ", options.channels));
  minima::detail::check_count("decode_image", "min_side", options.min_side, 0);
  minima::detail::check_count("decode_image", "max_pixels", options.max_pixels, 1);
  open();
  if (options.upright) orientation_ = detail::exif_orientation(bytes);
  const PixelBox upright =
      detail::stored_box({0, 0, format_->height, format_->width}, format_->height, format_->width, orientation_);
  height_ = upright.height;
  width_ = upright.width;
}

ImageDecoder::~ImageDecoder() = default;

void ImageDecoder::open() {
  if (is_jpeg(bytes_)) format_ = detail::open_jpeg(bytes_, source_, options_);
  else if (starts_with(bytes_, "\x89PNG\r\n\x1a\n", 8)) format_ = detail::open_png(bytes_, source_, options_);
  else minima::detail::throw_format_error(source_, 0, "neither a JPEG nor a PNG image");
}

PixelBox ImageDecoder::decode(const PixelBox& wanted, Tensor& image) {
  if (wanted.top < 0 || wanted.left < 0 || wanted.height < 1 || wanted.width < 1 ||
      wanted.height > height_ - wanted.top || wanted.width > width_ - wanted.left)
    throw ValueError(str("ImageDecoder: ", wanted.height, " × ", wanted.width, " pixels at ", wanted.top, ", ",
                         wanted.left, " are not inside an image of ", height_, " × ", width_));
  if (!format_) open();
  const std::unique_ptr<detail::FormatDecoder> format = std::exchange(format_, nullptr);
  if (orientation_ == 1) return format->decode(wanted, image);
  const PixelBox stored = detail::stored_box(wanted, format->height, format->width, orientation_);
  Tensor pixels;
  const PixelBox got = format->decode(stored, pixels);
  image = detail::exif_transpose(
      crop(pixels, stored.top - got.top, stored.left - got.left, stored.height, stored.width), orientation_);
  return wanted;
}

Tensor ImageDecoder::decode() {
  Tensor image;
  decode({0, 0, height_, width_}, image);
  return image;
}

void decode_image_into(std::span<const std::byte> bytes, const std::string& source, DecodeOptions options,
                       Tensor& image) {
  ImageDecoder decoder(bytes, source, options);
  decoder.decode({0, 0, decoder.height(), decoder.width()}, image);
}

Tensor decode_image(std::span<const std::byte> bytes, const std::string& source, DecodeOptions options) {
  return ImageDecoder(bytes, source, options).decode();
}

Tensor read_image(const std::string& path, DecodeOptions options) {
  const MappedFile file(path);
  return decode_image(file.bytes(), path, options);
}

}  // namespace minima::data
