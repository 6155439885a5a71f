#include <minima/io/plots/jpeg_writer.h>

#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>  // IWYU pragma: keep

#include <cstdint>
#include <string>

#ifdef MINIMA_HAVE_JPEG

#include <jpeglib.h>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>

namespace minima {

namespace {

struct Encoder {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  std::jmp_buf back;
  unsigned char* data = nullptr;
  unsigned long size = 0;

  ~Encoder() {
    ::jpeg_destroy_compress(&info);
    std::free(data);
  }
};

/// libjpeg's errors longjmp back here, so nothing inside may have a destructor.
bool run(Encoder& e, const std::uint8_t* pixels, int height, int width, int channels, int quality) {
  if (setjmp(e.back)) return false;
  jpeg_create_compress(&e.info);
  ::jpeg_mem_dest(&e.info, &e.data, &e.size);
  e.info.image_width = static_cast<JDIMENSION>(width);
  e.info.image_height = static_cast<JDIMENSION>(height);
  e.info.input_components = channels;
  e.info.in_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  ::jpeg_set_defaults(&e.info);
  ::jpeg_set_quality(&e.info, quality, TRUE);
  ::jpeg_start_compress(&e.info, TRUE);
  while (e.info.next_scanline < e.info.image_height) {
    auto* row =
        const_cast<unsigned char*>(pixels + static_cast<std::size_t>(e.info.next_scanline) *
                                                static_cast<std::size_t>(width) * static_cast<std::size_t>(channels));
    ::jpeg_write_scanlines(&e.info, &row, 1);
  }
  ::jpeg_finish_compress(&e.info);
  return true;
}

}  // namespace

std::string encode_jpeg(const std::uint8_t* pixels, int height, int width, int channels, int quality) {
  constexpr int max_side = JPEG_MAX_DIMENSION;
  if (height < 1 || width < 1 || height > max_side || width > max_side || (channels != 1 && channels != 3) ||
      quality < 1 || quality > 100)
    throw ValueError(
        str("encode_jpeg: cannot write an image of ", height, " × ", width, " × ", channels, " in quality ", quality));
  Encoder encoder;
  encoder.info.err = ::jpeg_std_error(&encoder.errors);
  encoder.info.client_data = &encoder;
  encoder.errors.error_exit = [](j_common_ptr common) {
    std::longjmp(static_cast<Encoder*>(common->client_data)->back, 1);
  };
  encoder.errors.output_message = [](j_common_ptr) {};
  if (!run(encoder, pixels, height, width, channels, quality)) throw OutOfMemoryError("encode_jpeg: out of memory");
  return {reinterpret_cast<const char*>(encoder.data), encoder.size};
}

}  // namespace minima

#else

std::string minima::encode_jpeg(const std::uint8_t*, int, int, int, int) {
  throw ValueError("encode_jpeg: minima was built without JPEG support; install libjpeg-dev and rebuild");
}

#endif
