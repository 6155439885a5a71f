#include <minima/data/transforms/to_tensor.h>

#include <minima/data/images/geometry.h>
#include <minima/data/sampling/random.h>
#include <minima/data/transforms/check_options.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <optional>

namespace minima::data {

namespace {

const Tensor& expect_planes(const Tensor& x, const char* what) {
  if (!x.defined() || x.dtype() != DType::float32 || x.rank() != 3 || !x.is_contiguous())
    throw ValueError(
        str(what, ": expected a contiguous float32 tensor [C, H, W], got ", x, "; put ToTensor before it"));
  return x;
}

}  // namespace

Tensor ToTensor::operator()(const Tensor& image) const {
  const Tensor x = detail::expect_image(image, "ToTensor");
  const std::int64_t channels = x.size(2), pixels = x.size(0) * x.size(1);
  Tensor y = empty({channels, x.size(0), x.size(1)});
  const auto fill = [&](const auto* from, float divisor) {
    float* to = y.data<float>();
    for (std::int64_t c = 0; c < channels; ++c)
      for (std::int64_t i = 0; i < pixels; ++i) *to++ = static_cast<float>(from[i * channels + c]) / divisor;
  };
  if (x.dtype() == DType::uint8) fill(x.data<std::uint8_t>(), 255);
  else fill(x.data<float>(), 1);
  return y;
}

Tensor Normalize::operator()(const Tensor& x) const {
  expect_planes(x, "Normalize");
  const auto channels = static_cast<std::size_t>(x.size(0));
  if (mean.size() != channels || std.size() != channels)
    throw ValueError(str("Normalize: ", mean.size(), " means and ", std.size(), " standard deviations for ", x));
  Tensor y = empty(x.shape());
  const std::int64_t pixels = x.size(1) * x.size(2);
  const float* from = x.data<float>();
  float* to = y.data<float>();
  for (std::size_t c = 0; c < channels; ++c) {
    minima::detail::check_number("Normalize", "mean", mean[c], minima::detail::finite);
    minima::detail::check_number("Normalize", "std", std[c], minima::detail::positive);
    const auto shift = static_cast<float>(mean[c]), scale = static_cast<float>(std[c]);
    for (std::int64_t i = 0; i < pixels; ++i) *to++ = (*from++ - shift) / scale;
  }
  return y;
}

std::optional<Box> RandomErasing::box(std::int64_t height, std::int64_t width, RandomStream& random) const {
  detail::check_options(*this);
  if (!random.chance(probability)) return {};
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double area = static_cast<double>(height * width) * random.uniform(scale.low, scale.high);
    const double aspect = random.log_uniform(ratio);
    const double tall = std::sqrt(area * aspect), wide = std::sqrt(area / aspect);
    if (!(tall < static_cast<double>(height) && wide < static_cast<double>(width))) continue;
    const std::int64_t h = std::llrint(tall), w = std::llrint(wide);
    if (h >= height || w >= width) continue;
    const auto top = static_cast<double>(random.below(height - h + 1));
    const auto left = static_cast<double>(random.below(width - w + 1));
    return Box{top, left, static_cast<double>(h), static_cast<double>(w)};
  }
  return {};
}

Tensor RandomErasing::operator()(const Tensor& x, RandomStream& random) const {
  expect_planes(x, "RandomErasing");
  const std::int64_t channels = x.size(0), height = x.size(1), width = x.size(2);
  const std::optional<Box> erased = box(height, width, random);
  if (!erased) return x;
  const auto whole = [](double at) { return static_cast<std::int64_t>(at); };
  const std::int64_t top = whole(erased->top), left = whole(erased->left), bottom = top + whole(erased->height),
                     right = left + whole(erased->width);
  Tensor y = empty(x.shape());
  std::copy_n(x.data<float>(), x.numel(), y.data<float>());
  for (std::int64_t c = 0; c < channels; ++c)
    for (std::int64_t row = top; row < bottom; ++row)
      for (std::int64_t column = left; column < right; ++column) {
        double pixel = value;
        if (random_values)
          pixel = std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(2 * std::numbers::pi * random.uniform());
        y.data<float>()[(c * height + row) * width + column] = static_cast<float>(pixel);
      }
  return y;
}

}  // namespace minima::data
