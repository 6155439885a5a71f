#include <minima/data/images/format_decoder.h>

#include <minima/data/collate/batch.h>  // IWYU pragma: keep
#include <minima/data/images/decode.h>
#include <minima/io/files/format_error.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>  // IWYU pragma: keep
#include <minima/tensor/base/format.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#ifdef MINIMA_HAVE_JPEG

#include <jpeglib.h>
#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <vector>

#include <jerror.h>

namespace minima::data {

namespace {

// libjpeg's error handler must not return, so it longjmps to the caller of the decoding stage. No object with a
// destructor may exist in between: the stages touch only the decoder and plain memory.

struct Decoder {
  jpeg_decompress_struct info{};
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  std::jmp_buf back;
  bool cut_off = false;
  char message[JMSG_LENGTH_MAX] = "";

  Decoder() {
    info.err = ::jpeg_std_error(&errors);
    errors.error_exit = [](j_common_ptr common) {
      Decoder& self = of(common);
      common->err->format_message(common, self.message);
      std::longjmp(self.back, 1);
    };
    errors.emit_message = [](j_common_ptr common, int level) {
      if (level < 0 && common->err->msg_code == JWRN_JPEG_EOF) of(common).cut_off = true;
    };
    errors.output_message = [](j_common_ptr) {};
    info.client_data = this;
    progress.progress_monitor = [](j_common_ptr common) {
      // A small file can ask for thousands of passes over a large image.
      constexpr int max_scans = 200;
      if (common->is_decompressor && reinterpret_cast<j_decompress_ptr>(common)->input_scan_number > max_scans) {
        std::snprintf(of(common).message, sizeof of(common).message, "more than %d scans", max_scans);
        std::longjmp(of(common).back, 1);
      }
    };
  }
  ~Decoder() { ::jpeg_destroy_decompress(&info); }
  static Decoder& of(j_common_ptr common) { return *static_cast<Decoder*>(common->client_data); }
};

bool read_header(Decoder& decoder, std::span<const std::byte> bytes) {
  if (setjmp(decoder.back)) return false;
  jpeg_create_decompress(&decoder.info);
  decoder.info.progress = &decoder.progress;
  ::jpeg_mem_src(&decoder.info, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  ::jpeg_read_header(&decoder.info, TRUE);
  return true;
}

/// Picks the smallest scale that keeps the shorter side at `min_side` or more.
void choose_scale(jpeg_decompress_struct& info, std::int64_t min_side) {
  info.scale_num = 1;
  info.scale_denom = 1;
  if (min_side <= 0) return;
  const std::int64_t side = info.image_width < info.image_height ? info.image_width : info.image_height;
  for (const unsigned divisor : {8u, 4u, 2u})
    if ((side + divisor - 1) / divisor >= min_side) {
      info.scale_denom = divisor;
      info.do_fancy_upsampling = FALSE;  // detail that is scaled away need not be smooth
      return;
    }
}

bool find_size(Decoder& decoder) {
  if (setjmp(decoder.back)) return false;
  ::jpeg_calc_output_dimensions(&decoder.info);
  return true;
}

bool start(Decoder& decoder) {
  if (setjmp(decoder.back)) return false;
  ::jpeg_start_decompress(&decoder.info);
  return true;
}

/// Converts CMYK, inverted in Adobe's files, to RGB or grey, as Pillow does.
void from_cmyk(const unsigned char* in, unsigned char* out, unsigned width, int channels, bool inverted) {
  for (unsigned x = 0; x < width; ++x, in += 4, out += channels) {
    unsigned rgb[3];
    for (int c = 0; c < 3; ++c) {
      const unsigned ink = inverted ? 255u - in[c] : in[c], light = inverted ? in[3] : 255u - in[3];
      const unsigned product = ink * light + 128;
      rgb[c] = light - (((product >> 8) + product) >> 8);  // ink · light / 255 to the nearest integer
    }
    if (channels == 1) out[0] = detail::grey_of(rgb[0], rgb[1], rgb[2]);
    else
      for (int c = 0; c < 3; ++c) out[c] = static_cast<unsigned char>(rgb[c]);
  }
}

/// Restricts decoding to the columns left … left + width, and sets both to the range that libjpeg returns.
bool crop_columns(Decoder& decoder, unsigned& left, unsigned& width) {
  if (setjmp(decoder.back)) return false;
  ::jpeg_crop_scanline(&decoder.info, &left, &width);
  return true;
}

bool read_rows(Decoder& decoder, unsigned top, unsigned count, unsigned char* pixels, unsigned char* row,
               int channels) {
  if (setjmp(decoder.back)) return false;
  jpeg_decompress_struct& info = decoder.info;
  const std::size_t stride = std::size_t{info.output_width} * static_cast<std::size_t>(channels);
  if (top > 0) ::jpeg_skip_scanlines(&info, top);
  while (info.output_scanline < top + count) {
    unsigned char* target = pixels + (info.output_scanline - top) * stride;
    unsigned char* line = row ? row : target;
    ::jpeg_read_scanlines(&info, &line, 1);
    if (row) from_cmyk(row, target, info.output_width, channels, info.saw_Adobe_marker);
  }
  if (info.output_scanline == info.output_height) ::jpeg_finish_decompress(&info);
  return true;
}

class JpegDecoder final : public detail::FormatDecoder {
 public:
  JpegDecoder(std::span<const std::byte> bytes, std::string source, const DecodeOptions& options)
      : bytes_(bytes), source_(std::move(source)), channels_(options.channels) {
    jpeg_decompress_struct& info = decoder_.info;
    if (!read_header(decoder_, bytes)) fail();
    detail::expect_size(info.image_width, info.image_height, options, source_);
    info.out_color_space = is_cmyk() ? JCS_CMYK : channels_ == 1 ? JCS_GRAYSCALE : JCS_RGB;
    choose_scale(info, options.min_side);
    if (!find_size(decoder_)) fail();
    height = info.output_height;
    width = info.output_width;
  }

  PixelBox decode(const PixelBox& wanted, Tensor& image) override {
    if (!start(decoder_)) fail();
    // Chroma is interpolated between columns, so the neighbours must be decoded, too.
    constexpr std::int64_t neighbours = 2;
    const std::int64_t first = std::max<std::int64_t>(0, wanted.left - neighbours);
    const std::int64_t last = std::min(width, wanted.left + wanted.width + neighbours);
    auto left = static_cast<unsigned>(first), columns = static_cast<unsigned>(last - first);
    if (last - first < width && !crop_columns(decoder_, left, columns)) fail();

    const PixelBox got{wanted.top, left, wanted.height, columns};
    reuse_or_allocate(image, {got.height, got.width, channels_}, DType::uint8);
    std::vector<unsigned char> row(is_cmyk() ? std::size_t{4} * columns : 0);
    const auto top = static_cast<unsigned>(got.top), rows = static_cast<unsigned>(got.height);
    if (!read_rows(decoder_, top, rows, image.data<std::uint8_t>(), row.empty() ? nullptr : row.data(), channels_))
      fail();
    if (decoder_.cut_off)
      minima::detail::throw_format_error(source_, bytes_.size(), "JPEG: the file ends inside the image: truncated?");
    return got;
  }

 private:
  bool is_cmyk() const {
    return decoder_.info.jpeg_color_space == JCS_CMYK || decoder_.info.jpeg_color_space == JCS_YCCK;
  }
  [[noreturn]] void fail() const {
    const jpeg_source_mgr* src = decoder_.info.src;
    const std::size_t at = src ? bytes_.size() - std::min(bytes_.size(), src->bytes_in_buffer) : 0;
    minima::detail::throw_format_error(source_, at, str("JPEG: ", decoder_.message));
  }

  Decoder decoder_;
  const std::span<const std::byte> bytes_;
  const std::string source_;
  const int channels_;
};

}  // namespace

std::unique_ptr<detail::FormatDecoder> detail::open_jpeg(std::span<const std::byte> bytes, const std::string& source,
                                                         const DecodeOptions& options) {
  return std::make_unique<JpegDecoder>(bytes, source, options);
}

}  // namespace minima::data

#else

std::unique_ptr<minima::data::detail::FormatDecoder> minima::data::detail::open_jpeg(std::span<const std::byte>,
                                                                                     const std::string& source,
                                                                                     const DecodeOptions&) {
  throw ValueError(str(minima::detail::printable(source),
                       ": minima was built without JPEG support; install libjpeg-dev and rebuild"));
}

#endif
