#include <minima/data/images/decode.h>

#include "tests/fuzz/fuzz.h"

/// Decodes whole images and parts. The last bytes, which JPEG ignores, select the part.
FUZZ_TARGET(bytes) {
  const auto last = [&](std::size_t i) {
    return bytes.size() > i ? std::to_integer<std::int64_t>(bytes[bytes.size() - 1 - i]) : 0;
  };
  const int channels = bytes.size() % 2 ? 1 : 3;
  minima::data::ImageDecoder image(bytes, "fuzz",
                                   {.channels = channels, .min_side = last(0) % 64, .max_pixels = 1 << 16});
  minima::Tensor pixels;
  if (last(1) % 2 == 0) {
    image.decode({0, 0, image.height(), image.width()}, pixels);
    return;
  }
  minima::data::PixelBox box;
  box.top = last(2) * image.height() / 256;
  box.left = last(3) * image.width() / 256;
  box.height = 1 + last(4) * (image.height() - box.top - 1) / 255;
  box.width = 1 + last(5) * (image.width() - box.left - 1) / 255;
  const minima::data::PixelBox got = image.decode(box, pixels);
  if (got.top > box.top || got.left > box.left || got.top + got.height < box.top + box.height ||
      got.left + got.width < box.left + box.width)
    __builtin_trap();
}
