#include <minima/data/images/geometry.h>

#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/layout/checked.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <type_traits>

namespace minima::data {

namespace {

/// Calls f with typed pointers to the pixels of x and y.
template <class F>
void with_pixels(const Tensor& x, const Tensor& y, F&& f) {
  if (x.dtype() == DType::uint8) f(x.data<std::uint8_t>(), y.data<std::uint8_t>());
  else f(x.data<float>(), y.data<float>());
}

std::size_t row_bytes(const Tensor& x) { return static_cast<std::size_t>(x.size(1) * x.size(2)) * x.itemsize(); }

template <class T>
void warp_pixels(const T* in, std::int64_t height, std::int64_t width, std::int64_t channels, const Affine& m,
                 float fill, T* out) {
  const double cx = 0.5 * static_cast<double>(width - 1), cy = 0.5 * static_cast<double>(height - 1);
  const auto at = [&](std::int64_t y, std::int64_t x, std::int64_t c) {
    const bool inside = y >= 0 && y < height && x >= 0 && x < width;
    return inside ? static_cast<float>(in[(y * width + x) * channels + c]) : fill;
  };
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x) {
      const double dx = static_cast<double>(x) - cx, dy = static_cast<double>(y) - cy;
      const double sx = m.a * dx + m.b * dy + m.c + cx, sy = m.d * dx + m.e * dy + m.f + cy;
      // Coordinates far outside may not fit an integer.
      const bool near =
          sx > -2 && sy > -2 && sx < static_cast<double>(width) + 1 && sy < static_cast<double>(height) + 1;
      const double left = near ? std::floor(sx) : 0, top = near ? std::floor(sy) : 0;
      const auto fx = static_cast<float>(sx - left), fy = static_cast<float>(sy - top);
      const auto x0 = static_cast<std::int64_t>(left), y0 = static_cast<std::int64_t>(top);
      for (std::int64_t c = 0; c < channels; ++c) {
        float value = fill;
        if (near) {
          const float upper = at(y0, x0, c) + fx * (at(y0, x0 + 1, c) - at(y0, x0, c));
          const float lower = at(y0 + 1, x0, c) + fx * (at(y0 + 1, x0 + 1, c) - at(y0 + 1, x0, c));
          value = upper + fy * (lower - upper);
        }
        if constexpr (std::is_same_v<T, float>) *out++ = value;
        else *out++ = static_cast<T>(std::clamp(value + 0.5f, 0.0f, 255.0f));
      }
    }
}

}  // namespace

Affine Affine::rotation(double degrees) {
  const double angle = degrees * std::numbers::pi / 180;
  return {std::cos(angle), -std::sin(angle), 0, std::sin(angle), std::cos(angle), 0};
}

Tensor crop(const Tensor& image, std::int64_t top, std::int64_t left, std::int64_t height, std::int64_t width) {
  const Tensor x = detail::expect_image(image, "crop");
  if (top < 0 || left < 0 || height < 1 || width < 1 || height > x.size(0) - top || width > x.size(1) - left)
    throw ValueError(str("crop: ", height, " × ", width, " at ", top, ", ", left, " is not inside ", x));
  Tensor y = empty({height, width, x.size(2)}, {.dtype = x.dtype()});
  const auto* from = static_cast<const char*>(x.raw_data()) + static_cast<std::size_t>(top) * row_bytes(x) +
                     static_cast<std::size_t>(left * x.size(2)) * x.itemsize();
  auto* to = static_cast<char*>(y.raw_data());
  for (std::int64_t row = 0; row < height; ++row, from += row_bytes(x), to += row_bytes(y))
    std::memcpy(to, from, row_bytes(y));
  return y;
}

Tensor flip_horizontal(const Tensor& image) {
  const Tensor x = detail::expect_image(image, "flip_horizontal");
  Tensor y = empty(x.shape(), {.dtype = x.dtype()});
  const std::int64_t width = x.size(1), rows = x.size(0);
  const auto flip = [&](const auto* from, auto* to, auto channels) {  // a compile-time constant for RGB
    for (std::int64_t row = 0; row < rows; ++row, from += width * channels)
      for (std::int64_t column = width; column-- > 0; to += channels)
        std::memcpy(to, from + column * channels, static_cast<std::size_t>(channels) * sizeof *to);
  };
  with_pixels(x, y, [&](const auto* from, auto* to) {
    if (x.size(2) == 3) flip(from, to, std::integral_constant<std::int64_t, 3>());
    else flip(from, to, x.size(2));
  });
  return y;
}

Tensor flip_vertical(const Tensor& image) {
  const Tensor x = detail::expect_image(image, "flip_vertical");
  Tensor y = empty(x.shape(), {.dtype = x.dtype()});
  const auto* from = static_cast<const char*>(x.raw_data());
  auto* to = static_cast<char*>(y.raw_data()) + row_bytes(x) * static_cast<std::size_t>(x.size(0));
  for (std::int64_t row = 0; row < x.size(0); ++row, from += row_bytes(x))
    std::memcpy(to -= row_bytes(x), from, row_bytes(x));
  return y;
}

Tensor pad_image(const Tensor& image, std::int64_t border, double fill) {
  const Tensor x = detail::expect_image(image, "pad_image");
  if (border < 0) throw ValueError(str("pad_image: border must not be negative, got ", border));
  minima::detail::check_number(
      "pad_image", "fill", fill,
      x.dtype() == DType::uint8 ? minima::detail::from_to(0, 255) : minima::detail::any_number);
  const auto padded = [&](int dim) {
    return minima::detail::fit(x.size(dim) + 2 * minima::detail::Wide{border}, "pad_image");
  };
  Tensor y = empty({padded(0), padded(1), x.size(2)}, {.dtype = x.dtype()});
  with_pixels(x, y, [&](const auto* from, auto* to) {
    using T = std::remove_pointer_t<decltype(to)>;
    std::fill_n(to, y.numel(), static_cast<T>(fill));
    const std::int64_t in_row = x.size(1) * x.size(2), out_row = y.size(1) * y.size(2);
    to += border * (out_row + x.size(2));
    for (std::int64_t row = 0; row < x.size(0); ++row, from += in_row, to += out_row) std::copy_n(from, in_row, to);
  });
  return y;
}

Tensor warp(const Tensor& image, const Affine& map, double fill) {
  const Tensor x = detail::expect_image(image, "warp");
  Tensor y = empty(x.shape(), {.dtype = x.dtype()});
  with_pixels(x, y, [&](const auto* from, auto* to) {
    warp_pixels(from, x.size(0), x.size(1), x.size(2), map, static_cast<float>(fill), to);
  });
  return y;
}

}  // namespace minima::data
