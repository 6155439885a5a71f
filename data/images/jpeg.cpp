#include <minima/data/images/decode.h>

#include <minima/data/batch.h>
#include <minima/tensor/error.h>
#include <minima/tensor/format.h>

#ifdef MINIMA_HAVE_JPEG

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <jpeglib.h>
#include <vector>

#include <jerror.h>

namespace minima::data {

namespace {

// libjpeg reports errors by a function that must not return: it jumps back to where decoding was called from. Nothing
// with a destructor may live between, so the stages are functions that only touch the decoder and plain memory.

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
      constexpr int kMostScans = 200;
      if (common->is_decompressor && reinterpret_cast<j_decompress_ptr>(common)->input_scan_number > kMostScans) {
        std::snprintf(of(common).message, sizeof of(common).message, "more than %d scans", kMostScans);
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

/// The largest of 1/8, 1/4, 1/2 that keeps the shorter side long enough.
void choose_scale(jpeg_decompress_struct& info, std::int64_t least_side) {
  info.scale_num = 1;
  info.scale_denom = 1;
  if (least_side <= 0) return;
  const std::int64_t side = info.image_width < info.image_height ? info.image_width : info.image_height;
  for (const unsigned divisor : {8u, 4u, 2u})
    if ((side + divisor - 1) / divisor >= least_side) {
      info.scale_denom = divisor;
      info.do_fancy_upsampling = FALSE;  // what is thrown away need not be smooth
      return;
    }
}

bool start(Decoder& decoder) {
  if (setjmp(decoder.back)) return false;
  ::jpeg_start_decompress(&decoder.info);
  return true;
}

/// CMYK of Adobe's kind (inverted) to RGB or grey.
void from_cmyk(const unsigned char* in, unsigned char* out, unsigned width, int channels, bool inverted) {
  for (unsigned x = 0; x < width; ++x, in += 4, out += channels) {
    unsigned rgb[3];
    for (int c = 0; c < 3; ++c) {
      const unsigned ink = inverted ? in[c] : 255u - in[c], black = inverted ? in[3] : 255u - in[3];
      rgb[c] = ink * black / 255u;
    }
    if (channels == 1) out[0] = static_cast<unsigned char>((299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2]) / 1000);
    else for (int c = 0; c < 3; ++c) out[c] = static_cast<unsigned char>(rgb[c]);
  }
}

bool read_rows(Decoder& decoder, unsigned char* pixels, unsigned char* row, int channels) {
  if (setjmp(decoder.back)) return false;
  jpeg_decompress_struct& info = decoder.info;
  const std::size_t stride = std::size_t{info.output_width} * static_cast<std::size_t>(channels);
  while (info.output_scanline < info.output_height) {
    unsigned char* target = pixels + info.output_scanline * stride;
    unsigned char* line = row ? row : target;
    ::jpeg_read_scanlines(&info, &line, 1);
    if (row) from_cmyk(row, target, info.output_width, channels, info.saw_Adobe_marker);
  }
  ::jpeg_finish_decompress(&info);
  return true;
}

}  // namespace

void detail::decode_jpeg(std::span<const std::byte> bytes, const std::string& source, const DecodeOptions& options, Tensor& image) {
  Decoder decoder;
  jpeg_decompress_struct& info = decoder.info;
  const auto fail = [&] {
    const std::size_t at = info.src ? bytes.size() - std::min(bytes.size(), info.src->bytes_in_buffer) : 0;
    throw FormatError(str(source, ": byte ", at, ": JPEG: ", decoder.message));
  };
  if (!read_header(decoder, bytes)) fail();
  expect_size(info.image_width, info.image_height, options, source);
  const bool cmyk = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
  info.out_color_space = cmyk ? JCS_CMYK : options.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  choose_scale(info, options.least_side);
  if (!start(decoder)) fail();

  reuse_or_allocate(image, {static_cast<std::int64_t>(info.output_height), static_cast<std::int64_t>(info.output_width), options.channels}, DType::uint8);
  std::vector<unsigned char> row(cmyk ? std::size_t{4} * info.output_width : 0);
  if (!read_rows(decoder, image.data<std::uint8_t>(), cmyk ? row.data() : nullptr, options.channels)) fail();
  if (decoder.cut_off) throw FormatError(str(source, ": byte ", bytes.size(), ": JPEG: the file ends inside the image: cut off?"));
}

}  // namespace minima::data

#else

void minima::data::detail::decode_jpeg(std::span<const std::byte>, const std::string& source, const DecodeOptions&, Tensor&) {
  throw ValueError(str(source, ": this build of minima reads no JPEG images; install libjpeg-dev and build again"));
}

#endif
