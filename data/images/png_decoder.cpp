#include <minima/data/images/format_decoder.h>

#include <minima/data/collate/batch.h>  // IWYU pragma: keep
#include <minima/data/images/decode.h>
#include <minima/io/files/format_error.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#ifdef MINIMA_HAVE_PNG

#include <png.h>
#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <vector>

namespace minima::data {

namespace {

// As in jpeg.cpp: errors longjmp past no object with a destructor.
struct Decoder {
  png_structp png = nullptr;
  png_infop info = nullptr;
  const unsigned char* bytes = nullptr;
  std::size_t size = 0, at = 0;
  char message[128] = "";

  explicit Decoder(std::span<const std::byte> file)
      : bytes(reinterpret_cast<const unsigned char*>(file.data())), size(file.size()) {
    png = ::png_create_read_struct(
        PNG_LIBPNG_VER_STRING, this,
        [](png_structp p, png_const_charp text) {
          auto& self = *static_cast<Decoder*>(::png_get_error_ptr(p));
          std::snprintf(self.message, sizeof self.message, "%s", text);
          std::longjmp(png_jmpbuf(p), 1);
        },
        [](png_structp, png_const_charp) {});
    if (png) info = ::png_create_info_struct(png);
    if (!info) throw OutOfMemoryError("PNG: no memory to decode");
  }
  Decoder(const Decoder&) = delete;
  ~Decoder() { ::png_destroy_read_struct(&png, &info, nullptr); }

  static void read(png_structp p, png_bytep to, png_size_t count) {
    auto& self = *static_cast<Decoder*>(::png_get_io_ptr(p));
    if (count > self.size - self.at) {
      self.at = self.size;
      ::png_error(p, "the file ends inside the image: truncated?");
    }
    std::memcpy(to, self.bytes + self.at, count);
    self.at += count;
  }
};

bool read_header(Decoder& d, std::uint32_t most_side) {
  if (setjmp(png_jmpbuf(d.png))) return false;
  ::png_set_read_fn(d.png, &d, Decoder::read);
  ::png_set_user_limits(d.png, most_side, most_side);
  // Only palette and transparency are read: texts and profiles may inflate to a thousand times their size.
  ::png_set_keep_unknown_chunks(d.png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  ::png_read_info(d.png, d.info);
  return true;
}

bool is_grey(const Decoder& d) { return !(::png_get_color_type(d.png, d.info) & PNG_COLOR_MASK_COLOR); }

/// RGB, or grey of a grey file.
bool set_output(Decoder& d, bool rgb) {
  if (setjmp(png_jmpbuf(d.png))) return false;
  ::png_set_expand(d.png);  // palettes and less than 8 bits
  ::png_set_strip_16(d.png);
  ::png_set_strip_alpha(d.png);
  if (rgb && is_grey(d)) ::png_set_gray_to_rgb(d.png);
  ::png_set_interlace_handling(d.png);
  ::png_read_update_info(d.png, d.info);
  return true;
}

bool read_rows(Decoder& d, unsigned char** rows) {
  if (setjmp(png_jmpbuf(d.png))) return false;
  ::png_read_image(d.png, rows);
  ::png_read_end(d.png, nullptr);
  return true;
}

class PngDecoder final : public detail::FormatDecoder {
 public:
  PngDecoder(std::span<const std::byte> bytes, std::string source, const DecodeOptions& options)
      : decoder_(bytes), source_(std::move(source)), channels_(options.channels) {
    const auto most_side = static_cast<std::uint32_t>(std::clamp<std::int64_t>(options.max_pixels, 1, 0x7fffffff));
    if (!read_header(decoder_, most_side)) fail();
    const std::uint64_t columns = ::png_get_image_width(decoder_.png, decoder_.info),
                        rows = ::png_get_image_height(decoder_.png, decoder_.info);
    detail::expect_size(columns, rows, options, source_);
    // Deflate compresses at most 1032 : 1, so a small file cannot hold a large image.
    if (columns * rows / 8 / 1032 > bytes.size())
      minima::detail::throw_format_error(
          source_, 16, str("PNG: ", bytes.size(), " bytes cannot hold ", columns, " × ", rows, " pixels"));
    height = static_cast<std::int64_t>(rows);
    width = static_cast<std::int64_t>(columns);
  }

  PixelBox decode(const PixelBox&, Tensor& image) override {
    if (channels_ == 3 || is_grey(decoder_)) {
      read(image, channels_);
    } else {  // libpng would mix in linear light, with weights that depend on the file
      Tensor rgb;
      read(rgb, 3);
      reuse_or_allocate(image, {height, width, 1}, DType::uint8);
      const std::uint8_t* from = rgb.data<std::uint8_t>();
      std::uint8_t* to = image.data<std::uint8_t>();
      for (std::int64_t i = 0; i < height * width; ++i, from += 3) *to++ = detail::grey_of(from[0], from[1], from[2]);
    }
    return {0, 0, height, width};
  }

 private:
  void read(Tensor& image, int channels) {
    if (!set_output(decoder_, channels == 3)) fail();
    const std::size_t stride = ::png_get_rowbytes(decoder_.png, decoder_.info);
    if (stride != static_cast<std::size_t>(width) * static_cast<std::size_t>(channels))
      minima::detail::throw_format_error(source_, 25, "PNG: unknown colour type");
    reuse_or_allocate(image, {height, width, channels}, DType::uint8);
    std::vector<unsigned char*> rows(static_cast<std::size_t>(height));
    for (std::size_t y = 0; y < rows.size(); ++y) rows[y] = image.data<std::uint8_t>() + y * stride;
    if (!read_rows(decoder_, rows.data())) fail();
  }
  [[noreturn]] void fail() const {
    minima::detail::throw_format_error(source_, decoder_.at, str("PNG: ", decoder_.message));
  }

  Decoder decoder_;
  const std::string source_;
  const int channels_;
};

}  // namespace

std::unique_ptr<detail::FormatDecoder> detail::open_png(std::span<const std::byte> bytes, const std::string& source,
                                                        const DecodeOptions& options) {
  return std::make_unique<PngDecoder>(bytes, source, options);
}

}  // namespace minima::data

#else

std::unique_ptr<minima::data::detail::FormatDecoder> minima::data::detail::open_png(std::span<const std::byte>,
                                                                                    const std::string& source,
                                                                                    const DecodeOptions&) {
  throw ValueError(
      str(minima::detail::printable(source), ": minima was built without PNG support; install libpng-dev and rebuild"));
}

#endif
