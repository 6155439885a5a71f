#pragma once

#include <minima/data/transforms/channel_map.h>

namespace minima::data::detail {

/// Offsets of an image's float32 parameters.
struct ChangeNumbers {
  static constexpr int map = 0;      ///< 2 × 3: output to source coordinates, from the upper left corners
  static constexpr int samples = 6;  ///< samples per output pixel, across and down
  static constexpr int fill = 8;
  static constexpr int matrix = 9;     ///< 3 × 3, applied to the colour
  static constexpr int of_means = 18;  ///< 3 × 3, applied to the image's mean colour
  static constexpr int count = 27;
};

struct AugmentShape {
  std::int64_t images, in_height, in_width, height, width;
};

/// Adds the bilinear value at (x, y) to `sum`. Coordinates are in pixels from the centre of the first one.
MINIMA_HD inline void add_sample(const std::uint8_t* image, const AugmentShape& shape, int channels, float x, float y,
                                 float fill, float* sum) {
  const auto most_x = static_cast<float>(shape.in_width) - 0.5f, most_y = static_cast<float>(shape.in_height) - 0.5f;
  if (!(x >= -0.5f && y >= -0.5f && x <= most_x && y <= most_y)) {
    for (int c = 0; c < channels; ++c) sum[c] += fill;
    return;
  }
  const auto left = static_cast<std::int64_t>(x + 1) - 1, top = static_cast<std::int64_t>(y + 1) - 1;  // rounded down
  const float part_x = x - static_cast<float>(left), part_y = y - static_cast<float>(top);
  const std::int64_t x0 = left < 0 ? 0 : left, y0 = top < 0 ? 0 : top;
  const std::int64_t x1 = left + 1 < shape.in_width ? left + 1 : shape.in_width - 1,
                     y1 = top + 1 < shape.in_height ? top + 1 : shape.in_height - 1;
  const std::uint8_t* upper = image + y0 * shape.in_width * channels;
  const std::uint8_t* lower = image + y1 * shape.in_width * channels;
  for (int c = 0; c < channels; ++c) {
    const float a = upper[x0 * channels + c], b = upper[x1 * channels + c];
    const float d = lower[x0 * channels + c], e = lower[x1 * channels + c];
    const float above = a + part_x * (b - a), below = d + part_x * (e - d);
    sum[c] += above + part_y * (below - above);
  }
}

/// Computes output pixel `index` of the batch [B, height, width]. `numbers` [B, count]; `means` [B, C], or null if no
/// image changes its contrast.
template <class T>
MINIMA_HD inline void augment_pixel(const ChannelMap& map, const AugmentShape& shape, const std::uint8_t* x,
                                    const float* numbers, const float* means, std::int64_t index, T* out) {
  const int channels = map.channels;
  const std::int64_t column = index % shape.width, row = index / shape.width % shape.height,
                     image = index / shape.width / shape.height;
  const float* n = numbers + image * ChangeNumbers::count;
  const std::uint8_t* pixels = x + image * shape.in_height * shape.in_width * channels;
  const int across = static_cast<int>(n[ChangeNumbers::samples]),
            down = static_cast<int>(n[ChangeNumbers::samples + 1]);
  float sum[3] = {0, 0, 0};
  for (int j = 0; j < down; ++j)
    for (int i = 0; i < across; ++i) {
      const float ox = static_cast<float>(column) + (static_cast<float>(i) + 0.5f) / static_cast<float>(across);
      const float oy = static_cast<float>(row) + (static_cast<float>(j) + 0.5f) / static_cast<float>(down);
      const float* m = n + ChangeNumbers::map;
      add_sample(pixels, shape, channels, m[0] * ox + m[1] * oy + m[2] - 0.5f, m[3] * ox + m[4] * oy + m[5] - 0.5f,
                 n[ChangeNumbers::fill], sum);
    }
  const float share = 1.0f / static_cast<float>(across * down);
  for (int c = 0; c < channels; ++c) {
    float value = 0;
    for (int k = 0; k < channels; ++k) {
      value += n[ChangeNumbers::matrix + 3 * c + k] * (sum[k] * share);
      if (means) value += n[ChangeNumbers::of_means + 3 * c + k] * means[image * channels + k];
    }
    value = value < 0 ? 0 : value > 255 ? 255 : value;
    out[index * channels + c] = static_cast<T>(value * map.scale[c] + map.shift[c]);
  }
}

/// Launches the CUDA kernel on the current stream. All pointers are device pointers; y is in channels_last order.
void augment_images_cuda(const ChannelMap& map, const AugmentShape& shape, const std::uint8_t* x, const float* numbers,
                         const float* means, void* y, DType y_dtype);

}  // namespace minima::data::detail
