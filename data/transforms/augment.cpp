#include <minima/data/transforms/augment.h>

#include <minima/autograd/mode.h>
#include <minima/data/images/geometry.h>
#include <minima/data/sampling/random.h>
#include <minima/data/transforms/augment_pixel.h>
#include <minima/data/transforms/channel_map.h>
#include <minima/data/transforms/check_options.h>
#include <minima/ops/op.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/dispatch.h>
#include <minima/tensor/pinned.h>
#include <minima/tensor/threads/parallel.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

namespace minima::data {

namespace {

using detail::ChangeNumbers;

struct AugmentImages {
  static constexpr Traits traits{.name = "augment_images", .optional = 0b100};
  detail::ChannelMap map;
  std::int64_t height, width;
  DType dtype;

  TensorSpec result(const Tensor& x, const Tensor&, const Tensor&) const {
    return {Layout::channels_last({x.size(0), x.size(3), height, width}), dtype, x.device()};
  }
  Cost cost(const Tensor& x, const Tensor&, const Tensor&) const {
    const auto count = static_cast<double>(x.size(0) * height * width * x.size(3));
    return {.flops = 20 * count, .bytes = static_cast<double>(x.numel()) + count * static_cast<double>(size_of(dtype))};
  }
  void cpu(const Tensor& x, const Tensor& numbers, const Tensor& means, Tensor& y) const {
    const detail::AugmentShape s = shape(x);
    dispatch<floating>(dtype, "augment_images", [&]<class T> {
      parallel_for(0, s.images * s.height * s.width, 1024, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i)
          detail::augment_pixel(map, s, x.data<std::uint8_t>(), numbers.data<float>(),
                                means.defined() ? means.data<float>() : nullptr, i, y.data<T>());
      });
    });
  }
  void cuda(const Tensor& x, const Tensor& numbers, const Tensor& means, Tensor& y) const {
    detail::augment_images_cuda(map, shape(x), x.data<std::uint8_t>(), numbers.data<float>(),
                                means.defined() ? means.data<float>() : nullptr, y.raw_data(), dtype);
  }
  detail::AugmentShape shape(const Tensor& x) const { return {x.size(0), x.size(1), x.size(2), height, width}; }
};

using Matrix = std::array<std::array<double, 3>, 3>;

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) c[i][j] += a[i][k] * b[k][j];
  return c;
}
constexpr std::array<double, 3> kGrey{0.299, 0.587, 0.114};

/// own · x + grey · grey(x).
Matrix towards_grey(double own, double grey) {
  Matrix m{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) m[i][j] = (i == j ? own : 0) + grey * kGrey[j];
  return m;
}

/// Rotates chroma in the I-Q plane and keeps the luma Y.
Matrix hue_matrix(double turn) {
  const double angle = 2 * std::numbers::pi * turn, c = std::cos(angle), s = std::sin(angle);
  const Matrix to_yiq{{{0.299, 0.587, 0.114}, {0.595716, -0.274453, -0.321263}, {0.211456, -0.522591, 0.311135}}};
  const Matrix from_yiq{{{1, 0.956296, 0.621024}, {1, -0.272122, -0.647381}, {1, -1.106989, 1.704615}}};
  const Matrix turned{{{1, 0, 0}, {0, c, s}, {0, -s, c}}};
  return turn == 0 ? towards_grey(1, 0) : product(from_yiq, product(turned, to_yiq));
}

void write(const Matrix& m, std::int64_t channels, float* to) {
  // For one channel, grey(x) = x.
  if (channels == 1) to[0] = static_cast<float>(m[0][0] + m[0][1] + m[0][2]);
  else
    for (std::size_t i = 0; i < 9; ++i) to[i] = static_cast<float>(m[i / 3][i % 3]);
}

void write_numbers(ImageChange change, const Tensor& x, std::int64_t height, std::int64_t width, float* to) {
  constexpr double kMostSamples = 8;
  minima::detail::check_number("augment_images", "degrees", change.degrees, minima::detail::finite);
  if (change.box.height == 0 && change.box.width == 0)
    change.box = {0, 0, static_cast<double>(x.size(1)), static_cast<double>(x.size(2))};
  const Box& box = change.box;
  if (!(box.height > 0) || !(box.width > 0) ||
      !std::isfinite(box.top + box.left + box.height + box.width + change.degrees))
    throw ValueError(str("augment_images: the box must be finite and not empty, got ", box.height, " × ", box.width,
                         " at ", box.top, ", ", box.left));
  constexpr const char* op = "augment_images";
  minima::detail::check_number(op, "fill", change.fill, minima::detail::from_to(0, 255));
  minima::detail::check_number(op, "brightness", change.brightness, minima::detail::not_negative);
  minima::detail::check_number(op, "contrast", change.contrast, minima::detail::not_negative);
  minima::detail::check_number(op, "saturation", change.saturation, minima::detail::not_negative);
  if (!(change.hue >= -0.5 && change.hue <= 0.5))
    throw ValueError(str("augment_images: hue must be from -0.5 to 0.5, got ", change.hue));
  std::fill_n(to, ChangeNumbers::count, 0.0f);
  const double scale_x = box.width / static_cast<double>(width), scale_y = box.height / static_cast<double>(height);
  const double sx = change.flip_horizontal ? -scale_x : scale_x, sy = change.flip_vertical ? -scale_y : scale_y;
  const Affine turn = Affine::rotation(change.degrees);
  const double map[6] = {
      turn.a * sx,
      turn.b * sy,
      box.left + box.width / 2 -
          (turn.a * sx * static_cast<double>(width) + turn.b * sy * static_cast<double>(height)) / 2,
      turn.d * sx,
      turn.e * sy,
      box.top + box.height / 2 -
          (turn.d * sx * static_cast<double>(width) + turn.e * sy * static_cast<double>(height)) / 2};
  for (int i = 0; i < 6; ++i) to[ChangeNumbers::map + i] = static_cast<float>(map[i]);
  to[ChangeNumbers::samples] = static_cast<float>(std::clamp(std::ceil(scale_x - 1e-6), 1.0, kMostSamples));
  to[ChangeNumbers::samples + 1] = static_cast<float>(std::clamp(std::ceil(scale_y - 1e-6), 1.0, kMostSamples));
  to[ChangeNumbers::fill] = static_cast<float>(change.fill);
  const Matrix after = product(hue_matrix(change.hue), towards_grey(change.saturation, 1 - change.saturation));
  write(product(after, towards_grey(change.brightness * change.contrast, 0)), x.size(3), to + ChangeNumbers::matrix);
  write(product(after, towards_grey(0, change.brightness * (1 - change.contrast))), x.size(3),
        to + ChangeNumbers::of_means);
}

}  // namespace

Tensor augment_images(const Tensor& x, std::span<const ImageChange> changes, std::int64_t height, std::int64_t width,
                      std::span<const double> mean, std::span<const double> std, DType dtype) {
  if (!x.defined() || x.rank() != 4 || (x.size(3) != 1 && x.size(3) != 3) || !x.is_contiguous() || x.size(1) < 1 ||
      x.size(2) < 1)
    throw ShapeError(str("augment_images: expected contiguous images [B, H, W, C] with 1 or 3 channels, got ", x));
  if (x.dtype() != DType::uint8) throw DTypeError(str("augment_images: expected uint8 images, got ", x));
  if (!is_floating(dtype)) throw DTypeError(str("augment_images: the result's dtype must be floating, got ", dtype));
  if (height < 1 || width < 1)
    throw ValueError(str("augment_images: height and width must be at least 1, got ", height, " × ", width));
  if (static_cast<std::int64_t>(changes.size()) != x.size(0))
    throw ShapeError(str("augment_images: ", changes.size(), " changes for images ", x));

  const NoGrad off_record;
  Tensor numbers = empty_pinned(Layout::contiguous({x.size(0), ChangeNumbers::count}));
  bool needs_means = false;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    write_numbers(changes[i], x, height, width, numbers.data<float>() + i * ChangeNumbers::count);
    needs_means = needs_means || changes[i].contrast != 1;
  }
  const Tensor means = needs_means ? minima::mean(x.to(DType::float32), {1, 2}) : Tensor();
  const detail::ChannelMap map = detail::channel_map("augment_images", x.size(3), mean, std, x);
  return apply(AugmentImages{map, height, width, dtype}, x, numbers.to(x.device()), means);
}

ImageChange RandomImageChange::draw(std::int64_t height, std::int64_t width, RandomStream& random) const {
  constexpr const char* name = "RandomImageChange";
  minima::detail::check_number(name, "flip", flip, minima::detail::fraction);
  minima::detail::check_number(name, "degrees", degrees, minima::detail::not_negative);
  minima::detail::check_number(name, "fill", fill, minima::detail::from_to(0, 255));
  detail::check_options(colours);
  ImageChange change{.fill = fill};
  change.box = crop.box(height, width, random);
  change.flip_horizontal = random.chance(flip);
  change.degrees = random.uniform(-degrees, degrees);
  const auto factor = [&](double range) { return std::max(0.0, random.uniform(1 - range, 1 + range)); };
  change.brightness = factor(colours.brightness);
  change.contrast = factor(colours.contrast);
  change.saturation = factor(colours.saturation);
  change.hue = random.uniform(-colours.hue, colours.hue);
  return change;
}

std::vector<ImageChange> RandomImageChange::draw(const Tensor& images, RandomStream& random) const {
  if (!images.defined() || images.rank() != 4)
    throw ShapeError(str("RandomImageChange: expected images [B, H, W, C], got ", images));
  std::vector<ImageChange> changes;
  changes.reserve(static_cast<std::size_t>(images.size(0)));
  for (std::int64_t i = 0; i < images.size(0); ++i) changes.push_back(draw(images.size(1), images.size(2), random));
  return changes;
}

}  // namespace minima::data
