#include <minima/data/transforms/transforms.h>

#include <minima/data/images/geometry.h>
#include <minima/data/sampling/random.h>
#include <minima/data/transforms/change_pixels.h>
#include <minima/data/transforms/check_options.h>
#include <minima/data/transforms/pixel_change.h>
#include <minima/tensor/tensor.h>

#include <cmath>
#include <cstdint>

namespace minima::data {

namespace {

using detail::PixelChange;

/// Draws RandAugment's next operation for an image of this size.
PixelChange draw_change(const RandAugment& rule, std::int64_t height, std::int64_t width, RandomStream& random) {
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

}  // namespace

detail::PixelChanges detail::draw_changes(const RandAugment& rule, std::int64_t height, std::int64_t width,
                                          RandomStream& random) {
  check_options(rule);
  check_fill("RandAugment", rule.fill, DType::uint8);
  PixelChanges changes;
  for (int i = 0; i < rule.operations; ++i) changes.push_back(draw_change(rule, height, width, random));
  return changes;
}

Tensor RandAugment::operator()(const Tensor& image, RandomStream& random) const {
  Tensor x = detail::expect_image(image, "RandAugment");
  for (const PixelChange& change : detail::draw_changes(*this, x.size(0), x.size(1), random))
    x = detail::changed(x, change);
  return x;
}

}  // namespace minima::data
