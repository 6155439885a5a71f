#include <minima/onnx/operators/operators.h>

#include <minima/ops/ops.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// Resize: by interpolate where PyTorch's interpolation is meant, else each dimension as a sum of weighted places.

namespace minima::onnx {

namespace resizing {

namespace {

/// The attributes that all dimensions share.
struct Method {
  std::string mode, places, rounding;
  double cubic_a = -0.75, outside = 0;
  bool excludes_outside = false, antialias = false;
};

/// A dimension, its sizes before and after, and the part of it that is resized, from 0 to 1.
struct Axis {
  int dim;
  std::int64_t from, to;
  double scale, first = 0, last = 1;
};

/// The place in the input that element i of the result is read at.
double position(const Method& method, const Axis& axis, std::int64_t i) {
  const auto at = static_cast<double>(i), from = static_cast<double>(axis.from), length = axis.scale * from;
  const std::string& places = method.places;
  if (places == "asymmetric") return at / axis.scale;
  if (places == "align_corners") return length == 1 ? 0 : at * (from - 1) / (length - 1);
  if (places == "tf_half_pixel_for_nn") return (at + 0.5) / axis.scale;
  if (places == "tf_crop_and_resize") {
    const double width = (axis.last - axis.first) * (from - 1);
    return axis.first * (from - 1) + (length == 1 ? width / 2 : at * width / (length - 1));
  }
  const double centre = (at + 0.5) / axis.scale - 0.5;
  if (places == "pytorch_half_pixel") return axis.to == 1 ? 0 : centre;
  if (places == "half_pixel_symmetric") return from / 2 * (1 - static_cast<double>(axis.to) / length) + centre;
  return centre;
}

/// The place nearest to x, of two equally near ones that which `nearest_mode` prefers.
double nearest(const Method& method, double x) {
  const double below = std::floor(x), rest = x - below;
  if (rest == 0 || method.rounding == "floor") return below;
  if (method.rounding == "ceil") return below + 1;
  return rest < 0.5 || (rest == 0.5 && method.rounding == "round_prefer_floor") ? below : below + 1;
}

/// The weight of an element at a distance.
double weight_at(const Method& method, double distance) {
  const double d = std::abs(distance), a = method.cubic_a;
  if (method.mode == "linear") return std::max(0.0, 1 - d);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

/// Element i of the result is the sum of the elements places[k][i] of the input times weights[k][i].
struct Taps {
  std::vector<std::vector<std::int64_t>> places;
  std::vector<std::vector<double>> weights;  ///< none: a single place
};

Taps taps_of(const Method& method, const Axis& axis) {
  const auto size = static_cast<std::size_t>(axis.to);
  const bool is_nearest = method.mode == "nearest";
  const double shrinking = method.antialias ? std::min(axis.scale, 1.0) : 1, radius = method.mode == "linear" ? 1 : 2;
  const auto half = is_nearest ? 0 : static_cast<std::int64_t>(std::ceil(radius / shrinking));
  if (half > 2 * axis.from + 2) throw ValueError("onnx: Resize shrinks an image to less than a pixel");
  Taps taps;
  taps.places.assign(is_nearest ? 1 : static_cast<std::size_t>(2 * half), std::vector<std::int64_t>(size));
  if (!is_nearest) taps.weights.assign(taps.places.size(), std::vector<double>(size));
  const auto inside = [&](double place) {
    return static_cast<std::int64_t>(std::clamp(place, 0.0, static_cast<double>(axis.from - 1)));
  };
  for (std::size_t i = 0; i < size; ++i) {
    const double x = position(method, axis, static_cast<std::int64_t>(i));
    if (is_nearest) {
      taps.places[0][i] = inside(nearest(method, x));
      continue;
    }
    double total = 0;
    for (std::size_t k = 0; k < taps.places.size(); ++k) {
      const double place = std::floor(x) + static_cast<double>(static_cast<std::int64_t>(k) + 1 - half);
      const bool is_outside = place < 0 || place > static_cast<double>(axis.from - 1);
      const double weight = method.excludes_outside && is_outside ? 0 : weight_at(method, (place - x) * shrinking);
      taps.places[k][i] = inside(place);
      taps.weights[k][i] = weight;
      total += weight;
    }
    if (method.excludes_outside || method.antialias)
      for (std::vector<double>& weights : taps.weights) weights[i] /= total;
  }
  return taps;
}

/// Values of a dimension, to broadcast against x.
template <class T>
Tensor along(const Tensor& x, int dim, const std::vector<T>& values) {
  Shape shape = Shape::filled(x.rank(), 1);
  shape[dim] = static_cast<std::int64_t>(values.size());
  return from_vector(values, shape).to(x.device());
}

/// Whether nothing moves.
bool is_same(const Method& method, const Axis& axis) {
  if (axis.from != axis.to || axis.scale != 1) return false;
  return position(method, axis, 0) == 0;
}

Tensor resized_along(const Tensor& x, const Method& method, const Axis& axis) {
  if (is_same(method, axis)) return x;
  if (axis.from == 0) throw ValueError(str("onnx: Resize of ", x, ", which is empty along dimension ", axis.dim));
  const Taps taps = taps_of(method, axis);
  Tensor y;
  for (std::size_t k = 0; k < taps.places.size(); ++k) {
    const Tensor part = index_select(x, axis.dim, reshape(along(x, axis.dim, taps.places[k]), {axis.to}));
    if (taps.weights.empty()) y = part;
    else if (const Tensor term = part * along(x, axis.dim, taps.weights[k]).to(x.dtype()); k == 0) y = term;
    else y = y + term;
  }
  if (method.places != "tf_crop_and_resize") return y;
  std::vector<std::int64_t> is_outside(static_cast<std::size_t>(axis.to));
  for (std::int64_t i = 0; i < axis.to; ++i) {
    const double at = position(method, axis, i);
    is_outside[static_cast<std::size_t>(i)] = at < 0 || at > static_cast<double>(axis.from - 1);
  }
  return where(along(x, axis.dim, is_outside) != 0,
               full({}, method.outside, {.dtype = x.dtype(), .device = x.device()}), y);
}

/// The dimensions that scales and sizes are given for: those of an attribute, or all.
std::vector<int> dims_of(const Call& in) {
  std::vector<int> dims;
  if (!in.has("axes"))
    for (int d = 0; d < in[0].rank(); ++d) dims.push_back(d);
  for (const std::int64_t axis : in.ints("axes")) dims.push_back(wrap_dim(axis, in[0].rank(), "Resize"));
  return dims;
}

/// The dimensions to resize. A scale is the one given, or the quotient of the sizes.
std::vector<Axis> axes_of(const Call& in, const Tensor& scales, const Tensor& sizes) {
  const Tensor& x = in[0];
  const std::vector<int> dims = dims_of(in);
  const std::string policy = in.word("keep_aspect_ratio_policy", {"stretch", "not_larger", "not_smaller"});
  std::vector<Axis> axes;
  axes.reserve(dims.size());
  const bool has_scales = scales.defined() && scales.numel() > 0;
  if (has_scales == (sizes.defined() && sizes.numel() > 0))
    throw ValueError("onnx: Resize takes either scales or sizes");
  const std::vector<double> factors = has_scales ? scales.to(float64).to_vector<double>() : std::vector<double>();
  const std::vector<std::int64_t> wanted = has_scales ? std::vector<std::int64_t>() : sizes.to_vector<std::int64_t>();
  if (const std::size_t count = has_scales ? factors.size() : wanted.size(); count != dims.size())
    throw ValueError(str("onnx: Resize has ", count, " numbers for ", dims.size(), " dimensions"));
  for (std::size_t k = 0; k < dims.size(); ++k) {
    const std::int64_t from = x.size(dims[k]);
    const double scale =
        has_scales ? factors[k] : static_cast<double>(wanted[k]) / static_cast<double>(std::max<std::int64_t>(from, 1));
    const double to = has_scales ? std::floor(scale * static_cast<double>(from)) : static_cast<double>(wanted[k]);
    if (!(scale > 0) || !(to < 1e9)) throw ValueError(str("onnx: Resize by a factor of ", scale));
    axes.push_back({dims[k], from, static_cast<std::int64_t>(to), scale});
  }
  if (policy != "stretch" && !has_scales && !axes.empty()) {
    const auto less = [](const Axis& a, const Axis& b) { return a.scale < b.scale; };
    const double scale = policy == "not_larger" ? std::min_element(axes.begin(), axes.end(), less)->scale
                                                : std::max_element(axes.begin(), axes.end(), less)->scale;
    for (Axis& axis : axes) {
      axis.scale = scale;
      axis.to = static_cast<std::int64_t>(std::floor(scale * static_cast<double>(axis.from) + 0.5));
    }
  }
  return axes;
}

void read_region(const Call& in, std::vector<Axis>& axes) {
  const std::vector<double> region = in[1].to(float64).to_vector<double>();
  if (region.size() != 2 * axes.size())
    throw ValueError(str("onnx: Resize has a region with ", region.size(), " bounds for ", axes.size(), " dimensions"));
  for (std::size_t k = 0; k < axes.size(); ++k) axes[k].first = region[k], axes[k].last = region[k + axes.size()];
}

/// Whether interpolate takes the same places with the same weights.
bool is_interpolation(const Tensor& x, const Method& method, const std::vector<Axis>& axes, bool has_scales) {
  if (x.rank() < 3 || !is_floating(x.dtype()) || method.antialias || method.excludes_outside) return false;
  if (method.mode == "cubic" && method.cubic_a != -0.75) return false;
  for (const Axis& axis : axes) {
    const bool moves = axis.scale != 1 || axis.from != axis.to;
    if (axis.dim < 2 && moves) return false;
    const double from = static_cast<double>(axis.from), to = static_cast<double>(axis.to);
    if (!has_scales && axis.scale != to / from) return false;  // interpolate takes the sizes' quotient
    if (method.mode == "nearest") {
      // Whole factors give the same elements from the centres and from the corners of pixels.
      const bool by_corner = method.places == "asymmetric" && method.rounding == "floor",
                 by_centre = method.places == "half_pixel" && method.rounding.starts_with("round") &&
                             axis.scale == std::floor(axis.scale);
      if (!by_corner && !by_centre) return false;
    } else if (method.places == "align_corners") {
      if (axis.scale * from != to) return false;  // interpolate aligns the sizes
    } else if (method.places != "half_pixel" && !(method.places == "pytorch_half_pixel" && axis.to > 1)) {
      return false;
    }
  }
  return true;
}

Tensor interpolated(const Tensor& x, const Method& method, const std::vector<Axis>& axes, bool has_scales) {
  InterpolateOptions options{.mode = method.mode == "nearest"  ? InterpolateMode::nearest
                                     : method.mode == "linear" ? InterpolateMode::linear
                                                               : InterpolateMode::cubic,
                             .align_corners = method.places == "align_corners"};
  std::vector<double> scales(static_cast<std::size_t>(x.rank()), 1);
  Shape sizes = x.shape();
  for (const Axis& axis : axes) {
    scales[static_cast<std::size_t>(axis.dim)] = axis.scale;
    sizes[axis.dim] = axis.to;
  }
  if (has_scales) {
    options.scale.assign(scales.begin() + 2, scales.end());
  } else {
    for (int d = 2; d < x.rank(); ++d) options.size.push_back(sizes[d]);
  }
  return interpolate(x, options);
}

Tensor resized(const Tensor& x, const Method& method, const std::vector<Axis>& axes, bool has_scales) {
  if (is_interpolation(x, method, axes, has_scales)) return interpolated(x, method, axes, has_scales);
  const bool is_wide = method.mode == "nearest" || x.dtype() == float32 || x.dtype() == float64;
  Tensor y = is_wide ? x : x.to(float32);
  for (const Axis& axis : axes) y = resized_along(y, method, axis);
  return y.to(x.dtype());
}

/// As before opset 11: places are counted from the corners.
Tensor resized_by_corners(const Call& in, const Tensor& scales) {
  const Method method{.mode = in.word("mode", {"nearest", "linear"}), .places = "asymmetric", .rounding = "floor"};
  const std::vector<Axis> axes = axes_of(in, scales, Tensor());
  // These opsets did not define what a shrunk image is made of.
  for (const Axis& axis : axes)
    if (axis.scale < 1)
      throw ValueError(str("onnx: a resizing by ", axis.scale, " is not defined in opset ", in.opset(),
                           "; export the model for opset 11 or later"));
  return resized(in[0], method, axes, true);
}

Tensor resized_by_method(const Call& in) {
  if (in.opset() < 11) return resized_by_corners(in, in[1]);
  const std::string places = in.word("coordinate_transformation_mode",
                                     {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
                                      "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"});
  const Method method{.mode = in.word("mode", {"nearest", "linear", "cubic"}),
                      .places = places,
                      .rounding = in.word("nearest_mode", {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}),
                      .cubic_a = in.f("cubic_coeff_a", -0.75),
                      .outside = in.f("extrapolation_value"),
                      .excludes_outside = in.i("exclude_outside") != 0,
                      .antialias = in.i("antialias") != 0};
  const Tensor scales = in.has(2) ? in[2] : Tensor(), sizes = in.has(3) ? in[3] : Tensor();
  std::vector<Axis> axes = axes_of(in, scales, sizes);
  if (places == "tf_crop_and_resize") read_region(in, axes);
  else if (in.has(1)) in[1];  // nothing else looks at it
  return resized(in[0], method, axes, scales.defined() && scales.numel() > 0);
}

/// Factors are an attribute in opset 7 and an input in opset 9.
Tensor upsampled(const Call& in) {
  if (in.has(1)) return resized_by_corners(in, in[1]);
  const std::vector<float> factors = in.floats("scales");
  return resized_by_corners(in, from_vector(factors, {static_cast<std::int64_t>(factors.size())}));
}

}  // namespace

}  // namespace resizing

void add_resize(Operators& o) {
  using namespace resizing;
  o["Resize"] = call(resized_by_method);
  o["Upsample"] = call(upsampled);
}

}  // namespace minima::onnx
