#include <minima/data/transforms/colour.h>

#include <minima/data/transforms/geometry.h>
#include <minima/tensor/error.h>
#include <minima/tensor/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace minima::data {

namespace {

using Byte = std::uint8_t;

Byte to_byte(float value) { return static_cast<Byte>(std::clamp(value + 0.5f, 0.0f, 255.0f)); }
float grey(const Byte* p) { return 0.299f * p[0] + 0.587f * p[1] + 0.114f * p[2]; }

Tensor expect_bytes(const Tensor& image, const char* what) {
  const Tensor x = detail::expect_image(image, what);
  if (x.dtype() != DType::uint8) throw DTypeError(str(what, ": expected a uint8 image, got ", image));
  if (x.size(2) != 1 && x.size(2) != 3) throw ShapeError(str(what, ": expected 1 or 3 channels, got ", image));
  return x;
}

/// What each value becomes, channel by channel.
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

template <class F>
Tensor by_value(const Tensor& image, const char* what, F&& f) {
  const Tensor x = expect_bytes(image, what);
  Table table;
  for (int v = 0; v < 256; ++v) table[static_cast<std::size_t>(v)] = f(v);
  return through_tables(x, std::vector<Table>(static_cast<std::size_t>(x.size(2)), table));
}

std::vector<std::array<std::int64_t, 256>> histograms(const Tensor& x) {
  std::vector<std::array<std::int64_t, 256>> counts(static_cast<std::size_t>(x.size(2)));
  for (auto& channel : counts) channel.fill(0);
  const Byte* pixels = x.data<Byte>();
  const std::size_t count = static_cast<std::size_t>(x.numel());
  for (std::size_t i = 0; i < count; ++i) ++counts[i % counts.size()][pixels[i]];
  return counts;
}

/// y = other + factor · (x - other), where other(pixel, channel) is what factor 0 would give.
template <class Other>
Tensor blend(const Tensor& x, double factor, Other&& other) {
  Tensor y = empty(x.shape(), {.dtype = DType::uint8});
  const Byte* from = x.data<Byte>();
  Byte* to = y.data<Byte>();
  const std::size_t channels = static_cast<std::size_t>(x.size(2)), count = static_cast<std::size_t>(x.numel());
  const auto f = static_cast<float>(factor);
  for (std::size_t i = 0; i < count; i += channels) {
    const auto base = other(i);
    for (std::size_t c = 0; c < channels; ++c) to[i + c] = to_byte(base(c) + f * (from[i + c] - base(c)));
  }
  return y;
}

void turn_hue(const Byte* in, float turn, Byte* out) {
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
  const float table[6][3] = {{most, rising, least}, {falling, most, least}, {least, most, rising},
                             {least, falling, most}, {rising, least, most}, {most, least, falling}};
  for (int c = 0; c < 3; ++c) out[c] = to_byte(table[sector][c]);
}

}  // namespace

Tensor adjust_brightness(const Tensor& image, double factor) {
  return by_value(image, "adjust_brightness", [&](int v) { return to_byte(static_cast<float>(v * factor)); });
}

Tensor adjust_contrast(const Tensor& image, double factor) {
  const Tensor x = expect_bytes(image, "adjust_contrast");
  const Byte* pixels = x.data<Byte>();
  double sum = 0;
  const std::int64_t count = x.size(0) * x.size(1);
  for (std::int64_t i = 0; i < count; ++i) sum += x.size(2) == 3 ? static_cast<double>(std::floor(grey(pixels + 3 * i))) : pixels[i];
  const double mean = sum / static_cast<double>(count);
  return by_value(x, "adjust_contrast", [&](int v) { return to_byte(static_cast<float>(mean + factor * (v - mean))); });
}

Tensor adjust_saturation(const Tensor& image, double factor) {
  const Tensor x = expect_bytes(image, "adjust_saturation");
  if (x.size(2) == 1) return x;
  const Byte* pixels = x.data<Byte>();
  return blend(x, factor, [&](std::size_t i) { return [value = grey(pixels + i)](std::size_t) { return value; }; });
}

Tensor adjust_hue(const Tensor& image, double turn) {
  const Tensor x = expect_bytes(image, "adjust_hue");
  if (!(turn >= -0.5 && turn <= 0.5)) throw ValueError(str("adjust_hue: a turn of ", turn, ", it may be -0.5 to 0.5"));
  if (x.size(2) == 1) return x;
  Tensor y = empty(x.shape(), {.dtype = DType::uint8});
  for (std::int64_t i = 0; i < x.numel(); i += 3) turn_hue(x.data<Byte>() + i, static_cast<float>(turn), y.data<Byte>() + i);
  return y;
}

Tensor adjust_sharpness(const Tensor& image, double factor) {
  const Tensor x = expect_bytes(image, "adjust_sharpness");
  const Byte* pixels = x.data<Byte>();
  const std::int64_t height = x.size(0), width = x.size(1), channels = x.size(2);
  return blend(x, factor, [&](std::size_t i) {
    return [&, i](std::size_t c) {
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
  if (bits < 0 || bits > 8) throw ValueError(str("posterize: ", bits, " bits, they may be 0 to 8"));
  return by_value(image, "posterize", [&](int v) { return static_cast<Byte>(v & (0xFF00 >> bits & 0xFF)); });
}

Tensor solarize(const Tensor& image, double threshold) {
  return by_value(image, "solarize", [&](int v) { return static_cast<Byte>(v >= threshold ? 255 - v : v); });
}

Tensor auto_contrast(const Tensor& image) {
  const Tensor x = expect_bytes(image, "auto_contrast");
  std::vector<Table> tables;
  for (const auto& counts : histograms(x)) {
    int low = 0, high = 255;
    while (counts[static_cast<std::size_t>(low)] == 0) ++low;
    while (counts[static_cast<std::size_t>(high)] == 0) --high;
    Table& table = tables.emplace_back();
    for (int v = 0; v < 256; ++v)
      table[static_cast<std::size_t>(v)] = low == high ? static_cast<Byte>(v) : to_byte(255.0f * static_cast<float>(v - low) / static_cast<float>(high - low));
  }
  return through_tables(x, tables);
}

Tensor equalize(const Tensor& image) {
  const Tensor x = expect_bytes(image, "equalize");
  std::vector<Table> tables;
  for (const auto& counts : histograms(x)) {
    std::int64_t last = 0, total = 0, before = 0;
    for (const std::int64_t count : counts) {
      total += count;
      if (count) last = count;
    }
    const std::int64_t step = (total - last) / 255;
    Table& table = tables.emplace_back();
    for (std::size_t v = 0; v < 256; ++v) {
      table[v] = step == 0 ? static_cast<Byte>(v) : static_cast<Byte>(std::min<std::int64_t>(255, (before + step / 2) / step));
      before += counts[v];
    }
  }
  return through_tables(x, tables);
}

}  // namespace minima::data
