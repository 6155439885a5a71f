#include <minima/data/transforms/auto_augment.h>

#include <minima/data/images/geometry.h>
#include <minima/data/sampling/random.h>
#include <minima/data/transforms/batch.h>
#include <minima/data/transforms/operation.h>
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

Tensor apply_level(const Tensor& x, Operation operation, double level, const Strongest& strongest, double fill,
                   RandomStream& random) {
  double magnitude = magnitude_of(operation, level, strongest);
  if (detail::is_signed(operation) && random.chance(0.5)) magnitude = -magnitude;
  return detail::applied(x, operation, magnitude, fill);
}

Tensor expect_bytes(const Tensor& image, const char* what) {
  Tensor x = detail::expect_image(image, what);
  if (x.dtype() != DType::uint8) throw DTypeError(str(what, ": expected a uint8 image, got ", x));
  return x;
}

}  // namespace

Tensor AutoAugment::operator()(const Tensor& image, RandomStream& random) const {
  Tensor x = expect_bytes(image, "AutoAugment");
  const Strongest strongest{
      0.3, 150.0 / 331 * static_cast<double>(x.size(1)), 150.0 / 331 * static_cast<double>(x.size(0)), 30, 0.9, 8, 4};
  const SubPolicy& chosen = policy_of(policy)[static_cast<std::size_t>(random.below(25))];
  for (const PolicyStep& step : {chosen.first, chosen.second})
    if (random.chance(step.probability)) x = apply_level(x, step.operation, step.level / 9.0, strongest, fill, random);
  return x;
}

Tensor TrivialAugmentWide::operator()(const Tensor& image, RandomStream& random) const {
  if (bins < 2) throw ValueError(str("TrivialAugmentWide: bins must be at least 2, got ", bins));
  const Tensor x = expect_bytes(image, "TrivialAugmentWide");
  const auto operation = static_cast<Operation>(random.below(14));
  const double level = static_cast<double>(random.below(bins)) / (bins - 1);
  return apply_level(x, operation, level, {0.99, 32, 32, 135, 0.99, 8, 6}, fill, random);
}

Tensor AugMix::operator()(const Tensor& image, RandomStream& random) const {
  if (severity < 1 || severity > 10 || width < 1 || depth < 0 || !(alpha > 0))
    throw ValueError(str("AugMix: needs 1 <= severity <= 10, width >= 1, depth >= 0 and alpha > 0, got ", severity,
                         ", ", width, ", ", depth, " and ", alpha));
  constexpr Operation operations[] = {Operation::shear_x,     Operation::shear_y,       Operation::translate_x,
                                      Operation::translate_y, Operation::rotate,        Operation::posterize,
                                      Operation::solarize,    Operation::auto_contrast, Operation::equalize,
                                      Operation::brightness,  Operation::color,         Operation::contrast,
                                      Operation::sharpness};
  const Tensor x = expect_bytes(image, "AugMix");
  const Strongest strongest{0.3, static_cast<double>(x.size(1)) / 3, static_cast<double>(x.size(0)) / 3, 30, 0.9, 4, 4};
  const double kept = draw_beta(alpha, random);
  std::vector<double> shares;
  double total = 0;
  for (int i = 0; i < width; ++i) total += shares.emplace_back(detail::draw_gamma(alpha, random));
  const auto count = static_cast<std::size_t>(x.numel());
  std::vector<double> mixture(count);
  const auto add = [&](const Tensor& part, double share) {
    const auto* pixels = part.data<std::uint8_t>();
    for (std::size_t i = 0; i < count; ++i) mixture[i] += share * pixels[i];
  };
  add(x, kept);
  for (const double share : shares) {
    Tensor chain = x;
    const std::int64_t steps = depth > 0 ? depth : 1 + random.below(3);
    for (std::int64_t i = 0; i < steps; ++i) {
      const Operation operation = operations[random.below(all_ops ? 13 : 9)];
      chain = apply_level(chain, operation, static_cast<double>(random.below(severity)) / 9, strongest, fill, random);
    }
    add(chain, (1 - kept) * (total > 0 ? share / total : 1.0 / width));
  }
  Tensor result = empty(x.shape(), {.dtype = DType::uint8});
  for (std::size_t i = 0; i < count; ++i)
    result.data<std::uint8_t>()[i] = static_cast<std::uint8_t>(std::min(255.0, mixture[i] + 1e-9));  // as a cast does
  return result;
}

}  // namespace minima::data
