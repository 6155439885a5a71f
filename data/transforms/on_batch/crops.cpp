#include <minima/data/transforms/on_batch/on_batch.h>

#include <minima/autograd/mode.h>
#include <minima/data/images/geometry.h>
#include <minima/data/sampling/random.h>
#include <minima/data/transforms/apply.h>
#include <minima/data/transforms/check_options.h>
#include <minima/data/transforms/distort.h>
#include <minima/data/transforms/on_batch/planes.h>
#include <minima/data/transforms/to_tensor.h>
#include <minima/data/transforms/transforms.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/random/generator.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace minima::data {

namespace {

using namespace detail;

/// The antialiased triangle filter that resizes a range of `in` pixels to `out`: [B, out, in]. `from` and `length`
/// [B, 1, 1].
Tensor triangles(const Tensor& from, const Tensor& length, std::int64_t in, std::int64_t out) {
  const Tensor scale = length / static_cast<double>(out), support = maximum(scale, 1.0);
  const Tensor centre = from + (places(from, out, {1, out, 1}) + 0.5) * scale;
  const Tensor at = places(from, in, {1, 1, in}) + 0.5;
  const Tensor is_inside = logical_and(gt(at, floor(from)), lt(at, ceil(from + length - 1e-3)));
  const Tensor weights = where(is_inside, maximum(1 - abs(at - centre) / support, 0.0), 0.0);
  return weights / sum(weights, {2}, true);
}

/// Resizes a box of each image.
Tensor resized(const Tensor& x, const std::vector<Box>& boxes, std::int64_t height, std::int64_t width) {
  const auto numbers = [&](double Box::* member) {
    std::vector<double> values;
    values.reserve(boxes.size());
    for (const Box& box : boxes) values.push_back(box.*member);
    return per_image(x, values, {-1, 1, 1});
  };
  const Tensor rows = triangles(numbers(&Box::top), numbers(&Box::height), x.size(1), height);
  const Tensor columns = triangles(numbers(&Box::left), numbers(&Box::width), x.size(2), width);
  return images_of(separable(x, rows, columns), x.dtype());
}

Box whole(const Tensor& x) { return {0, 0, static_cast<double>(x.size(1)), static_cast<double>(x.size(2))}; }

void at_least_one(const char* what, std::int64_t size) {
  if (size < 1) throw ValueError(str(what, ": size must be at least 1, got ", size));
}

/// Mirrors the images that the probability chooses.
Tensor flipped(const char* what, const Tensor& x, Streams random, double probability, std::int64_t dim) {
  expect_images(what, x, random);
  check_probability(what, probability);
  const NoGrad off_record;
  std::vector<double> chosen;
  for (RandomStream& stream : random) chosen.push_back(stream.chance(probability));
  return where(gt(per_image(x, chosen, {-1, 1, 1, 1}), 0), flip(x, {dim}), x);
}

}  // namespace

Tensor transform_batch(const Resize& rule, const Tensor& x, Streams random) {
  expect_images("Resize", x, random);
  const NoGrad off_record;
  const auto [height, width] = rule.size.of(x.size(1), x.size(2));
  if (height == x.size(1) && width == x.size(2)) return x;
  return resized(x, std::vector<Box>(random.size(), whole(x)), height, width);
}

Tensor transform_batch(const CenterCrop& rule, const Tensor& x, Streams random) {
  at_least_one("CenterCrop", rule.size);
  expect_images("CenterCrop", x, random);
  const NoGrad off_record;
  const auto lacking = [&](int dim) { return std::max<std::int64_t>(0, rule.size - x.size(dim)); };
  const std::int64_t above = lacking(1), beside = lacking(2);
  const Tensor y =
      above > 0 || beside > 0 ? pad(x, {0, 0, beside / 2, (beside + 1) / 2, above / 2, (above + 1) / 2}) : x;
  const Tensor rows = narrow(y, 1, centred(y.size(1) - rule.size), rule.size);
  return contiguous(narrow(rows, 2, centred(y.size(2) - rule.size), rule.size));
}

Tensor transform_batch(const RandomCrop& rule, const Tensor& x, Streams random) {
  at_least_one("RandomCrop", rule.size);
  check_options(rule);
  expect_images("RandomCrop", x, random);
  const NoGrad off_record;
  const std::int64_t border = std::max<std::int64_t>(0, rule.padding), size = rule.size;
  const Tensor y = border > 0 ? pad(x, {0, 0, border, border, border, border}) : x;
  const std::int64_t count = y.size(0), height = y.size(1), width = y.size(2);
  if (height < size || width < size)
    throw ShapeError(str("RandomCrop: ", size, " × ", size, " does not fit in ", y, "; pad or resize first"));
  std::vector<double> corners;
  for (RandomStream& stream : random) {
    corners.push_back(static_cast<double>(stream.below(height - size + 1)));
    corners.push_back(static_cast<double>(stream.below(width - size + 1)));
  }
  const Tensor corner = per_image(y, corners, {count, 2}).to(DType::int64);
  const auto whole_numbers = [&](std::int64_t length, const Shape& shape) {
    return reshape(arange(length, {.dtype = DType::int64, .device = y.device()}), shape);
  };
  const Tensor row = whole_numbers(count, {count, 1, 1}) * height + reshape(select(corner, 1, 0), {count, 1, 1}) +
                     whole_numbers(size, {1, size, 1});
  const Tensor pixel = row * width + reshape(select(corner, 1, 1), {count, 1, 1}) + whole_numbers(size, {1, 1, size});
  return reshape(index_select(reshape(y, {-1, y.size(3)}), 0, reshape(pixel, {-1})), {count, size, size, y.size(3)});
}

Tensor transform_batch(const RandomResizedCrop& rule, const Tensor& x, Streams random) {
  expect_images("RandomResizedCrop", x, random);
  const NoGrad off_record;
  std::vector<Box> boxes;
  for (RandomStream& stream : random) boxes.push_back(rule.box(x.size(1), x.size(2), stream));
  return resized(x, boxes, rule.size, rule.size);
}

Tensor transform_batch(const RandomHorizontalFlip& rule, const Tensor& x, Streams random) {
  return flipped("RandomHorizontalFlip", x, random, rule.probability, 2);
}

Tensor transform_batch(const RandomVerticalFlip& rule, const Tensor& x, Streams random) {
  return flipped("RandomVerticalFlip", x, random, rule.probability, 1);
}

Tensor transform_batch(const Pad& rule, const Tensor& x, Streams random) {
  expect_images("Pad", x, random);
  const NoGrad off_record;
  check_options(rule);
  check_fill("Pad", rule.fill, x.dtype());
  return pad(x, {0, 0, rule.left, rule.right, rule.top, rule.bottom}, PadMode::constant, rule.fill);
}

Tensor transform_batch(const ToTensor&, const Tensor& x, Streams random) {
  expect_images("ToTensor", x, random);
  const NoGrad off_record;
  const Tensor planes = planes_of(x);
  return x.dtype() == DType::uint8 ? planes / 255.0 : planes;
}

Tensor transform_batch(const Normalize& rule, const Tensor& x, Streams random) {
  expect_plane_images("Normalize", x, random);
  const NoGrad off_record;
  const auto channels = static_cast<std::size_t>(x.size(1));
  if (rule.mean.size() != channels || rule.std.size() != channels)
    throw ValueError(
        str("Normalize: ", rule.mean.size(), " means and ", rule.std.size(), " standard deviations for ", x));
  for (const double each : rule.mean) minima::detail::check_number("Normalize", "mean", each, minima::detail::finite);
  for (const double each : rule.std) minima::detail::check_number("Normalize", "std", each, minima::detail::positive);
  return (x - per_image(x, rule.mean, {-1, 1, 1})) / per_image(x, rule.std, {-1, 1, 1});
}

Tensor transform_batch(const RandomErasing& rule, const Tensor& x, Streams random) {
  expect_plane_images("RandomErasing", x, random);
  const NoGrad off_record;
  std::vector<double> boxes;
  for (RandomStream& stream : random) {
    const Box box = rule.box(x.size(2), x.size(3), stream).value_or(Box{});
    boxes.insert(boxes.end(), {box.top, box.left, box.top + box.height, box.left + box.width});
  }
  const Tensor edges = per_image(x, boxes, {4 * x.size(0)});
  const auto edge = [&](std::int64_t which) { return reshape(slice(edges, 0, which, INT64_MAX, 4), {-1, 1, 1, 1}); };
  const auto inside = [&](std::int64_t size, const Shape& shape, std::int64_t which) {
    const Tensor at = places(x, size, shape);
    return logical_and(ge(at, edge(which)), lt(at, edge(which + 2)));
  };
  const Tensor is_erased = logical_and(inside(x.size(2), {1, 1, -1, 1}, 0), inside(x.size(3), {1, 1, 1, -1}, 1));
  if (!rule.random_values) return where(is_erased, rule.value, x);
  RandomGenerator generator(random.empty() ? 0 : random[0].wide());
  return where(is_erased, randn(x.shape(), {.device = x.device()}, &generator), x);
}

}  // namespace minima::data
