#include <minima/ops/image/interpolate.h>

#include <minima/ops/convolution/images.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/image/kernels.h>
#include <minima/ops/image/taps.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/op.h>
#include <minima/ops/view/view.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace minima {

namespace {

using detail::image_layout;
using detail::Tap;
using detail::Taps;
using detail::wants_channels_last;

/// Resizes images. The gradient is the same operator with the taps of both dimensions transposed.
struct Interpolate {
  static constexpr Traits traits{.name = "interpolate"};
  Taps rows, columns;
  std::optional<InterpolateOptions> options{};  ///< that the taps are from, with a scale for each

  void list_attributes(detail::AttributeVisitor& visitor) const {
    if (!options) return;
    visitor.word("mode", options->mode == InterpolateMode::nearest  ? "nearest"
                         : options->mode == InterpolateMode::linear ? "linear"
                                                                    : "cubic");
    visitor.integer("align_corners", options->align_corners);
    visitor.integer("antialias", options->antialias);
    if (options->scale.empty()) return;
    visitor.number("scale_height", rows.size == 1 && rows.results == 1 ? 1 : options->scale.front());
    visitor.number("scale_width", options->scale.back());
  }

  TensorSpec result(const Tensor& x) const {
    return {image_layout(resized(x), wants_channels_last(x.layout())), x.dtype(), x.device()};
  }
  Cost cost(const Tensor& x) const {
    const Shape y = resized(x);
    const std::int64_t per_row = rows.per_result * columns.size + columns.per_result * columns.results;
    return {
        .flops = 2 * static_cast<double>(y[0] * y[1] * y[2]) * static_cast<double>(per_row),
        .bytes = (static_cast<double>(x.numel()) + static_cast<double>(numel(y))) * static_cast<double>(x.itemsize())};
  }
  void cpu(const Tensor& x, Tensor& y) const { detail::interpolate_kernel_cpu(in_order_of(y, x), rows, columns, y); }
  void cuda(const Tensor& x, Tensor& y) const { detail::interpolate_kernel_cuda(in_order_of(y, x), rows, columns, y); }
  Tensor gradient(Grad g) const { return apply(Interpolate{transposed(rows), transposed(columns)}, g); }

 private:
  Shape resized(const Tensor& x) const { return {x.shape()[0], x.shape()[1], rows.results, columns.results}; }
  /// x in y's memory order.
  static Tensor in_order_of(const Tensor& y, const Tensor& x) {
    const bool last = wants_channels_last(y.layout()) || wants_channels_last(x.layout());
    return detail::arranged(x, image_layout(x.shape(), last));
  }
};

/// Keys' kernel at the distances 1 + t, t, 1 - t, 2 - t.
std::vector<double> cubic_weights(double t) {
  constexpr double a = -0.75;
  const auto near = [](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
  const auto far = [](double d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
  return {far(1 + t), near(t), near(1 - t), far(2 - t)};
}

/// The taps of a filter that is as wide as a result where results are larger than elements. `step` as in taps_of.
Taps antialiased_taps(InterpolateMode mode, std::int64_t size, std::int64_t results, double step) {
  const bool linear = mode == InterpolateMode::linear;
  const auto filter = [&](double d) {
    d = std::abs(d);
    if (linear) return std::max(1 - d, 0.0);
    constexpr double a = -0.5;
    if (d < 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
    return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0.0;
  };
  const double width = std::max(step, 1.0), support = (linear ? 1 : 2) * width;
  std::vector<Tap> parts;
  for (std::int64_t i = 0; i < results; ++i) {
    const double centre = step * (static_cast<double>(i) + 0.5);
    const auto first = static_cast<std::int64_t>(std::max(centre - support + 0.5, 0.0));
    const auto last = static_cast<std::int64_t>(std::min(centre + support + 0.5, static_cast<double>(size)));
    double total = 0;
    const std::size_t start = parts.size();
    for (std::int64_t j = first; j < last; ++j) {
      const double weight = filter((static_cast<double>(j) - centre + 0.5) / width);
      parts.push_back({i, j, weight});
      total += weight;
    }
    for (std::size_t k = start; k < parts.size(); ++k) parts[k].weight /= total;
  }
  return detail::make_taps(size, results, parts);
}

/// `step`: the distance in x between adjacent results.
Taps taps_of(const InterpolateOptions& options, std::int64_t size, std::int64_t results, double step) {
  if (options.antialias) return antialiased_taps(options.mode, size, results, step);
  std::vector<Tap> parts;
  for (std::int64_t i = 0; i < results; ++i) {
    const auto at = static_cast<double>(i);
    const auto add = [&](double place, double weight) {
      parts.push_back({i, std::clamp<std::int64_t>(static_cast<std::int64_t>(place), 0, size - 1), weight});
    };
    if (options.mode == InterpolateMode::nearest) {
      add(std::floor(at * step), 1);
      continue;
    }
    double x = options.align_corners ? at * step : (at + 0.5) * step - 0.5;
    if (options.mode == InterpolateMode::linear) {
      x = std::max(x, 0.0);
      const double low = std::floor(x);
      add(low, 1 - (x - low));
      add(low + 1, x - low);
    } else {
      const double low = std::floor(x);
      const std::vector<double> weights = cubic_weights(x - low);
      for (int k = 0; k < 4; ++k) add(low - 1 + k, weights[static_cast<std::size_t>(k)]);
    }
  }
  return detail::make_taps(size, results, parts);
}

void check(const Tensor& x, const InterpolateOptions& options) {
  const int spatial = x.rank() - 2;
  if (spatial < 1) throw ShapeError(str("interpolate: x must be [N, C, d1, …], got ", x));
  if (!is_floating(x.dtype()))
    throw DTypeError(str("interpolate: needs a floating tensor, got ", x, "; convert it with to()"));
  if (options.size.empty() == options.scale.empty()) throw ValueError("interpolate: give either size or scale");
  if (options.align_corners && options.mode == InterpolateMode::nearest)
    throw ValueError("interpolate: align_corners does not apply to mode nearest; use linear or cubic");
  if (options.antialias && options.mode == InterpolateMode::nearest)
    throw ValueError("interpolate: antialias does not apply to mode nearest; use linear or cubic");
  for (const double scale : options.scale)
    if (!(scale > 0) || std::isinf(scale))
      throw ValueError(str("interpolate: scale must be positive and finite, got ", scale));
  if (!options.size.empty() && options.size.rank() != spatial)
    throw ShapeError(str("interpolate: needs a size for each of the ", spatial, " spatial dimensions of x ", x,
                         ", got ", options.size));
  if (options.scale.size() > 1 && static_cast<int>(options.scale.size()) != spatial)
    throw ShapeError(str("interpolate: needs one scale or one for each of the ", spatial, " spatial dimensions of x ",
                         x, ", got ", options.scale.size()));
}

/// Taps for each spatial dimension of x.
std::vector<Taps> all_taps(const Tensor& x, const InterpolateOptions& options) {
  std::vector<Taps> taps;
  for (int d = 2; d < x.rank(); ++d) {
    const std::int64_t size = x.shape()[d];
    const bool sized = options.scale.empty();
    const double scale = sized ? 0 : options.scale[options.scale.size() == 1 ? 0 : static_cast<std::size_t>(d - 2)];
    const double scaled_size = std::floor(static_cast<double>(size) * scale);
    if (scaled_size >= 0x1p63)
      throw ValueError(str("interpolate: a size of ", size, " times scale ", scale, " overflows an int64"));
    const auto scaled = static_cast<std::int64_t>(scaled_size);
    const std::int64_t results = sized ? options.size[d - 2] : scaled;
    if (results < 1 || size < 1)
      throw ShapeError(str("interpolate: dimension ", d, " of x ", x, " cannot be resized to ", results, " elements"));
    detail::expect_table(size, results);
    const double ratio = static_cast<double>(size) / static_cast<double>(results);
    const double step = options.align_corners && options.mode != InterpolateMode::nearest
                            ? (results > 1 ? static_cast<double>(size - 1) / static_cast<double>(results - 1) : 0.0)
                        : sized ? ratio
                                : 1 / scale;
    taps.push_back(taps_of(options, size, results, step));
  }
  return taps;
}

/// Three or more spatial dimensions: resizes the last two as images, then each of the others as rows of images whose
/// columns are the dimensions after it. Half types stay in float32 until the end.
Tensor resized_volume(const Tensor& x, const std::vector<Taps>& taps, const InterpolateOptions& options) {
  const bool half = is_half(x.dtype());
  Shape shape = x.shape();
  const auto images = [&](int first, int end) {  // dimensions [first, end) as rows
    Shape merged{shape[0], 1, 1, 1};
    for (int d = 1; d < shape.rank(); ++d) merged[d < first ? 1 : d < end ? 2 : 3] *= shape[d];
    return merged;
  };
  const auto of = [&](int d) -> const Taps& { return taps[static_cast<std::size_t>(d - 2)]; };
  const auto options_of = [&](int row, int column) {  // dimensions, 0 for one that stays
    InterpolateOptions own = options;
    own.size = {};
    const auto scale = [&](int d) {
      return d == 0 ? 1.0 : options.scale[options.scale.size() == 1 ? 0 : static_cast<std::size_t>(d - 2)];
    };
    if (!options.scale.empty()) own.scale = {scale(row), scale(column)};
    return own;
  };
  const int last = x.rank() - 1;
  Tensor y = half ? cast(x, DType::float32) : x;
  y = apply(Interpolate{of(last - 1), of(last), options_of(last - 1, last)}, reshape(y, images(last - 1, last)));
  shape[last - 1] = of(last - 1).results;
  shape[last] = of(last).results;
  for (int d = last - 2; d >= 2; --d) {
    const Shape merged = images(d, d + 1);
    y = apply(Interpolate{of(d), detail::identity_taps(merged[3]), options_of(d, 0)}, reshape(y, merged));
    shape[d] = of(d).results;
  }
  y = reshape(y, shape);
  if (half) y = cast(y, x.dtype());
  return x.rank() == 5 && wants_channels_last(x.layout()) ? channels_last(y) : y;
}

}  // namespace

Tensor interpolate(const Tensor& x, const InterpolateOptions& options) {
  detail::check_defined("interpolate", x);
  check(x, options);
  const std::vector<Taps> taps = all_taps(x, options);
  if (x.rank() == 3) return squeeze(apply(Interpolate{detail::identity_taps(1), taps[0], options}, unsqueeze(x, 2)), 2);
  if (x.rank() == 4) return apply(Interpolate{taps[0], taps[1], options}, x);
  return resized_volume(x, taps, options);
}

}  // namespace minima
