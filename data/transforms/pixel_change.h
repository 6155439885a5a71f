#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>

// The operations of augmentation policies on uint8 pixels, as the CUDA kernels compute them. Tests run the same code on
// the CPU and compare it with the transforms of single images.

namespace minima::data::detail {

struct PixelChange {
  enum Kind : int {
    identity,
    brightness,
    contrast,
    posterize,
    solarize,
    auto_contrast,
    equalize,  // up to here through a table of 256 values
    saturation,
    sharpness,
    warp
  };
  Kind kind = identity;
  double value = 0;                    ///< factor, bits or threshold
  double map[6] = {1, 0, 0, 0, 1, 0};  ///< for warp: Affine's a … f
  double fill = 0;
};

/// Offsets of a PixelChange's float64 parameters.
struct PixelChangeNumbers {
  static constexpr int kind = 0, value = 1, fill = 2, map = 3, count = 9;
};

struct ImagesShape {
  std::int64_t images, height, width;
  int channels;
};

MINIMA_HD inline std::uint8_t to_byte(float value) {
  value += 0.5f;
  return static_cast<std::uint8_t>(value < 0 ? 0.0f : value > 255 ? 255.0f : value);
}
MINIMA_HD inline float grey_of(const std::uint8_t* pixel, int channels) {
  return channels == 3 ? 0.299f * pixel[0] + 0.587f * pixel[1] + 0.114f * pixel[2] : static_cast<float>(pixel[0]);
}

/// The result for value v in a channel with the histogram `counts`, in an image with this mean grey value.
MINIMA_HD inline std::uint8_t table_value(int kind, double factor, int v, const std::uint32_t* counts,
                                          double grey_mean) {
  const auto same = static_cast<std::uint8_t>(v);
  if (kind == PixelChange::brightness) return to_byte(static_cast<float>(v * factor));
  if (kind == PixelChange::contrast) return to_byte(static_cast<float>(grey_mean + factor * (v - grey_mean)));
  if (kind == PixelChange::posterize) return static_cast<std::uint8_t>(v & (0xFF00 >> static_cast<int>(factor) & 0xFF));
  if (kind == PixelChange::solarize) return v >= factor ? static_cast<std::uint8_t>(255 - v) : same;
  if (kind == PixelChange::auto_contrast) {
    int low = 0, high = 255;
    while (low < 255 && counts[low] == 0) ++low;
    while (high > 0 && counts[high] == 0) --high;
    return low >= high ? same : to_byte(255.0f * static_cast<float>(v - low) / static_cast<float>(high - low));
  }
  if (kind == PixelChange::equalize) {
    std::int64_t total = 0, last = 0, before = 0;
    for (int i = 0; i < 256; ++i) {
      if (i < v) before += counts[i];
      total += counts[i];
      if (counts[i] > 0) last = counts[i];
    }
    const std::int64_t step = (total - last) / 255;
    const std::int64_t value = step == 0 ? v : (before + step / 2) / step;
    return static_cast<std::uint8_t>(value < 255 ? value : 255);
  }
  return same;
}

/// Computes pixel (row, column) of an image [height, width, channels]; `tables` [channels, 256].
MINIMA_HD inline void change_pixel(const ImagesShape& shape, const std::uint8_t* image, const double* numbers,
                                   const std::uint8_t* tables, std::int64_t row, std::int64_t column,
                                   std::uint8_t* out) {
  const int kind = static_cast<int>(numbers[PixelChangeNumbers::kind]), channels = shape.channels;
  const std::int64_t line = shape.width * channels;
  const std::uint8_t* pixel = image + row * line + column * channels;
  const auto factor = static_cast<float>(numbers[PixelChangeNumbers::value]);
  if (kind == PixelChange::warp) {
    const double* m = numbers + PixelChangeNumbers::map;
    const double centre_x = 0.5 * static_cast<double>(shape.width - 1),
                 centre_y = 0.5 * static_cast<double>(shape.height - 1);
    const double dx = static_cast<double>(column) - centre_x, dy = static_cast<double>(row) - centre_y;
    const double x = m[0] * dx + m[1] * dy + m[2] + centre_x, y = m[3] * dx + m[4] * dy + m[5] + centre_y;
    const auto fill = static_cast<float>(numbers[PixelChangeNumbers::fill]);
    // Coordinates far outside may not fit an integer.
    const bool near =
        x > -2 && y > -2 && x < static_cast<double>(shape.width) + 1 && y < static_cast<double>(shape.height) + 1;
    const std::int64_t left = near ? static_cast<std::int64_t>(x + 3) - 3 : 0,
                       top = near ? static_cast<std::int64_t>(y + 3) - 3 : 0;
    const auto part_x = static_cast<float>(x - static_cast<double>(left)),
               part_y = static_cast<float>(y - static_cast<double>(top));
    for (int c = 0; c < channels; ++c) {
      float corner[4];
      for (int i = 0; i < 4; ++i) {
        const std::int64_t at_y = top + i / 2, at_x = left + i % 2;
        const bool inside = near && at_y >= 0 && at_y < shape.height && at_x >= 0 && at_x < shape.width;
        corner[i] = inside ? static_cast<float>(image[at_y * line + at_x * channels + c]) : fill;
      }
      const float upper = corner[0] + part_x * (corner[1] - corner[0]),
                  lower = corner[2] + part_x * (corner[3] - corner[2]);
      out[c] = to_byte(near ? upper + part_y * (lower - upper) : fill);
    }
    return;
  }
  if (kind == PixelChange::saturation && channels == 3) {
    const float grey = grey_of(pixel, channels);
    for (int c = 0; c < channels; ++c) out[c] = to_byte(grey + factor * (pixel[c] - grey));
    return;
  }
  if (kind == PixelChange::sharpness) {
    const bool edge = row == 0 || column == 0 || row == shape.height - 1 || column == shape.width - 1;
    for (int c = 0; c < channels; ++c) {
      float smooth = pixel[c];
      if (!edge) {
        smooth = 4.0f * pixel[c];
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx) smooth += pixel[dy * line + dx * channels + c];
        smooth /= 13;
      }
      out[c] = to_byte(smooth + factor * (pixel[c] - smooth));
    }
    return;
  }
  for (int c = 0; c < channels; ++c) out[c] = kind < PixelChange::saturation ? tables[256 * c + pixel[c]] : pixel[c];
}

/// Launches the CUDA kernels on the current stream. Applies the operations with the parameters `numbers` [B, count] to
/// x; `tables` [B, C, 256] is scratch memory.
void change_pixels_cuda(const ImagesShape& shape, const std::uint8_t* x, const double* numbers, std::uint8_t* tables,
                        std::uint8_t* y);

}  // namespace minima::data::detail
