#include <minima/data/transforms/transforms.h>

#include <minima/data/images/decode.h>
#include <minima/data/images/geometry.h>
#include <minima/data/sampling/random.h>
#include <minima/data/transforms/apply.h>
#include <minima/data/transforms/check_options.h>
#include <minima/data/transforms/colour.h>
#include <minima/data/transforms/distort.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/layout/checked.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace minima::data {

namespace {

void at_least_one(const char* what, std::int64_t size) {
  if (size < 1) throw ValueError(str(what, ": size must be at least 1, got ", size));
}

}  // namespace

std::array<std::int64_t, 2> ResizeSize::of(std::int64_t image_height, std::int64_t image_width) const {
  at_least_one("Resize", std::min(height, width));
  if (!keeps_ratio) return {height, width};
  const std::int64_t shorter = std::min(image_height, image_width);
  const auto scaled = [&](std::int64_t side, std::int64_t wanted) {
    return std::max<std::int64_t>(1, minima::detail::fit(minima::detail::Wide{side} * wanted / shorter, "Resize"));
  };
  return {scaled(image_height, height), scaled(image_width, width)};
}

Tensor Resize::operator()(const Tensor& image) const {
  Tensor x = detail::expect_image(image, "Resize");
  const auto [height, width] = size.of(x.size(0), x.size(1));
  if (height == x.size(0) && width == x.size(1)) return x;
  const Box whole{0, 0, static_cast<double>(x.size(0)), static_cast<double>(x.size(1))};
  return resize(x, whole, height, width);
}

Tensor CenterCrop::operator()(const Tensor& image) const {
  at_least_one("CenterCrop", size);
  Tensor x = detail::expect_image(image, "CenterCrop");
  const auto lacking = [&](int dim) { return std::max<std::int64_t>(0, size - x.size(dim)); };
  const std::int64_t rows = lacking(0), columns = lacking(1);
  if (rows > 0 || columns > 0)
    x = Pad{.left = columns / 2, .top = rows / 2, .right = (columns + 1) / 2, .bottom = (rows + 1) / 2}(x);
  return crop(x, detail::centred(x.size(0) - size), detail::centred(x.size(1) - size), size, size);
}

Tensor RandomCrop::operator()(const Tensor& image, RandomStream& random) const {
  at_least_one("RandomCrop", size);
  detail::check_options(*this);
  const Tensor x = padding > 0 ? pad_image(image, padding) : detail::expect_image(image, "RandomCrop");
  if (x.size(0) < size || x.size(1) < size)
    throw ShapeError(str("RandomCrop: ", size, " × ", size, " does not fit in ", x, "; pad or resize first"));
  const std::int64_t top = random.below(x.size(0) - size + 1), left = random.below(x.size(1) - size + 1);
  return crop(x, top, left, size, size);
}

Box RandomResizedCrop::box(std::int64_t rows, std::int64_t columns, RandomStream& random) const {
  at_least_one("RandomResizedCrop", size);
  detail::check_options(*this);
  const auto height = static_cast<double>(rows), width = static_cast<double>(columns);
  constexpr int tries = 10;
  for (int i = 0; i < tries; ++i) {
    const double area = height * width * random.uniform(scale.low, scale.high);
    const double aspect = random.log_uniform(ratio);
    const double w = std::nearbyint(std::sqrt(area * aspect)), h = std::nearbyint(std::sqrt(area / aspect));
    if (w < 1 || h < 1 || w > width || h > height) continue;
    const auto top = static_cast<double>(random.below(static_cast<std::int64_t>(height - h) + 1));
    const auto left = static_cast<double>(random.below(static_cast<std::int64_t>(width - w) + 1));
    return {top, left, h, w};
  }
  // Fallback for very long images: a central crop with the nearest allowed ratio.
  double h = height, w = width;
  if (width / height < ratio.low) h = std::nearbyint(width / ratio.low);
  else if (width / height > ratio.high) w = std::nearbyint(height * ratio.high);
  h = std::clamp(h, 1.0, height);
  w = std::clamp(w, 1.0, width);
  return {std::floor((height - h) / 2), std::floor((width - w) / 2), h, w};
}

Tensor RandomResizedCrop::operator()(const Tensor& image, RandomStream& random) const {
  const Tensor x = detail::expect_image(image, "RandomResizedCrop");
  return resize(x, box(x.size(0), x.size(1), random), size, size);
}

Tensor RandomResizedCrop::operator()(ImageDecoder& image, RandomStream& random) const {
  Box drawn = box(image.height(), image.width(), random);
  const auto whole = [](double x) { return static_cast<std::int64_t>(x); };  // the box is in whole pixels
  thread_local Tensor pixels;
  const PixelBox decoded =
      image.decode({whole(drawn.top), whole(drawn.left), whole(drawn.height), whole(drawn.width)}, pixels);
  drawn.top -= static_cast<double>(decoded.top);
  drawn.left -= static_cast<double>(decoded.left);
  return resize(pixels, drawn, size, size);
}

Tensor RandomHorizontalFlip::operator()(const Tensor& image, RandomStream& random) const {
  detail::check_probability("RandomHorizontalFlip", probability);
  return random.chance(probability) ? flip_horizontal(image) : image;
}

Tensor RandomVerticalFlip::operator()(const Tensor& image, RandomStream& random) const {
  detail::check_probability("RandomVerticalFlip", probability);
  return random.chance(probability) ? flip_vertical(image) : image;
}

ColorJitter::Change ColorJitter::draw(RandomStream& random) const {
  detail::check_options(*this);
  const auto factor = [&](double range) { return std::max(0.0, random.uniform(1 - range, 1 + range)); };
  const double b = factor(brightness), c = factor(contrast), s = factor(saturation), h = random.uniform(-hue, hue);
  std::array<int, 4> order{0, 1, 2, 3};
  for (std::size_t i = 3; i > 0; --i)
    std::swap(order[i], order[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i) + 1))]);
  return {{b, c, s, h}, order};
}

Tensor ColorJitter::operator()(const Tensor& image, RandomStream& random) const {
  const auto [values, order] = draw(random);
  Tensor x = image;
  for (const int step : order) {
    if (step == 0 && brightness > 0) x = adjust_brightness(x, values[0]);
    if (step == 1 && contrast > 0) x = adjust_contrast(x, values[1]);
    if (step == 2 && saturation > 0) x = adjust_saturation(x, values[2]);
    if (step == 3 && hue > 0) x = adjust_hue(x, values[3]);
  }
  return x;
}

Tensor RandomRotation::operator()(const Tensor& image, RandomStream& random) const {
  detail::check_options(*this);
  const Tensor x = detail::expect_image(image, "RandomRotation");
  detail::check_fill("RandomRotation", fill, x.dtype());
  return warp(x, Affine::rotation(random.uniform(-degrees, degrees)), fill);
}

}  // namespace minima::data
