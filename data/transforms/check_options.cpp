#include <minima/data/transforms/check_options.h>

#include <minima/data/sampling/random.h>
#include <minima/data/transforms/auto_augment.h>
#include <minima/data/transforms/distort.h>
#include <minima/data/transforms/to_tensor.h>
#include <minima/data/transforms/transforms.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

namespace minima::data::detail {

using minima::detail::check_count;
using minima::detail::check_number;
using minima::detail::from_to;
using minima::detail::not_negative;

namespace {

constexpr int most_operations = 1000;

/// low ≤ high, both in the range.
void check_interval(const char* transform, const char* option, const Interval& value,
                    const minima::detail::Interval& range) {
  check_number(transform, option, value.low, range);
  check_number(transform, option, value.high, range);
  if (value.low > value.high)
    throw ValueError(
        str(transform, ": ", option, " must not begin above its end, got ", value.low, " to ", value.high));
}

/// A fraction of an area that is not 0.
constexpr minima::detail::Interval part{.low = 0, .high = 1, .has_high = true};

}  // namespace

void check_fill(const char* transform, double fill, DType dtype) {
  check_number(transform, "fill", fill, dtype == DType::uint8 ? from_to(0, 255) : minima::detail::finite);
}

void check_probability(const char* transform, double probability) {
  check_number(transform, "probability", probability, minima::detail::fraction);
}

void check_options(const AugMix& rule) {
  if (rule.severity < 1 || rule.severity > 10 || rule.width < 1 || rule.depth < 0 || !(rule.alpha > 0))
    throw ValueError(str("AugMix: needs 1 <= severity <= 10, width >= 1, depth >= 0 and alpha > 0, got ", rule.severity,
                         ", ", rule.width, ", ", rule.depth, " and ", rule.alpha));
  check_count("AugMix", "width", rule.width, 1, most_operations);
  check_count("AugMix", "depth", rule.depth, 0, most_operations);
  check_number("AugMix", "alpha", rule.alpha, minima::detail::positive);
}

void check_options(const ColorJitter& rule) {
  constexpr double most = 1e6;  // times a pixel, in float32
  check_number("ColorJitter", "brightness", rule.brightness, from_to(0, most));
  check_number("ColorJitter", "contrast", rule.contrast, from_to(0, most));
  check_number("ColorJitter", "saturation", rule.saturation, from_to(0, most));
  if (!(rule.hue >= 0 && rule.hue <= 0.5))
    throw ValueError(str("ColorJitter: hue must be from 0 to 0.5, got ", rule.hue));
}

void check_options(const ElasticTransform& rule) {
  check_number("ElasticTransform", "alpha", rule.alpha, minima::detail::finite);
  check_number("ElasticTransform", "sigma", rule.sigma, minima::detail::positive);
}

void check_options(const GaussianBlur& rule) {
  check_interval("GaussianBlur", "sigma", rule.sigma, minima::detail::positive);
}

void check_options(const Pad& rule) {
  if (rule.left < 0 || rule.top < 0 || rule.right < 0 || rule.bottom < 0)
    throw ValueError(str("Pad: borders must not be negative, got ", rule.left, ", ", rule.top, ", ", rule.right,
                         " and ", rule.bottom));
}

void check_options(const RandAugment& rule) {
  if (rule.operations < 0 || rule.magnitude < 0 || rule.magnitude > 30)
    throw ValueError(str("RandAugment: operations must be at least 0 and magnitude from 0 to 30, got ", rule.operations,
                         " and ", rule.magnitude));
  check_count("RandAugment", "operations", rule.operations, 0, most_operations);
}

void check_options(const RandomAffine& rule) {
  constexpr const char* name = "RandomAffine";
  check_number(name, "degrees", rule.degrees, not_negative);
  check_number(name, "translate_x", rule.translate_x, minima::detail::fraction);
  check_number(name, "translate_y", rule.translate_y, minima::detail::fraction);
  check_interval(name, "scale", rule.scale, minima::detail::positive);
  check_number(name, "shear_x", rule.shear_x, not_negative);
  check_number(name, "shear_y", rule.shear_y, not_negative);
}

void check_options(const RandomCrop& rule) { check_count("RandomCrop", "padding", rule.padding, 0); }

void check_options(const RandomErasing& rule) {
  check_probability("RandomErasing", rule.probability);
  check_interval("RandomErasing", "scale", rule.scale, part);
  check_interval("RandomErasing", "ratio", rule.ratio, minima::detail::positive);
}

void check_options(const RandomPerspective& rule) {
  check_number("RandomPerspective", "distortion", rule.distortion, minima::detail::fraction);
  check_probability("RandomPerspective", rule.probability);
}

void check_options(const RandomResizedCrop& rule) {
  check_interval("RandomResizedCrop", "scale", rule.scale, part);
  check_interval("RandomResizedCrop", "ratio", rule.ratio, minima::detail::positive);
}

void check_options(const RandomRotation& rule) {
  check_number("RandomRotation", "degrees", rule.degrees, not_negative);
}

}  // namespace minima::data::detail
