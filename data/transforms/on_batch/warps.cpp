#include <minima/data/transforms/on_batch/on_batch.h>

#include <minima/autograd/mode.h>
#include <minima/data/images/geometry.h>
#include <minima/data/sampling/random.h>
#include <minima/data/transforms/check_options.h>
#include <minima/data/transforms/distort.h>
#include <minima/data/transforms/on_batch/planes.h>
#include <minima/ops/ops.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace minima::data {

namespace {

using namespace detail;

/// The images at a grid's places; what is outside is `fill`.
Tensor sampled(const Tensor& x, const Tensor& grid, double fill) {
  return images_of(grid_sample(planes_of(x) - fill, grid) + fill, x.dtype());
}

/// warp for each image. grid_sample counts from -1 to 1, Affine in pixels from the centre.
Tensor warped(const Tensor& x, const std::vector<Affine>& maps, double fill) {
  const auto height = static_cast<double>(x.size(1)), width = static_cast<double>(x.size(2));
  std::vector<double> theta;
  for (const Affine& m : maps)
    theta.insert(theta.end(),
                 {m.a, m.b * height / width, 2 * m.c / width, m.d * width / height, m.e, 2 * m.f / height});
  const Shape planes{x.size(0), x.size(3), x.size(1), x.size(2)};
  return sampled(x, affine_grid(per_image(x, theta, {-1, 2, 3}), planes), fill);
}

/// [B, size, size]: gaussian_blur along a dimension, whose borders are reflected. `sigma` [B, 1, 1].
Tensor blur(const Tensor& sigma, std::int64_t size, std::int64_t reach) {
  const Tensor to = places(sigma, size, {size, 1}), from = places(sigma, size, {1, size});
  const auto last = static_cast<double>(size - 1), beyond = static_cast<double>(reach + 1);
  // A pixel, and its mirror images before the first and behind the last one.
  const Tensor distances[] = {abs(from - to), where(gt(from, 0), from + to, beyond),
                              where(lt(from, last), 2 * last - from - to, beyond)};
  Tensor weights;
  for (const Tensor& distance : distances) {
    const Tensor part = where(le(distance, static_cast<double>(reach)), exp(square(distance / sigma) * -0.5), 0.0);
    weights = weights.defined() ? weights + part : part;
  }
  return weights / sum(weights, {2}, true);
}

}  // namespace

Tensor transform_batch(const RandomRotation& rule, const Tensor& x, Streams random) {
  expect_images("RandomRotation", x, random);
  check_options(rule);
  check_fill("RandomRotation", rule.fill, x.dtype());
  const NoGrad off_record;
  std::vector<Affine> maps;
  for (RandomStream& stream : random) maps.push_back(Affine::rotation(stream.uniform(-rule.degrees, rule.degrees)));
  return warped(x, maps, rule.fill);
}

Tensor transform_batch(const RandomAffine& rule, const Tensor& x, Streams random) {
  expect_images("RandomAffine", x, random);
  check_fill("RandomAffine", rule.fill, x.dtype());
  const NoGrad off_record;
  std::vector<Affine> maps;
  for (RandomStream& stream : random) maps.push_back(rule.map(x.size(1), x.size(2), stream));
  return warped(x, maps, rule.fill);
}

Tensor transform_batch(const RandomPerspective& rule, const Tensor& x, Streams random) {
  expect_images("RandomPerspective", x, random);
  check_fill("RandomPerspective", rule.fill, x.dtype());
  const NoGrad off_record;
  const std::int64_t height = x.size(1), width = x.size(2);
  std::vector<double> maps;
  const auto draw = [&](std::size_t i) {
    const auto corners = rule.corners(height, width, random[i]);
    if (!corners) return false;
    const std::array<double, 9> m = perspective_map(height, width, *corners);
    // (x', y', 1) of pixels becomes that of -1 to 1.
    const auto across = static_cast<double>(width) / 2, down = static_cast<double>(height) / 2;
    for (std::size_t k = 0; k < 3; ++k) maps.push_back(m[k] / across - m[k + 6]);
    for (std::size_t k = 3; k < 6; ++k) maps.push_back(m[k] / down - m[k + 3]);
    maps.insert(maps.end(), {m[6], m[7], m[8]});
    return true;
  };
  return on_some(x, random, draw, [&](const Tensor& some, Streams) {
    const Shape all{height, width};
    const Tensor column = expand(places(x, width, {1, width}), all) + 0.5;
    const Tensor row = expand(places(x, height, {height, 1}), all) + 0.5;
    const Tensor points = reshape(stack({column, row, ones_like(row)}, 2), {1, height * width, 3});
    const Tensor moved = matmul(points, transpose(per_image(some, maps, {-1, 3, 3}), 1, 2));
    const Tensor grid = narrow(moved, 2, 0, 2) / narrow(moved, 2, 2, 1);
    return sampled(some, reshape(grid, {some.size(0), height, width, 2}), rule.fill);
  });
}

Tensor transform_batch(const GaussianBlur& rule, const Tensor& x, Streams random) {
  expect_images("GaussianBlur", x, random);
  check_options(rule);
  const NoGrad off_record;
  const std::int64_t reach = rule.kernel / 2;
  if (rule.kernel < 1 || rule.kernel % 2 == 0 || !(rule.sigma.low > 0) || reach >= std::min(x.size(1), x.size(2)))
    throw ValueError(str("GaussianBlur: needs an odd kernel, of at most twice the shorter side, and sigma > 0, got ",
                         rule.kernel, " and ", rule.sigma.low, " for ", x));
  std::vector<double> sigmas;
  for (RandomStream& stream : random) sigmas.push_back(stream.uniform(rule.sigma.low, rule.sigma.high));
  const Tensor sigma = per_image(x, sigmas, {-1, 1, 1});
  return images_of(separable(x, blur(sigma, x.size(1), reach), blur(sigma, x.size(2), reach)), x.dtype());
}

Tensor transform_batch(const ElasticTransform& rule, const Tensor& x, Streams random) {
  expect_images("ElasticTransform", x, random);
  const NoGrad off_record;
  check_options(rule);
  check_fill("ElasticTransform", rule.fill, x.dtype());
  const std::int64_t height = x.size(1), width = x.size(2);
  const std::int64_t wanted = static_cast<std::int64_t>(std::min(8 * rule.sigma + 1, 0x1p53)) / 2,
                     reach = std::min({wanted, height - 1, width - 1});
  std::vector<double> noise;
  for (RandomStream& stream : random)
    for (std::int64_t i = 0; i < 2 * height * width; ++i) noise.push_back(stream.uniform(-1, 1));
  const Tensor sigma = per_image(x, {rule.sigma}, {1, 1, 1});
  const Tensor fields = per_image(x, noise, {-1, height, width});  // dx and dy of each image
  const Tensor smooth = matmul(matmul(blur(sigma, height, reach), fields), transpose(blur(sigma, width, reach), 1, 2));
  const Tensor moves = reshape(smooth * rule.alpha, {x.size(0), 2, height, width});
  const auto along = [&](std::int64_t which, std::int64_t size, const Shape& shape) {
    return (select(moves, 1, which) + places(x, size, shape) + 0.5) * (2 / static_cast<double>(size)) - 1;
  };
  return sampled(x, stack({along(0, width, {1, 1, width}), along(1, height, {1, height, 1})}, 3), rule.fill);
}

}  // namespace minima::data
