#include <minima/data/transforms/batch.h>

#include <minima/autograd/mode.h>
#include <minima/data/sampling/random.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/ops.h>
#include <minima/ops/view/join.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

namespace minima::data {

namespace {

/// Rolls the rows by one: row i of the result is row i + 1 of x, the last one row 0.
Tensor next_rows(const Tensor& x) {
  const Tensor parts[] = {slice(x, 0, 1), slice(x, 0, 0, 1)};
  return cat(parts, 0);
}

void check(const char* what, const Tensor& images, const Tensor& targets, double alpha) {
  if (!images.defined() || images.rank() < 1 || !targets.defined() || targets.rank() < 1 ||
      images.size(0) != targets.size(0))
    throw ShapeError(str(what, ": images ", images, " and targets ", targets, " must agree in dimension 0"));
  if (!is_floating(images.dtype()) || !is_floating(targets.dtype()))
    throw DTypeError(str(what, ": images ", images, " and targets ", targets,
                         " must be floating; convert labels with one_hot_targets"));
  minima::detail::check_number(what, "alpha", alpha, minima::detail::positive);
}

Tensor mix(const Tensor& a, const Tensor& b, double lambda) { return a * lambda + b * (1 - lambda); }

}  // namespace

namespace detail {

// Marsaglia and Tsang 2000. Shapes below 1 are boosted from shape + 1.
double draw_gamma(double shape, RandomStream& random) {
  if (shape < 1) return draw_gamma(shape + 1, random) * std::pow(1 - random.uniform(), 1 / shape);
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  while (true) {
    const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
    const double normal = radius * std::cos(2 * std::numbers::pi * random.uniform());
    const double v = std::pow(1 + c * normal, 3);
    if (v > 0 && std::log(1 - random.uniform()) < 0.5 * normal * normal + d - d * v + d * std::log(v)) return d * v;
  }
}

}  // namespace detail

double draw_beta(double a, RandomStream& random) {
  const double x = detail::draw_gamma(a, random), y = detail::draw_gamma(a, random);
  return x + y > 0 ? x / (x + y) : random.chance(0.5);  // both underflow for tiny a, where the result is 0 or 1
}

Tensor one_hot_targets(const Tensor& labels, std::int64_t classes, double on, double off, DType dtype) {
  if (!labels.defined() || labels.dtype() != DType::int64)
    throw DTypeError(str("one_hot_targets: labels must be int64, got ", labels));
  if (classes < 1) throw ValueError(str("one_hot_targets: classes must be at least 1, got ", classes));
  const NoGrad off_record;
  const Tensor numbers = arange(0, classes, 1, {.dtype = DType::int64, .device = labels.device()});
  return eq(unsqueeze(labels, -1), numbers).to(dtype) * (on - off) + off;
}

MixedBatch mixup(const Tensor& images, const Tensor& targets, double alpha, RandomStream& random) {
  check("mixup", images, targets, alpha);
  const double lambda = draw_beta(alpha, random);
  return {mix(images, next_rows(images), lambda), mix(targets, next_rows(targets), lambda)};
}

MixedBatch cutmix(const Tensor& images, const Tensor& targets, double alpha, RandomStream& random) {
  check("cutmix", images, targets, alpha);
  if (images.rank() != 4) throw ShapeError(str("cutmix: images must be [B, C, H, W], got ", images));
  const std::int64_t height = images.size(2), width = images.size(3);
  const double side = std::sqrt(1 - draw_beta(alpha, random));
  const auto range = [&](std::int64_t size) {
    const auto half = static_cast<std::int64_t>(0.5 * side * static_cast<double>(size));
    const std::int64_t centre = random.below(size);
    return std::pair(std::max<std::int64_t>(0, centre - half), std::min(size, centre + half));
  };
  const auto [top, bottom] = range(height);
  const auto [left, right] = range(width);
  const double lambda = 1 - static_cast<double>((bottom - top) * (right - left)) / static_cast<double>(height * width);
  // The mask of the box, from a row and a column mask made on the images' device.
  const auto inside = [&](std::int64_t size, std::int64_t first, std::int64_t last, const Shape& shape) {
    const Tensor at = arange(0, size, 1, {.dtype = DType::int64, .device = images.device()});
    return reshape(logical_and(ge(at, first), lt(at, last)), shape);
  };
  const Tensor box = logical_and(inside(height, top, bottom, {height, 1}), inside(width, left, right, {1, width}));
  return {where(box, next_rows(images), images), mix(targets, next_rows(targets), lambda)};
}

}  // namespace minima::data
