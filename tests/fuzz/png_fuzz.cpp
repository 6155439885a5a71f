#include <minima/data/images/decode.h>

#include "tests/fuzz/fuzz.h"

FUZZ_TARGET(bytes) {
  const std::int64_t min_side = bytes.empty() ? 0 : static_cast<std::int64_t>(bytes.back()) % 64;
  const int channels = bytes.size() % 2 ? 1 : 3;
  minima::data::decode_image(bytes, "fuzz", {.channels = channels, .min_side = min_side, .max_pixels = 1 << 16});
}
