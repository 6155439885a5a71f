#include <minima/data/transforms/distort.h>

#include <minima/data/images/geometry.h>
#include <minima/data/sampling/random.h>
#include <minima/data/transforms/apply.h>
#include <minima/data/transforms/check_options.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/base/shape.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

namespace minima::data {

namespace {

/// The pixels of an image in float, and back: uint8 is rounded and clamped.
std::vector<float> floats_of(const Tensor& x) { return x.to_vector<float>(); }

Tensor image_of(const std::vector<float>& pixels, const Shape& shape, DType dtype) {
  if (dtype == DType::float32) return from_vector(pixels, shape);
  Tensor image = empty(shape, {.dtype = DType::uint8});
  for (std::size_t i = 0; i < pixels.size(); ++i)
    image.data<std::uint8_t>()[i] = static_cast<std::uint8_t>(std::clamp(std::nearbyint(pixels[i]), 0.0f, 255.0f));
  return image;
}

double radians(double degrees) { return degrees * std::numbers::pi / 180; }

/// The projection that maps `from` to `to`, x' = (a x + b y + c) / (g x + h y + 1), y' = (d x + e y + f) / (g x + h y +
/// 1): a … h, then 1.
std::array<double, 9> projection(const std::array<Point, 4>& from, const std::array<Point, 4>& to) {
  double m[8][9] = {};
  for (int i = 0; i < 4; ++i) {
    const Point p = from[static_cast<std::size_t>(i)], q = to[static_cast<std::size_t>(i)];
    const double rows[2][9] = {{p.x, p.y, 1, 0, 0, 0, -q.x * p.x, -q.x * p.y, q.x},
                               {0, 0, 0, p.x, p.y, 1, -q.y * p.x, -q.y * p.y, q.y}};
    for (int row = 0; row < 2; ++row) std::copy(rows[row], rows[row] + 9, m[2 * i + row]);
  }
  for (int column = 0; column < 8; ++column) {
    int pivot = column;
    for (int row = column; row < 8; ++row)
      if (std::abs(m[row][column]) > std::abs(m[pivot][column])) pivot = row;
    if (!(std::abs(m[pivot][column]) > 1e-9)) throw ValueError("perspective: three of the corners are on a line");
    std::swap(m[column], m[pivot]);
    for (int row = 0; row < 8; ++row) {
      if (row == column) continue;
      const double factor = m[row][column] / m[column][column];
      for (int k = column; k < 9; ++k) m[row][k] -= factor * m[column][k];
    }
  }
  std::array<double, 9> solution{};
  for (std::size_t i = 0; i < 8; ++i) solution[i] = m[i][8] / m[i][i];
  solution[8] = 1;
  return solution;
}

/// The inverse projection, up to a factor that cancels: the adjugate.
std::array<double, 9> inverse(const std::array<double, 9>& m) {
  return {m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
          m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
          m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3]};
}

/// Whether each corner turns right, in the order upper left, upper right, lower right, lower left.
bool is_convex(const std::array<Point, 4>& corners) {
  for (std::size_t i = 0; i < 4; ++i) {
    const Point a = corners[i], b = corners[(i + 1) % 4], c = corners[(i + 2) % 4];
    if ((b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x) <= 0) return false;
  }
  return true;
}

/// The image whose pixel (column, row) is x at source(column, row), bilinear.
template <class Source>
Tensor sampled(const Tensor& x, double fill, Source source) {
  const std::int64_t height = x.size(0), width = x.size(1), channels = x.size(2);
  const std::vector<float> pixels = floats_of(x);
  std::vector<float> result(pixels.size());
  for (std::int64_t row = 0; row < height; ++row)
    for (std::int64_t column = 0; column < width; ++column) {
      const Point from = source(static_cast<double>(column), static_cast<double>(row));
      const double sx = std::clamp(from.x, -2.0, static_cast<double>(width + 1));
      const double sy = std::clamp(from.y, -2.0, static_cast<double>(height + 1));
      const auto left = static_cast<std::int64_t>(std::floor(sx)), top = static_cast<std::int64_t>(std::floor(sy));
      const double wx = sx - static_cast<double>(left), wy = sy - static_cast<double>(top);
      for (std::int64_t c = 0; c < channels; ++c) {
        const auto at = [&](std::int64_t y, std::int64_t z) {
          const bool is_inside = y >= 0 && y < height && z >= 0 && z < width;
          return is_inside ? pixels[static_cast<std::size_t>((y * width + z) * channels + c)] : fill;
        };
        const double value = (1 - wy) * ((1 - wx) * at(top, left) + wx * at(top, left + 1)) +
                             wy * ((1 - wx) * at(top + 1, left) + wx * at(top + 1, left + 1));
        result[static_cast<std::size_t>((row * width + column) * channels + c)] = static_cast<float>(value);
      }
    }
  return image_of(result, x.shape(), x.dtype());
}

}  // namespace

Tensor invert(const Tensor& image) {
  const Tensor x = detail::expect_image(image, "invert");
  std::vector<float> pixels = floats_of(x);
  const float top = x.dtype() == DType::uint8 ? 255 : 1;
  for (float& pixel : pixels) pixel = top - pixel;
  return image_of(pixels, x.shape(), x.dtype());
}

Tensor to_grayscale(const Tensor& image, int channels) {
  const Tensor x = detail::expect_image(image, "to_grayscale");
  if (channels != 1 && channels != 3) throw ValueError(str("to_grayscale: channels must be 1 or 3, not ", channels));
  if (x.size(2) != 1 && x.size(2) != 3) throw ShapeError(str("to_grayscale: expected 1 or 3 channels, got ", x));
  const std::vector<float> pixels = floats_of(x);
  const auto step = static_cast<std::size_t>(x.size(2));
  std::vector<float> grey;
  for (std::size_t i = 0; i < pixels.size(); i += step) {
    const float value = step == 1 ? pixels[i] : 0.2989f * pixels[i] + 0.587f * pixels[i + 1] + 0.114f * pixels[i + 2];
    // torchvision's conversion to bytes cuts off.
    grey.insert(grey.end(), static_cast<std::size_t>(channels), x.dtype() == DType::uint8 ? std::floor(value) : value);
  }
  return image_of(grey, {x.size(0), x.size(1), channels}, x.dtype());
}

Tensor gaussian_blur(const Tensor& image, std::int64_t kernel, double sigma) {
  const Tensor x = detail::expect_image(image, "gaussian_blur");
  const std::int64_t height = x.size(0), width = x.size(1), channels = x.size(2), reach = kernel / 2;
  if (kernel < 1 || kernel % 2 == 0 || !(sigma > 0) || reach >= std::min(height, width))
    throw ValueError(str("gaussian_blur: needs an odd kernel, of at most twice the shorter side, and sigma > 0, got ",
                         kernel, " and ", sigma, " for ", x));
  std::vector<double> weights;
  double total = 0;
  for (std::int64_t i = -reach; i <= reach; ++i)
    total += weights.emplace_back(std::exp(-0.5 * static_cast<double>(i * i) / (sigma * sigma)));
  const auto reflected = [](std::int64_t at, std::int64_t size) {
    return at < 0 ? -at : at >= size ? 2 * (size - 1) - at : at;
  };
  std::vector<float> pixels = floats_of(x), next(pixels.size());
  for (const bool is_vertical : {false, true}) {
    for (std::int64_t row = 0; row < height; ++row)
      for (std::int64_t column = 0; column < width; ++column)
        for (std::int64_t c = 0; c < channels; ++c) {
          double sum = 0;
          for (std::int64_t i = -reach; i <= reach; ++i) {
            const std::int64_t y = is_vertical ? reflected(row + i, height) : row;
            const std::int64_t z = is_vertical ? column : reflected(column + i, width);
            sum += weights[static_cast<std::size_t>(i + reach)] *
                   pixels[static_cast<std::size_t>((y * width + z) * channels + c)];
          }
          next[static_cast<std::size_t>((row * width + column) * channels + c)] = static_cast<float>(sum / total);
        }
    std::swap(pixels, next);
  }
  return image_of(pixels, x.shape(), x.dtype());
}

Affine affine_map(double degrees, double shift_x, double shift_y, double scale, double shear_x, double shear_y) {
  const double angle = radians(degrees), sx = radians(shear_x), sy = radians(shear_y);
  const double a = std::cos(angle - sy) / std::cos(sy);
  const double b = -std::cos(angle - sy) * std::tan(sx) / std::cos(sy) - std::sin(angle);
  const double c = std::sin(angle - sy) / std::cos(sy);
  const double d = -std::sin(angle - sy) * std::tan(sx) / std::cos(sy) + std::cos(angle);
  // The determinant of rotation and shears is 1, so the inverse needs no division by it.
  Affine map{.a = d / scale, .b = -b / scale, .d = -c / scale, .e = a / scale};
  map.c = -map.a * shift_x - map.b * shift_y;
  map.f = -map.d * shift_x - map.e * shift_y;
  return map;
}

std::array<double, 9> detail::perspective_map(std::int64_t height, std::int64_t width,
                                              const std::array<Point, 4>& corners) {
  const double right = static_cast<double>(width - 1), bottom = static_cast<double>(height - 1);
  return inverse(projection({Point{0, 0}, {right, 0}, {right, bottom}, {0, bottom}}, corners));
}

Tensor perspective(const Tensor& image, const std::array<Point, 4>& corners, double fill) {
  const Tensor x = detail::expect_image(image, "perspective");
  const std::array<double, 9> m = detail::perspective_map(x.size(0), x.size(1), corners);
  return sampled(x, fill, [&](double column, double row) {
    const double px = column + 0.5, py = row + 0.5, depth = m[6] * px + m[7] * py + m[8];
    return Point{(m[0] * px + m[1] * py + m[2]) / depth - 0.5, (m[3] * px + m[4] * py + m[5]) / depth - 0.5};
  });
}

Tensor Pad::operator()(const Tensor& image) const {
  const Tensor x = detail::expect_image(image, "Pad");
  detail::check_options(*this);
  detail::check_fill("Pad", fill, x.dtype());
  const Tensor padded = pad_image(x, std::max({left, top, right, bottom}), fill);
  const std::int64_t border = std::max({left, top, right, bottom});
  return crop(padded, border - top, border - left, x.size(0) + top + bottom, x.size(1) + left + right);
}

Tensor RandomGrayscale::operator()(const Tensor& image, RandomStream& random) const {
  detail::check_probability("RandomGrayscale", probability);
  return random.chance(probability) ? to_grayscale(image, static_cast<int>(image.size(2))) : image;
}

Tensor GaussianBlur::operator()(const Tensor& image, RandomStream& random) const {
  detail::check_options(*this);
  return gaussian_blur(image, kernel, random.uniform(sigma.low, sigma.high));
}

Tensor RandomAffine::operator()(const Tensor& image, RandomStream& random) const {
  const Tensor x = detail::expect_image(image, "RandomAffine");
  detail::check_fill("RandomAffine", fill, x.dtype());
  return warp(x, map(x.size(0), x.size(1), random), fill);
}

Affine RandomAffine::map(std::int64_t height, std::int64_t width, RandomStream& random) const {
  detail::check_options(*this);
  const auto draw = [&](double limit) { return random.uniform(-limit, limit); };
  const double angle = draw(degrees);
  const double dx = std::nearbyint(draw(translate_x) * static_cast<double>(width));
  const double dy = std::nearbyint(draw(translate_y) * static_cast<double>(height));
  const double factor = random.uniform(scale.low, scale.high), sx = draw(shear_x), sy = draw(shear_y);
  return affine_map(angle, dx, dy, factor, sx, sy);
}

Tensor RandomPerspective::operator()(const Tensor& image, RandomStream& random) const {
  const Tensor x = detail::expect_image(image, "RandomPerspective");
  detail::check_fill("RandomPerspective", fill, x.dtype());
  const auto moved = corners(x.size(0), x.size(1), random);
  return moved ? perspective(x, *moved, fill) : x;
}

std::optional<std::array<Point, 4>> RandomPerspective::corners(std::int64_t height, std::int64_t width,
                                                               RandomStream& random) const {
  detail::check_options(*this);
  if (!random.chance(probability)) return {};
  const auto inwards = [&](std::int64_t size) {
    const double half = distortion * static_cast<double>(size / 2);
    return static_cast<double>(random.below(static_cast<std::int64_t>(half) + 1));
  };
  const double right = static_cast<double>(width - 1), bottom = static_cast<double>(height - 1);
  for (int attempt = 0; attempt < 10; ++attempt) {
    std::array<Point, 4> corners;
    for (std::size_t i = 0; i < 4; ++i) {
      const double dx = inwards(width), dy = inwards(height);
      corners[i] = {i == 0 || i == 3 ? dx : right - dx, i < 2 ? dy : bottom - dy};
    }
    if (is_convex(corners)) return corners;
  }
  return {};  // an image of a few pixels
}

Tensor ElasticTransform::operator()(const Tensor& image, RandomStream& random) const {
  const Tensor x = detail::expect_image(image, "ElasticTransform");
  detail::check_options(*this);
  detail::check_fill("ElasticTransform", fill, x.dtype());
  const std::int64_t height = x.size(0), width = x.size(1);
  // torchvision's kernel, 8 σ + 1 pixels made odd, as far as the image allows.
  const std::int64_t wanted = static_cast<std::int64_t>(std::min(8 * sigma + 1, 0x1p53)) / 2,
                     reach = std::min({wanted, height - 1, width - 1});
  const auto field = [&] {
    std::vector<float> noise(static_cast<std::size_t>(height * width));
    for (float& value : noise) value = static_cast<float>(random.uniform(-1, 1));
    return gaussian_blur(from_vector(noise, {height, width, 1}), 2 * reach + 1, sigma).to_vector<float>();
  };
  const std::vector<float> dx = field(), dy = field();
  return sampled(x, fill, [&](double column, double row) {
    const auto at =
        static_cast<std::size_t>(static_cast<std::int64_t>(row) * width + static_cast<std::int64_t>(column));
    return Point{column + alpha * dx[at], row + alpha * dy[at]};
  });
}

Tensor RandomInvert::operator()(const Tensor& image, RandomStream& random) const {
  detail::check_probability("RandomInvert", probability);
  return random.chance(probability) ? invert(image) : image;
}

}  // namespace minima::data
