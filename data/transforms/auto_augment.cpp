#include <minima/data/transforms/auto_augment.h>

#include <minima/data/images/geometry.h>
#include <minima/data/sampling/random.h>
#include <minima/data/transforms/batch.h>
#include <minima/data/transforms/change_pixels.h>
#include <minima/data/transforms/check_options.h>
#include <minima/data/transforms/pixel_change.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace minima::data {

namespace {

using detail::Operation;
using detail::PixelChange;
using detail::PixelChanges;

struct PolicyStep {
  Operation operation;
  double probability;
  int level;  ///< 0 … 9
};
struct SubPolicy {
  PolicyStep first, second;
};

constexpr SubPolicy imagenet_policy[] = {
    {{Operation::posterize, 0.4, 8}, {Operation::rotate, 0.6, 9}},
    {{Operation::solarize, 0.6, 5}, {Operation::auto_contrast, 0.6, 0}},
    {{Operation::equalize, 0.8, 0}, {Operation::equalize, 0.6, 0}},
    {{Operation::posterize, 0.6, 7}, {Operation::posterize, 0.6, 6}},
    {{Operation::equalize, 0.4, 0}, {Operation::solarize, 0.2, 4}},
    {{Operation::equalize, 0.4, 0}, {Operation::rotate, 0.8, 8}},
    {{Operation::solarize, 0.6, 3}, {Operation::equalize, 0.6, 0}},
    {{Operation::posterize, 0.8, 5}, {Operation::equalize, 1, 0}},
    {{Operation::rotate, 0.2, 3}, {Operation::solarize, 0.6, 8}},
    {{Operation::equalize, 0.6, 0}, {Operation::posterize, 0.4, 6}},
    {{Operation::rotate, 0.8, 8}, {Operation::color, 0.4, 0}},
    {{Operation::rotate, 0.4, 9}, {Operation::equalize, 0.6, 0}},
    {{Operation::equalize, 0, 0}, {Operation::equalize, 0.8, 0}},
    {{Operation::invert, 0.6, 0}, {Operation::equalize, 1, 0}},
    {{Operation::color, 0.6, 4}, {Operation::contrast, 1, 8}},
    {{Operation::rotate, 0.8, 8}, {Operation::color, 1, 2}},
    {{Operation::color, 0.8, 8}, {Operation::solarize, 0.8, 7}},
    {{Operation::sharpness, 0.4, 7}, {Operation::invert, 0.6, 0}},
    {{Operation::shear_x, 0.6, 5}, {Operation::equalize, 1, 0}},
    {{Operation::color, 0.4, 0}, {Operation::equalize, 0.6, 0}},
    {{Operation::equalize, 0.4, 0}, {Operation::solarize, 0.2, 4}},
    {{Operation::solarize, 0.6, 5}, {Operation::auto_contrast, 0.6, 0}},
    {{Operation::invert, 0.6, 0}, {Operation::equalize, 1, 0}},
    {{Operation::color, 0.6, 4}, {Operation::contrast, 1, 8}},
    {{Operation::equalize, 0.8, 0}, {Operation::equalize, 0.6, 0}},
};
constexpr SubPolicy cifar10_policy[] = {
    {{Operation::invert, 0.1, 0}, {Operation::contrast, 0.2, 6}},
    {{Operation::rotate, 0.7, 2}, {Operation::translate_x, 0.3, 9}},
    {{Operation::sharpness, 0.8, 1}, {Operation::sharpness, 0.9, 3}},
    {{Operation::shear_y, 0.5, 8}, {Operation::translate_y, 0.7, 9}},
    {{Operation::auto_contrast, 0.5, 0}, {Operation::equalize, 0.9, 0}},
    {{Operation::shear_y, 0.2, 7}, {Operation::posterize, 0.3, 7}},
    {{Operation::color, 0.4, 3}, {Operation::brightness, 0.6, 7}},
    {{Operation::sharpness, 0.3, 9}, {Operation::brightness, 0.7, 9}},
    {{Operation::equalize, 0.6, 0}, {Operation::equalize, 0.5, 0}},
    {{Operation::contrast, 0.6, 7}, {Operation::sharpness, 0.6, 5}},
    {{Operation::color, 0.7, 7}, {Operation::translate_x, 0.5, 8}},
    {{Operation::equalize, 0.3, 0}, {Operation::auto_contrast, 0.4, 0}},
    {{Operation::translate_y, 0.4, 3}, {Operation::sharpness, 0.2, 6}},
    {{Operation::brightness, 0.9, 6}, {Operation::color, 0.2, 8}},
    {{Operation::solarize, 0.5, 2}, {Operation::invert, 0, 0}},
    {{Operation::equalize, 0.2, 0}, {Operation::auto_contrast, 0.6, 0}},
    {{Operation::equalize, 0.2, 0}, {Operation::equalize, 0.6, 0}},
    {{Operation::color, 0.9, 9}, {Operation::equalize, 0.6, 0}},
    {{Operation::auto_contrast, 0.8, 0}, {Operation::solarize, 0.2, 8}},
    {{Operation::brightness, 0.1, 3}, {Operation::color, 0.7, 0}},
    {{Operation::solarize, 0.4, 5}, {Operation::auto_contrast, 0.9, 0}},
    {{Operation::translate_y, 0.9, 9}, {Operation::translate_y, 0.7, 9}},
    {{Operation::auto_contrast, 0.9, 0}, {Operation::solarize, 0.8, 3}},
    {{Operation::equalize, 0.8, 0}, {Operation::invert, 0.1, 0}},
    {{Operation::translate_y, 0.7, 9}, {Operation::auto_contrast, 0.9, 0}},
};
constexpr SubPolicy svhn_policy[] = {
    {{Operation::shear_x, 0.9, 4}, {Operation::invert, 0.2, 0}},
    {{Operation::shear_y, 0.9, 8}, {Operation::invert, 0.7, 0}},
    {{Operation::equalize, 0.6, 0}, {Operation::solarize, 0.6, 6}},
    {{Operation::invert, 0.9, 0}, {Operation::equalize, 0.6, 0}},
    {{Operation::equalize, 0.6, 0}, {Operation::rotate, 0.9, 3}},
    {{Operation::shear_x, 0.9, 4}, {Operation::auto_contrast, 0.8, 0}},
    {{Operation::shear_y, 0.9, 8}, {Operation::invert, 0.4, 0}},
    {{Operation::shear_y, 0.9, 5}, {Operation::solarize, 0.2, 6}},
    {{Operation::invert, 0.9, 0}, {Operation::auto_contrast, 0.8, 0}},
    {{Operation::equalize, 0.6, 0}, {Operation::rotate, 0.9, 3}},
    {{Operation::shear_x, 0.9, 4}, {Operation::solarize, 0.3, 3}},
    {{Operation::shear_y, 0.8, 8}, {Operation::invert, 0.7, 0}},
    {{Operation::equalize, 0.9, 0}, {Operation::translate_y, 0.6, 6}},
    {{Operation::invert, 0.9, 0}, {Operation::equalize, 0.6, 0}},
    {{Operation::contrast, 0.3, 3}, {Operation::rotate, 0.8, 4}},
    {{Operation::invert, 0.8, 0}, {Operation::translate_y, 0, 2}},
    {{Operation::shear_y, 0.7, 6}, {Operation::solarize, 0.4, 8}},
    {{Operation::invert, 0.6, 0}, {Operation::rotate, 0.8, 4}},
    {{Operation::shear_y, 0.3, 7}, {Operation::translate_x, 0.9, 3}},
    {{Operation::shear_x, 0.1, 6}, {Operation::invert, 0.6, 0}},
    {{Operation::solarize, 0.7, 2}, {Operation::translate_y, 0.6, 7}},
    {{Operation::shear_y, 0.8, 4}, {Operation::invert, 0.8, 0}},
    {{Operation::shear_x, 0.7, 9}, {Operation::translate_y, 0.8, 3}},
    {{Operation::shear_y, 0.8, 5}, {Operation::auto_contrast, 0.7, 0}},
    {{Operation::shear_x, 0.7, 2}, {Operation::invert, 0.1, 0}},
};

std::span<const SubPolicy> policy_of(AutoAugment::Policy policy) {
  if (policy == AutoAugment::Policy::cifar10) return cifar10_policy;
  if (policy == AutoAugment::Policy::svhn) return svhn_policy;
  return imagenet_policy;
}

/// The largest magnitudes of a policy's operations; those of posterize are bits.
struct Strongest {
  double shear, shift_x, shift_y, degrees, factor;
  double bits_before, bits_less;
};

/// The magnitude of a level from 0, the weakest, to 1.
double magnitude_of(Operation operation, double level, const Strongest& strongest) {
  switch (operation) {
    case Operation::shear_x:
    case Operation::shear_y: return strongest.shear * level;
    case Operation::translate_x: return strongest.shift_x * level;
    case Operation::translate_y: return strongest.shift_y * level;
    case Operation::rotate: return strongest.degrees * level;
    case Operation::posterize: return strongest.bits_before - std::nearbyint(strongest.bits_less * level);
    case Operation::solarize: return 255 * (1 - level);
    case Operation::brightness:
    case Operation::color:
    case Operation::contrast:
    case Operation::sharpness: return strongest.factor * level;
    default: return 0;
  }
}

/// One of a policy's operations on images of one size.
struct Drawing {
  std::int64_t height, width;
  double fill;
  Strongest strongest;
  PixelChange operator()(Operation operation, double level, RandomStream& random) const {
    double magnitude = magnitude_of(operation, level, strongest);
    if (detail::is_signed(operation) && random.chance(0.5)) magnitude = -magnitude;
    return detail::change_of(operation, magnitude, fill, height, width);
  }
};

Tensor expect_bytes(const Tensor& image, const char* what) {
  Tensor x = detail::expect_image(image, what);
  if (x.dtype() != DType::uint8) throw DTypeError(str(what, ": expected a uint8 image, got ", x));
  return x;
}

Tensor changed(Tensor x, const PixelChanges& changes) {
  for (const PixelChange& change : changes) x = detail::changed(x, change);
  return x;
}

}  // namespace

PixelChanges detail::draw_changes(const AutoAugment& rule, std::int64_t height, std::int64_t width,
                                  RandomStream& random) {
  check_fill("AutoAugment", rule.fill, DType::uint8);
  const double share = 150.0 / 331;
  const Drawing draw{height,
                     width,
                     rule.fill,
                     {0.3, share * static_cast<double>(width), share * static_cast<double>(height), 30, 0.9, 8, 4}};
  const SubPolicy& chosen = policy_of(rule.policy)[static_cast<std::size_t>(random.below(25))];
  PixelChanges changes;
  for (const PolicyStep& step : {chosen.first, chosen.second})
    if (random.chance(step.probability)) changes.push_back(draw(step.operation, step.level / 9.0, random));
  return changes;
}

PixelChanges detail::draw_changes(const TrivialAugmentWide& rule, std::int64_t height, std::int64_t width,
                                  RandomStream& random) {
  if (rule.bins < 2) throw ValueError(str("TrivialAugmentWide: bins must be at least 2, got ", rule.bins));
  check_fill("TrivialAugmentWide", rule.fill, DType::uint8);
  const Drawing draw{height, width, rule.fill, {0.99, 32, 32, 135, 0.99, 8, 6}};
  const auto operation = static_cast<Operation>(random.below(14));
  const double level = static_cast<double>(random.below(rule.bins)) / (rule.bins - 1);
  return {draw(operation, level, random)};
}

detail::PixelMixture detail::draw_mixture(const AugMix& rule, std::int64_t height, std::int64_t width,
                                          RandomStream& random) {
  const auto& [severity, width_of_mixture, depth, alpha, all_ops, fill] = rule;
  check_options(rule);
  check_fill("AugMix", fill, DType::uint8);
  constexpr Operation operations[] = {Operation::shear_x,     Operation::shear_y,       Operation::translate_x,
                                      Operation::translate_y, Operation::rotate,        Operation::posterize,
                                      Operation::solarize,    Operation::auto_contrast, Operation::equalize,
                                      Operation::brightness,  Operation::color,         Operation::contrast,
                                      Operation::sharpness};
  const Drawing draw{
      height, width, fill, {0.3, static_cast<double>(width) / 3, static_cast<double>(height) / 3, 30, 0.9, 4, 4}};
  PixelMixture mixture{.kept = draw_beta(alpha, random)};
  double total = 0;
  for (int i = 0; i < width_of_mixture; ++i) total += mixture.shares.emplace_back(draw_gamma(alpha, random));
  for (double& share : mixture.shares)
    share = (1 - mixture.kept) * (total > 0 ? share / total : 1.0 / width_of_mixture);
  for (int i = 0; i < width_of_mixture; ++i) {
    PixelChanges& chain = mixture.chains.emplace_back();
    const std::int64_t steps = depth > 0 ? depth : 1 + random.below(3);
    for (std::int64_t step = 0; step < steps; ++step) {
      const Operation operation = operations[random.below(all_ops ? 13 : 9)];
      chain.push_back(draw(operation, static_cast<double>(random.below(severity)) / 9, random));
    }
  }
  return mixture;
}

Tensor AutoAugment::operator()(const Tensor& image, RandomStream& random) const {
  const Tensor x = expect_bytes(image, "AutoAugment");
  return changed(x, detail::draw_changes(*this, x.size(0), x.size(1), random));
}

Tensor TrivialAugmentWide::operator()(const Tensor& image, RandomStream& random) const {
  const Tensor x = expect_bytes(image, "TrivialAugmentWide");
  return changed(x, detail::draw_changes(*this, x.size(0), x.size(1), random));
}

Tensor AugMix::operator()(const Tensor& image, RandomStream& random) const {
  const Tensor x = expect_bytes(image, "AugMix");
  const detail::PixelMixture drawn = detail::draw_mixture(*this, x.size(0), x.size(1), random);
  const auto count = static_cast<std::size_t>(x.numel());
  std::vector<double> mixture(count);
  const auto add = [&](const Tensor& part, double share) {
    const auto* pixels = part.data<std::uint8_t>();
    for (std::size_t i = 0; i < count; ++i) mixture[i] += share * pixels[i];
  };
  add(x, drawn.kept);
  for (std::size_t i = 0; i < drawn.chains.size(); ++i) add(changed(x, drawn.chains[i]), drawn.shares[i]);
  Tensor result = empty(x.shape(), {.dtype = DType::uint8});
  for (std::size_t i = 0; i < count; ++i)
    result.data<std::uint8_t>()[i] = static_cast<std::uint8_t>(std::min(255.0, mixture[i] + 1e-9));  // as a cast does
  return result;
}

}  // namespace minima::data
