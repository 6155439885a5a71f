#include <minima/data/transforms/colour.h>

#include <minima/data/images/geometry.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace minima::data {

namespace {

using Byte = std::uint8_t;

/// The largest value of a pixel.
template <class T>
constexpr float white_of = std::is_same_v<T, Byte> ? 255 : 1;

template <class T>
T to_pixel(float value) {
  if constexpr (std::is_same_v<T, Byte>) return static_cast<Byte>(std::clamp(value + 0.5f, 0.0f, 255.0f));
  else return std::clamp(value, 0.0f, 1.0f);
}
template <class T>
float grey(const T* p) {
  return 0.299f * p[0] + 0.587f * p[1] + 0.114f * p[2];
}

Tensor expect_colours(const Tensor& image, const char* what) {
  const Tensor x = detail::expect_image(image, what);
  if (x.size(2) != 1 && x.size(2) != 3) throw ShapeError(str(what, ": expected 1 or 3 channels, got ", image));
  return x;
}

/// Calls f with typed pointers to the pixels of x and y.
template <class F>
void with_pixels(const Tensor& x, const Tensor& y, F&& f) {
  if (x.dtype() == DType::uint8) f(x.data<Byte>(), y.data<Byte>());
  else f(x.data<float>(), y.data<float>());
}

/// The result for each byte value.
using Table = std::array<Byte, 256>;

Tensor through_tables(const Tensor& x, const std::vector<Table>& tables) {
  Tensor y = empty(x.shape(), {.dtype = DType::uint8});
  const Byte* from = x.data<Byte>();
  Byte* to = y.data<Byte>();
  const std::size_t channels = tables.size(), count = static_cast<std::size_t>(x.numel());
  for (std::size_t i = 0; i < count; i += channels)
    for (std::size_t c = 0; c < channels; ++c) to[i + c] = tables[c][from[i + c]];
  return y;
}

/// y = f(x, white), elementwise; bytes through a table.
template <class F>
Tensor by_value(const Tensor& x, F&& f) {
  if (x.dtype() == DType::uint8) {
    Table table;
    for (int v = 0; v < 256; ++v) table[static_cast<std::size_t>(v)] = to_pixel<Byte>(f(static_cast<float>(v), 255.0f));
    return through_tables(x, std::vector<Table>(static_cast<std::size_t>(x.size(2)), table));
  }
  Tensor y = empty(x.shape(), {.dtype = x.dtype()});
  std::transform(x.data<float>(), x.data<float>() + x.numel(), y.data<float>(),
                 [&](float v) { return to_pixel<float>(f(v, 1.0f)); });
  return y;
}

/// Applies `change` to a uint8 image; float32 images are converted and back.
template <class F>
Tensor apply_to_bytes(const Tensor& x, F&& change) {
  if (x.dtype() == DType::uint8) return change(x);
  Tensor bytes = empty(x.shape(), {.dtype = DType::uint8}), y = empty(x.shape(), {.dtype = x.dtype()});
  std::transform(x.data<float>(), x.data<float>() + x.numel(), bytes.data<Byte>(),
                 [](float v) { return to_pixel<Byte>(255 * v); });
  const Tensor changed = change(bytes);
  std::transform(changed.data<Byte>(), changed.data<Byte>() + x.numel(), y.data<float>(),
                 [](Byte v) { return v / 255.0f; });
  return y;
}

std::vector<std::array<std::int64_t, 256>> histograms(const Tensor& x) {
  std::vector<std::array<std::int64_t, 256>> counts(static_cast<std::size_t>(x.size(2)));
  for (auto& channel : counts) channel.fill(0);
  const Byte* pixels = x.data<Byte>();
  const std::size_t count = static_cast<std::size_t>(x.numel());
  for (std::size_t i = 0; i < count; ++i) ++counts[i % counts.size()][pixels[i]];
  return counts;
}

/// y = other + factor · (x - other), where other(pixels, i)(channel) is the value at pixel i for factor 0.
template <class Other>
Tensor blend(const Tensor& x, double factor, Other&& other) {
  Tensor y = empty(x.shape(), {.dtype = x.dtype()});
  const std::size_t channels = static_cast<std::size_t>(x.size(2)), count = static_cast<std::size_t>(x.numel());
  const auto f = static_cast<float>(factor);
  with_pixels(x, y, [&]<class T>(const T* from, T* to) {
    for (std::size_t i = 0; i < count; i += channels) {
      const auto base = other(from, i);
      for (std::size_t c = 0; c < channels; ++c) to[i + c] = to_pixel<T>(base(c) + f * (from[i + c] - base(c)));
    }
  });
  return y;
}

template <class T>
void turn_hue(const T* in, float turn, T* out) {
  const float r = in[0], g = in[1], b = in[2];
  const float most = std::max({r, g, b}), least = std::min({r, g, b}), range = most - least;
  if (range == 0) {
    std::copy_n(in, 3, out);
    return;
  }
  float hue = most == r ? (g - b) / range : most == g ? 2 + (b - r) / range : 4 + (r - g) / range;
  hue = hue / 6 + turn;
  hue = 6 * (hue - std::floor(hue));
  const int sector = std::min(5, static_cast<int>(hue));
  const float part = hue - static_cast<float>(sector);
  const float falling = most - range * part, rising = least + range * part;
  const float table[6][3] = {{most, rising, least},  {falling, most, least}, {least, most, rising},
                             {least, falling, most}, {rising, least, most},  {most, least, falling}};
  for (int c = 0; c < 3; ++c) out[c] = to_pixel<T>(table[sector][c]);
}

/// The mean of the grey image; for bytes, grey values are truncated first, as in torchvision.
template <class T>
double mean_of_grey(const T* pixels, std::int64_t count, std::int64_t channels) {
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const float value = channels == 3 ? grey(pixels + 3 * i) : static_cast<float>(pixels[i]);
    sum += std::is_same_v<T, Byte> ? std::floor(value) : value;
  }
  return sum / static_cast<double>(count);
}

}  // namespace

Tensor adjust_brightness(const Tensor& image, double factor) {
  Tensor x = expect_colours(image, "adjust_brightness");
  return by_value(x, [&](float v, float) { return static_cast<float>(v * factor); });
}

Tensor adjust_contrast(const Tensor& image, double factor) {
  Tensor x = expect_colours(image, "adjust_contrast");
  double mean = 0;
  with_pixels(x, x, [&](const auto* pixels, auto*) { mean = mean_of_grey(pixels, x.size(0) * x.size(1), x.size(2)); });
  return by_value(x, [&](float v, float) { return static_cast<float>(mean + factor * (v - mean)); });
}

Tensor adjust_saturation(const Tensor& image, double factor) {
  Tensor x = expect_colours(image, "adjust_saturation");
  if (x.size(2) == 1) return x;
  return blend(x, factor, [](const auto* pixels, std::size_t i) {
    return [value = grey(pixels + i)](std::size_t) { return value; };
  });
}

Tensor adjust_hue(const Tensor& image, double turn) {
  Tensor x = expect_colours(image, "adjust_hue");
  if (!(turn >= -0.5 && turn <= 0.5)) throw ValueError(str("adjust_hue: turn must be from -0.5 to 0.5, got ", turn));
  if (x.size(2) == 1) return x;
  Tensor y = empty(x.shape(), {.dtype = x.dtype()});
  with_pixels(x, y, [&](const auto* from, auto* to) {
    for (std::int64_t i = 0; i < x.numel(); i += 3) turn_hue(from + i, static_cast<float>(turn), to + i);
  });
  return y;
}

Tensor adjust_sharpness(const Tensor& image, double factor) {
  Tensor x = expect_colours(image, "adjust_sharpness");
  const std::int64_t height = x.size(0), width = x.size(1), channels = x.size(2);
  return blend(x, factor, [=](const auto* pixels, std::size_t i) {
    return [=](std::size_t c) {
      const auto at = static_cast<std::int64_t>(i + c), column = at / channels % width, row = at / channels / width;
      if (row == 0 || column == 0 || row == height - 1 || column == width - 1) return static_cast<float>(pixels[at]);
      float sum = 4.0f * pixels[at];
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) sum += pixels[at + (dy * width + dx) * channels];
      return sum / 13;
    };
  });
}

Tensor posterize(const Tensor& image, int bits) {
  Tensor x = expect_colours(image, "posterize");
  if (bits < 0 || bits > 8) throw ValueError(str("posterize: bits must be from 0 to 8, got ", bits));
  return apply_to_bytes(x, [&](const Tensor& bytes) {
    return by_value(bytes,
                    [&](float v, float) { return static_cast<float>(static_cast<int>(v) & (0xFF00 >> bits & 0xFF)); });
  });
}

Tensor solarize(const Tensor& image, double threshold) {
  Tensor x = expect_colours(image, "solarize");
  return by_value(x, [&](float v, float white) { return v * (255 / white) >= threshold ? white - v : v; });
}

Tensor auto_contrast(const Tensor& image) {
  Tensor x = expect_colours(image, "auto_contrast");
  const auto channels = static_cast<std::size_t>(x.size(2)), count = static_cast<std::size_t>(x.numel());
  Tensor y = empty(x.shape(), {.dtype = x.dtype()});
  with_pixels(x, y, [&]<class T>(const T* from, T* to) {
    for (std::size_t c = 0; c < channels; ++c) {
      float low = from[c], high = from[c];
      for (std::size_t i = c; i < count; i += channels) {
        low = std::min(low, static_cast<float>(from[i]));
        high = std::max(high, static_cast<float>(from[i]));
      }
      for (std::size_t i = c; i < count; i += channels)
        to[i] = low == high ? from[i] : to_pixel<T>(white_of<T> * (from[i] - low) / (high - low));
    }
  });
  return y;
}

Tensor equalize(const Tensor& image) {
  Tensor x = expect_colours(image, "equalize");
  return apply_to_bytes(x, [](const Tensor& bytes) {
    std::vector<Table> tables;
    for (const auto& counts : histograms(bytes)) {
      std::int64_t last = 0, total = 0, before = 0;
      for (const std::int64_t count : counts) {
        total += count;
        if (count) last = count;
      }
      const std::int64_t step = (total - last) / 255;
      Table& table = tables.emplace_back();
      for (std::size_t v = 0; v < 256; ++v) {
        table[v] = step == 0 ? static_cast<Byte>(v)
                             : static_cast<Byte>(std::min<std::int64_t>(255, (before + step / 2) / step));
        before += counts[v];
      }
    }
    return through_tables(bytes, tables);
  });
}

}  // namespace minima::data
