#include <minima/data/transforms/change_pixels.h>

#include <minima/autograd/mode.h>
#include <minima/data/images/geometry.h>
#include <minima/data/transforms/colour.h>
#include <minima/ops/op.h>
#include <minima/tensor/pinned.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace minima::data {

namespace {

using detail::PixelChange;
using detail::PixelChangeNumbers;

/// Applies one operation to each image of a batch.
struct ChangePixels {
  static constexpr Traits traits{.name = "change_pixels"};
  const std::vector<PixelChange>* changes;

  TensorSpec result(const Tensor& x, const Tensor&) const { return spec_of(x.shape(), DType::uint8, x.device()); }
  Cost cost(const Tensor& x, const Tensor&) const {
    const auto count = static_cast<double>(x.numel());
    return {.flops = 4 * count, .bytes = 3 * count};
  }
  void cpu(const Tensor& x, const Tensor&, Tensor& y) const {
    const auto bytes = static_cast<std::size_t>(x.numel() / x.size(0));
    parallel_for(0, x.size(0), 1, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        const std::size_t at = static_cast<std::size_t>(i) * bytes;
        const Tensor image = empty({x.size(1), x.size(2), x.size(3)}, {.dtype = DType::uint8});
        std::memcpy(image.raw_data(), x.data<std::uint8_t>() + at, bytes);
        std::memcpy(y.data<std::uint8_t>() + at,
                    detail::changed(image, (*changes)[static_cast<std::size_t>(i)]).raw_data(), bytes);
      }
    });
  }
  void cuda(const Tensor& x, const Tensor& numbers, Tensor& y) const {
    const Tensor tables = empty({x.size(0), x.size(3), 256}, {.dtype = DType::uint8, .device = x.device()});
    detail::change_pixels_cuda({x.size(0), x.size(1), x.size(2), static_cast<int>(x.size(3))}, x.data<std::uint8_t>(),
                               numbers.data<double>(), tables.data<std::uint8_t>(), y.data<std::uint8_t>());
  }
};

/// The changes' parameters, float64 [B, count], on the images' device.
Tensor numbers_of(const std::vector<PixelChange>& changes, const Tensor& images) {
  Tensor numbers = empty_pinned(Layout::contiguous({images.size(0), PixelChangeNumbers::count}), DType::float64);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const PixelChange& c = changes[i];
    const double row[PixelChangeNumbers::count] = {
        static_cast<double>(c.kind), c.value, c.fill, c.map[0], c.map[1], c.map[2], c.map[3], c.map[4], c.map[5]};
    std::memcpy(numbers.data<double>() + i * PixelChangeNumbers::count, row, sizeof row);
  }
  return numbers.to(images.device());
}

}  // namespace

PixelChange detail::change_of(Operation operation, double m, double fill, std::int64_t height, std::int64_t width) {
  const auto warp = [&](const Affine& to) {
    return PixelChange{.kind = PixelChange::warp, .map = {to.a, to.b, to.c, to.d, to.e, to.f}, .fill = fill};
  };
  const auto with = [](PixelChange::Kind kind, double value) { return PixelChange{.kind = kind, .value = value}; };
  switch (operation) {
    case Operation::identity: return {};
    case Operation::shear_x:  // about the upper left corner
      return warp({1, -m, -m * static_cast<double>(height) / 2, 0, 1, 0});
    case Operation::shear_y: return warp({1, 0, 0, -m, 1, -m * static_cast<double>(width) / 2});
    case Operation::translate_x: return warp({1, 0, -std::trunc(m), 0, 1, 0});
    case Operation::translate_y: return warp({1, 0, 0, 0, 1, -std::trunc(m)});
    case Operation::rotate: return warp(Affine::rotation(m));
    case Operation::brightness: return with(PixelChange::brightness, 1 + m);
    case Operation::color: return with(PixelChange::saturation, 1 + m);
    case Operation::contrast: return with(PixelChange::contrast, 1 + m);
    case Operation::sharpness: return with(PixelChange::sharpness, 1 + m);
    case Operation::posterize: return with(PixelChange::posterize, std::trunc(m));
    case Operation::solarize: return with(PixelChange::solarize, m);
    case Operation::auto_contrast: return with(PixelChange::auto_contrast, 0);
    case Operation::equalize: return with(PixelChange::equalize, 0);
    case Operation::invert: return with(PixelChange::solarize, 0);
  }
  return {};
}

Tensor detail::changed(const Tensor& x, const PixelChange& change) {
  switch (change.kind) {
    case PixelChange::identity: return x;
    case PixelChange::brightness: return adjust_brightness(x, change.value);
    case PixelChange::contrast: return adjust_contrast(x, change.value);
    case PixelChange::posterize: return posterize(x, static_cast<int>(change.value));
    case PixelChange::solarize: return solarize(x, change.value);
    case PixelChange::auto_contrast: return auto_contrast(x);
    case PixelChange::equalize: return equalize(x);
    case PixelChange::saturation: return adjust_saturation(x, change.value);
    case PixelChange::sharpness: return adjust_sharpness(x, change.value);
    case PixelChange::warp: {
      const double* m = change.map;
      return warp(x, {m[0], m[1], m[2], m[3], m[4], m[5]}, change.fill);
    }
  }
  return x;
}

Tensor detail::changed(const Tensor& images, const std::vector<PixelChanges>& changes) {
  const NoGrad off_record;
  std::size_t turns = 0;
  for (const PixelChanges& of_image : changes) turns = std::max(turns, of_image.size());
  Tensor y = images;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    std::vector<PixelChange> now;
    for (const PixelChanges& of_image : changes) now.push_back(turn < of_image.size() ? of_image[turn] : PixelChange{});
    y = apply(ChangePixels{&now}, y, numbers_of(now, y));
  }
  return y;
}

}  // namespace minima::data
