#include <minima/data/transforms/on_batch/on_batch.h>

#include <minima/autograd/mode.h>
#include <minima/data/sampling/random.h>
#include <minima/data/transforms/apply.h>
#include <minima/data/transforms/check_options.h>
#include <minima/data/transforms/distort.h>
#include <minima/data/transforms/on_batch/planes.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima::data {

namespace {

using namespace detail;

void expect_colours(const char* what, const Tensor& x, Streams random) {
  expect_images(what, x, random);
  if (x.size(3) != 1 && x.size(3) != 3) throw ShapeError(str(what, ": expected 1 or 3 channels, got ", x));
}

/// The grey planes [B, 1, H, W], with the weights of the function that is copied; bytes are cut off if torchvision
/// does.
Tensor grey(const Tensor& planes, double red, bool is_cut) {
  if (planes.size(1) == 1) return planes;
  const auto channel = [&](std::int64_t c) { return narrow(planes, 1, c, 1); };
  const Tensor y = channel(0) * red + channel(1) * 0.587 + channel(2) * 0.114;
  return is_cut ? floor(y) : y;
}

/// The hue of planes [B, 3, H, W] rotated by fractions of a turn [B, 1, 1, 1].
Tensor with_hue(const Tensor& x, const Tensor& turn) {
  const Tensor most = amax(x, {1}, true), range = most - amin(x, {1}, true), divisor = where(gt(range, 0), range, 1.0);
  const Tensor r = narrow(x, 1, 0, 1), g = narrow(x, 1, 1, 1), b = narrow(x, 1, 2, 1);
  const Tensor sector =
      where(eq(most, r), (g - b) / divisor, where(eq(most, g), (b - r) / divisor + 2, (r - g) / divisor + 4));
  const Tensor hue = sector + turn * 6;
  // Each channel falls from the largest to the least value within a third of a turn around another hue.
  const auto channel = [&](double shift) {
    const Tensor at = remainder(hue + shift, 6);
    return most - range * clamp(minimum(at, 4 - at), 0, 1);
  };
  return cat({channel(5), channel(3), channel(1)}, 1);
}

/// One of ColorJitter's steps for some images, each with its factor.
Tensor recoloured(const Tensor& x, int step, const std::vector<double>& factors) {
  const Tensor factor = per_image(x, factors, {-1, 1, 1, 1}), planes = planes_of(x);
  const bool is_bytes = x.dtype() == DType::uint8;
  if (step >= 2 && x.size(3) == 1) return x;
  Tensor y;
  if (step == 0) y = planes * factor;
  else if (step == 1) y = lerp(mean(grey(planes, 0.299, is_bytes), {1, 2, 3}, true), planes, factor);
  else if (step == 2) y = lerp(grey(planes, 0.299, false), planes, factor);
  else y = with_hue(planes, factor);
  return images_of(clamp(y, 0, white_of(x)), x.dtype());
}

}  // namespace

Tensor transform_batch(const ColorJitter& rule, const Tensor& x, Streams random) {
  expect_colours("ColorJitter", x, random);
  check_options(rule);
  const NoGrad off_record;
  std::vector<ColorJitter::Change> changes;
  for (RandomStream& stream : random) changes.push_back(rule.draw(stream));
  const double ranges[] = {rule.brightness, rule.contrast, rule.saturation, rule.hue};
  Tensor y = x;
  for (std::size_t turn = 0; turn < 4; ++turn)
    for (int step = 0; step < 4; ++step) {
      if (!(ranges[step] > 0)) continue;
      std::vector<double> factors;
      const auto chosen = [&](std::size_t i) {
        if (changes[i].order[turn] != step) return false;
        factors.push_back(changes[i].values[static_cast<std::size_t>(step)]);
        return true;
      };
      y = on_some(y, random, chosen, [&](const Tensor& some, Streams) { return recoloured(some, step, factors); });
    }
  return y;
}

Tensor transform_batch(const Grayscale& rule, const Tensor& x, Streams random) {
  expect_colours("Grayscale", x, random);
  if (rule.channels != 1 && rule.channels != 3)
    throw ValueError(str("to_grayscale: channels must be 1 or 3, not ", rule.channels));
  const NoGrad off_record;
  const Tensor planes = grey(planes_of(x), 0.2989, x.dtype() == DType::uint8);
  return images_of(expand(planes, {-1, rule.channels, -1, -1}), x.dtype());
}

Tensor transform_batch(const RandomGrayscale& rule, const Tensor& x, Streams random) {
  expect_colours("RandomGrayscale", x, random);
  check_probability("RandomGrayscale", rule.probability);
  const NoGrad off_record;
  return on_some(
      x, random, [&](std::size_t i) { return random[i].chance(rule.probability); },
      [&](const Tensor& some, Streams theirs) {
        return transform_batch(Grayscale{static_cast<int>(x.size(3))}, some, theirs);
      });
}

Tensor transform_batch(const RandomInvert& rule, const Tensor& x, Streams random) {
  expect_images("RandomInvert", x, random);
  check_probability("RandomInvert", rule.probability);
  const NoGrad off_record;
  std::vector<double> chosen;
  for (RandomStream& stream : random) chosen.push_back(stream.chance(rule.probability));
  const Tensor planes = planes_of(x);
  const Tensor is_chosen = gt(per_image(x, chosen, {-1, 1, 1, 1}), 0);
  return images_of(where(is_chosen, white_of(x) - planes, planes), x.dtype());
}

}  // namespace minima::data
