#include <minima/io/plots/draw.h>

#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

namespace minima {

namespace {

/// The pixels of an image [3, H, W] as bytes, or as they are.
struct Canvas {
  std::vector<float> values;  ///< 0 … 255 for uint8, else 0 … 1
  std::int64_t height, width;
  DType dtype;
  float white;

  Canvas(const char* what, const Tensor& image) {
    if (!image.defined() || image.rank() != 3 || image.size(0) != 3)
      throw ShapeError(str(what, ": the image must be [3, H, W], got ", image));
    if (image.dtype() != DType::uint8 && image.dtype() != DType::float32)
      throw DTypeError(str(what, ": images are uint8 or float32, got ", image));
    values = image.to(Device()).to_vector<float>();
    height = image.size(1), width = image.size(2), dtype = image.dtype();
    white = dtype == DType::uint8 ? 255 : 1;
  }
  std::size_t index(std::int64_t channel, std::int64_t y, std::int64_t x) const {
    return static_cast<std::size_t>((channel * height + y) * width + x);
  }
  bool contains(std::int64_t y, std::int64_t x) const { return y >= 0 && y < height && x >= 0 && x < width; }
  /// Covers a pixel with a colour, of this opacity in 255ths.
  void paint(std::int64_t y, std::int64_t x, Rgb colour, float opacity = 255) {
    if (!contains(y, x)) return;
    const std::uint8_t parts[] = {colour.red, colour.green, colour.blue};
    for (std::int64_t c = 0; c < 3; ++c) {
      float& value = values[index(c, y, x)];
      const float mixed = (value * (255 - opacity) + static_cast<float>(parts[c]) * white / 255 * opacity) / 255;
      value = dtype == DType::uint8 ? std::nearbyint(mixed) : mixed;
    }
  }
  Tensor image() const {
    Tensor result = empty({3, height, width}, {.dtype = dtype});
    if (dtype == DType::float32) std::copy(values.begin(), values.end(), result.data<float>());
    else
      std::transform(values.begin(), values.end(), result.data<std::uint8_t>(),
                     [](float v) { return static_cast<std::uint8_t>(v); });
    return result;
  }
};

/// The given colours, or torchvision's palette.
std::vector<Rgb> colours_of(const char* what, const std::vector<Rgb>& given, std::int64_t count) {
  const auto needed = static_cast<std::size_t>(count);
  if (given.size() == 1) return std::vector<Rgb>(needed, given[0]);
  if (!given.empty() && given.size() < needed)
    throw ValueError(str(what, ": ", given.size(), " colours for ", count, " objects; give one, one each, or none"));
  if (!given.empty()) return given;
  std::vector<Rgb> palette;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto part = [&](std::int64_t factor) { return static_cast<std::uint8_t>(i * factor % 255); };
    palette.push_back({part((1 << 25) - 1), part((1 << 15) - 1), part((1 << 21) - 1)});
  }
  return palette;
}

/// Numbers as whole pixels, cut off.
std::vector<std::int64_t> whole(const Tensor& x) {
  std::vector<std::int64_t> result;
  for (const double value : x.to(Device()).to_vector<double>())
    result.push_back(static_cast<std::int64_t>(std::clamp(value, -1e9, 1e9)));
  return result;
}

constexpr std::int64_t most_pixels = 1'000'000;  ///< of a radius or a line's width

/// Pixels whose centre is at most half the width away from the line between two points.
void draw_line(Canvas& canvas, double ax, double ay, double bx, double by, double width) {
  const double reach = width / 2, dx = bx - ax, dy = by - ay, length = std::hypot(dx, dy);
  const auto range = [&](double a, double b, std::int64_t size) {
    const auto last = static_cast<double>(size - 1);
    return std::pair(static_cast<std::int64_t>(std::clamp(std::floor(std::min(a, b) - reach), 0.0, last)),
                     static_cast<std::int64_t>(std::clamp(std::ceil(std::max(a, b) + reach), 0.0, last)));
  };
  const auto [left, right] = range(ax, bx, canvas.width);
  const auto [top, bottom] = range(ay, by, canvas.height);
  for (std::int64_t y = top; y <= bottom; ++y)
    for (std::int64_t x = left; x <= right; ++x) {
      const double px = static_cast<double>(x) - ax, py = static_cast<double>(y) - ay;
      const double along = length > 0 ? (px * dx + py * dy) / length : 0;
      const double across = length > 0 ? (px * dy - py * dx) / length : std::hypot(px, py);
      if (std::abs(across) <= reach && along >= 0 && along <= length) canvas.paint(y, x, {255, 255, 255});
    }
}

/// 55 colours around the circle: red, yellow, green, cyan, blue, magenta, and back.
std::vector<std::array<float, 3>> colour_wheel() {
  struct Arc {
    int steps, fixed, moving;
    bool rises;
  };
  constexpr Arc arcs[] = {{15, 0, 1, true},  {6, 1, 0, false}, {4, 1, 2, true},
                          {11, 2, 1, false}, {13, 2, 0, true}, {6, 0, 2, false}};
  std::vector<std::array<float, 3>> wheel;
  for (const Arc& arc : arcs)
    for (int i = 0; i < arc.steps; ++i) {
      std::array<float, 3> colour{};
      const int part = 255 * i / arc.steps;
      colour[static_cast<std::size_t>(arc.fixed)] = 255;
      colour[static_cast<std::size_t>(arc.moving)] = static_cast<float>(arc.rises ? part : 255 - part);
      wheel.push_back(colour);
    }
  return wheel;
}

}  // namespace

Tensor draw_bounding_boxes(const Tensor& image, const Tensor& boxes, const DrawBoxesOptions& options) {
  constexpr const char* what = "draw_bounding_boxes";
  Canvas canvas(what, image);
  if (!boxes.defined() || boxes.rank() != 2 || boxes.size(1) != 4)
    throw ShapeError(str(what, ": boxes must be [N, 4], got ", boxes));
  detail::check_count(what, "width", options.width, 1, most_pixels);
  const std::vector<Rgb> colours = colours_of(what, options.colours, boxes.size(0));
  const std::vector<std::int64_t> corners = whole(boxes);
  for (std::size_t i = 0; i < colours.size() && 4 * i < corners.size(); ++i) {
    const std::int64_t x1 = corners[4 * i], y1 = corners[4 * i + 1], x2 = corners[4 * i + 2], y2 = corners[4 * i + 3];
    if (x1 > x2 || y1 > y2)
      throw ValueError(
          str(what, ": box ", i, " must have x1 <= x2 and y1 <= y2, got ", x1, ", ", y1, ", ", x2, ", ", y2));
    const std::int64_t width = options.width;
    for (std::int64_t y = std::max<std::int64_t>(0, y1); y <= std::min(y2, canvas.height - 1); ++y)
      for (std::int64_t x = std::max<std::int64_t>(0, x1); x <= std::min(x2, canvas.width - 1); ++x) {
        const bool is_frame = x < x1 + width || x > x2 - width || y < y1 + width || y > y2 - width;
        if (is_frame) canvas.paint(y, x, colours[i]);
        else if (options.fill) canvas.paint(y, x, colours[i], 100);
      }
  }
  return canvas.image();
}

Tensor draw_segmentation_masks(const Tensor& image, const Tensor& masks, const DrawMasksOptions& options) {
  constexpr const char* what = "draw_segmentation_masks";
  Canvas canvas(what, image);
  detail::check_number(what, "alpha", options.alpha, detail::fraction);
  if (!masks.defined() || masks.dtype() != DType::boolean || masks.rank() < 2 || masks.rank() > 3 ||
      masks.size(-1) != canvas.width || masks.size(-2) != canvas.height)
    throw ShapeError(
        str(what, ": masks must be bool [N, H, W] or [H, W] of the image's size, got ", masks, " for ", image));
  const std::int64_t count = masks.rank() == 3 ? masks.size(0) : 1, pixels = canvas.height * canvas.width;
  const std::vector<Rgb> colours = colours_of(what, options.colours, count);
  const std::vector<int> covered = masks.to(Device()).to_vector<int>();
  const auto alpha = static_cast<float>(options.alpha);
  for (std::int64_t i = 0; i < pixels; ++i) {
    std::int64_t owners = 0, owner = 0;
    for (std::int64_t k = 0; k < count; ++k)
      if (covered[static_cast<std::size_t>(k * pixels + i)]) ++owners, owner = k;
    const Rgb colour = owners == 1 ? colours[static_cast<std::size_t>(owner)] : Rgb{};
    const std::uint8_t parts[] = {colour.red, colour.green, colour.blue};
    for (std::int64_t c = 0; c < 3; ++c) {
      float& value = canvas.values[static_cast<std::size_t>(c * pixels + i)];
      const float drawn = owners == 0 ? value : static_cast<float>(parts[c]) * canvas.white / 255;
      value = value * (1 - alpha) + drawn * alpha;
    }
  }
  return canvas.image();
}

Tensor draw_keypoints(const Tensor& image, const Tensor& keypoints, const DrawKeypointsOptions& options) {
  constexpr const char* what = "draw_keypoints";
  Canvas canvas(what, image);
  if (!keypoints.defined() || keypoints.rank() != 3 || keypoints.size(2) != 2)
    throw ShapeError(str(what, ": keypoints must be [N, K, 2], got ", keypoints));
  const std::int64_t instances = keypoints.size(0), count = keypoints.size(1);
  if (options.visibility.defined() && options.visibility.shape() != Shape({instances, count}))
    throw ShapeError(str(what, ": the visibility must be [", instances, ", ", count, "], got ", options.visibility));
  const std::vector<std::int64_t> points = whole(keypoints);
  const std::vector<int> visible = options.visibility.defined() ? options.visibility.to(Device()).to_vector<int>()
                                                                : std::vector<int>(points.size() / 2, 1);
  detail::check_count(what, "radius", options.radius, 0, most_pixels);
  detail::check_count(what, "width", options.width, 1, most_pixels);
  const std::int64_t radius = options.radius;
  const auto reach = static_cast<double>(radius) + 0.5;
  for (std::int64_t i = 0; i < instances; ++i) {
    const auto number = [&](std::int64_t k) {
      if (k < 0 || k >= count) throw IndexError(str(what, ": keypoint ", k, " is out of range for ", keypoints));
      return static_cast<std::size_t>(i * count + k);
    };
    for (std::int64_t k = 0; k < count; ++k) {
      if (!visible[number(k)]) continue;
      const std::int64_t cx = points[2 * number(k)], cy = points[2 * number(k) + 1];
      if (cx < -radius || cx >= canvas.width + radius || cy < -radius || cy >= canvas.height + radius) continue;
      for (std::int64_t y = std::max<std::int64_t>(0, cy - radius); y <= std::min(canvas.height - 1, cy + radius); ++y)
        for (std::int64_t x = std::max<std::int64_t>(0, cx - radius); x <= std::min(canvas.width - 1, cx + radius); ++x)
          if (static_cast<double>((x - cx) * (x - cx) + (y - cy) * (y - cy)) <= reach * reach)
            canvas.paint(y, x, options.colour);
    }
    for (const auto& [from, to] : options.connectivity) {
      const std::size_t a = number(from), b = number(to);
      if (!visible[a] || !visible[b]) continue;
      draw_line(canvas, static_cast<double>(points[2 * a]), static_cast<double>(points[2 * a + 1]),
                static_cast<double>(points[2 * b]), static_cast<double>(points[2 * b + 1]),
                static_cast<double>(options.width));
    }
  }
  return canvas.image();
}

Tensor flow_to_image(const Tensor& flow) {
  const bool is_single = flow.defined() && flow.rank() == 3;
  if (!flow.defined() || (flow.rank() != 4 && !is_single) || flow.size(-3) != 2)
    throw ShapeError(str("flow_to_image: the flow must be [2, H, W] or [N, 2, H, W], got ", flow));
  if (flow.dtype() != DType::float32) throw DTypeError(str("flow_to_image: the flow must be float32, got ", flow));
  const std::vector<float> values = flow.to(Device()).to_vector<float>();
  const std::size_t plane = static_cast<std::size_t>(flow.size(-1) * flow.size(-2));
  const std::size_t count = plane == 0 ? 0 : values.size() / (2 * plane);
  const auto length = [](float x, float y) { return std::sqrt(x * x + y * y); };
  float most = 0;
  for (std::size_t n = 0; n < count; ++n)
    for (std::size_t i = 0; i < plane; ++i)
      most = std::max(most, length(values[2 * n * plane + i], values[(2 * n + 1) * plane + i]));
  most += std::numeric_limits<float>::epsilon();
  Shape shape = flow.shape();
  shape[shape.rank() - 3] = 3;
  Tensor image = empty(shape, {.dtype = DType::uint8});
  const std::vector<std::array<float, 3>> wheel = colour_wheel();
  for (std::size_t n = 0; n < count; ++n)
    for (std::size_t i = 0; i < plane; ++i) {
      const float x = values[2 * n * plane + i] / most, y = values[(2 * n + 1) * plane + i] / most;
      const float turn = std::atan2(-y, -x) / std::numbers::pi_v<float>;
      const float at = (turn + 1) / 2 * static_cast<float>(wheel.size() - 1);
      const auto low = static_cast<std::size_t>(at), high = (low + 1) % wheel.size();
      const float rest = at - static_cast<float>(low);
      for (std::size_t c = 0; c < 3; ++c) {
        const float colour = (1 - rest) * (wheel[low][c] / 255) + rest * (wheel[high][c] / 255);
        image.data<std::uint8_t>()[(3 * n + c) * plane + i] =
            static_cast<std::uint8_t>(std::floor(255 * (1 - length(x, y) * (1 - colour))));
      }
    }
  return image;
}

}  // namespace minima
