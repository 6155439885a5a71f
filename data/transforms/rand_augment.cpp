#include <minima/data/transforms/augment.h>

#include <minima/autograd/mode.h>
#include <minima/data/images/geometry.h>
#include <minima/data/sampling/random.h>
#include <minima/data/transforms/colour.h>
#include <minima/data/transforms/pixel_change.h>
#include <minima/data/transforms/transforms.h>
#include <minima/ops/op.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/pinned.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace minima::data {

namespace {

using detail::PixelChange;
using detail::PixelChangeNumbers;

/// Draws RandAugment's next operation for an image of this size.
PixelChange draw_change(const RandAugment& rule, std::int64_t height, std::int64_t width, RandomStream& random) {
  if (rule.operations < 0 || rule.magnitude < 0 || rule.magnitude > 30)
    throw ValueError(str("RandAugment: operations must be at least 0 and magnitude from 0 to 30, got ", rule.operations,
                         " and ", rule.magnitude));
  const double m = rule.magnitude / 30.0;
  const std::int64_t operation = random.below(14);
  const double s = random.chance(0.5) ? 1 : -1;
  const double shear = 0.3 * m * s, shift = 150.0 / 331 * m * s, factor = 1 + 0.9 * m * s;
  const auto warp = [&](const Affine& m) {
    return PixelChange{.kind = PixelChange::warp, .map = {m.a, m.b, m.c, m.d, m.e, m.f}, .fill = rule.fill};
  };
  const auto with = [](PixelChange::Kind kind, double value) { return PixelChange{.kind = kind, .value = value}; };
  switch (operation) {
    case 0: return {};
    case 1: return warp({1, -shear, 0, 0, 1, 0});
    case 2: return warp({1, 0, 0, -shear, 1, 0});
    case 3: return warp({1, 0, -shift * static_cast<double>(width), 0, 1, 0});
    case 4: return warp({1, 0, 0, 0, 1, -shift * static_cast<double>(height)});
    case 5: return warp(Affine::rotation(30 * m * s));
    case 6: return with(PixelChange::brightness, factor);
    case 7: return with(PixelChange::saturation, factor);
    case 8: return with(PixelChange::contrast, factor);
    case 9: return with(PixelChange::sharpness, factor);
    case 10: return with(PixelChange::posterize, 8 - static_cast<double>(std::lround(4 * m)));
    case 11: return with(PixelChange::solarize, 255 * (1 - m));
    case 12: return with(PixelChange::auto_contrast, 0);
    default: return with(PixelChange::equalize, 0);
  }
}

Tensor changed(const Tensor& x, const PixelChange& change) {
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

/// Applies one operation to each image of a batch.
struct ChangePixels {
  static constexpr Traits traits{.name = "rand_augment_images"};
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
        std::memcpy(y.data<std::uint8_t>() + at, changed(image, (*changes)[static_cast<std::size_t>(i)]).raw_data(),
                    bytes);
      }
    });
  }
  void cuda(const Tensor& x, const Tensor& numbers, Tensor& y) const {
    const Tensor tables = empty({x.size(0), x.size(3), 256}, {.dtype = DType::uint8, .device = x.device()});
    detail::change_pixels_cuda({x.size(0), x.size(1), x.size(2), static_cast<int>(x.size(3))}, x.data<std::uint8_t>(),
                               numbers.data<double>(), tables.data<std::uint8_t>(), y.data<std::uint8_t>());
  }
};

}  // namespace

Tensor RandAugment::operator()(const Tensor& image, RandomStream& random) const {
  Tensor x = detail::expect_image(image, "RandAugment");
  for (int i = 0; i < operations; ++i) x = changed(x, draw_change(*this, x.size(0), x.size(1), random));
  return x;
}

Tensor rand_augment_images(const Tensor& x, const RandAugment& rule, RandomStream& random) {
  if (!x.defined() || x.rank() != 4 || (x.size(3) != 1 && x.size(3) != 3) || !x.is_contiguous() || x.numel() == 0)
    throw ShapeError(str("rand_augment_images: expected contiguous images [B, H, W, C] with 1 or 3 channels, got ", x));
  if (x.dtype() != DType::uint8) throw DTypeError(str("rand_augment_images: expected uint8 images, got ", x));
  const NoGrad off_record;
  const auto count = static_cast<std::size_t>(x.size(0)),
             rounds = static_cast<std::size_t>(std::max(0, rule.operations));
  std::vector<std::vector<PixelChange>> changes(rounds, std::vector<PixelChange>(count));
  for (std::size_t i = 0; i < count; ++i)
    for (auto& round : changes) round[i] = draw_change(rule, x.size(1), x.size(2), random);
  Tensor y = x;
  for (const auto& round : changes) {
    Tensor numbers = empty_pinned(Layout::contiguous({x.size(0), PixelChangeNumbers::count}), DType::float64);
    for (std::size_t i = 0; i < count; ++i) {
      const PixelChange& c = round[i];
      const double row[PixelChangeNumbers::count] = {
          static_cast<double>(c.kind), c.value, c.fill, c.map[0], c.map[1], c.map[2], c.map[3], c.map[4], c.map[5]};
      std::memcpy(numbers.data<double>() + i * PixelChangeNumbers::count, row, sizeof row);
    }
    y = apply(ChangePixels{&round}, y, numbers.to(x.device()));
  }
  return y;
}

}  // namespace minima::data
