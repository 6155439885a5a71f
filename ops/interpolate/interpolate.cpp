#include <minima/ops/interpolate/interpolate.h>

#include <minima/ops/arrange/arrange.h>
#include <minima/ops/copy/copy.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/reduce/sum.h>
#include <minima/ops/view/view.h>

#include <algorithm>
#include <cmath>

namespace minima {

namespace {

/// Which elements of a dimension a result is made of, and by how much of each.
struct Taps {
  std::int64_t per_result;
  std::vector<std::int64_t> places;
  std::vector<double> weights;
};

/// Keys' kernel at the distances 1 + t, t, 1 - t, 2 - t.
std::vector<double> cubic_weights(double t) {
  constexpr double a = -0.75;
  const auto near = [](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
  const auto far = [](double d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
  return {far(1 + t), near(t), near(1 - t), far(2 - t)};
}

/// `step`: how far apart neighbours of the result are in x.
Taps taps_of(const InterpolateOptions& options, std::int64_t size, std::int64_t result, double step) {
  Taps taps{options.mode == InterpolateMode::nearest ? 1 : options.mode == InterpolateMode::linear ? 2 : 4, {}, {}};
  const auto add = [&](double place, double weight) {
    taps.places.push_back(std::clamp<std::int64_t>(static_cast<std::int64_t>(place), 0, size - 1));
    taps.weights.push_back(weight);
  };
  for (std::int64_t i = 0; i < result; ++i) {
    const auto at = static_cast<double>(i);
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
  return taps;
}

Tensor resampled(const Tensor& x, int dim, std::int64_t result, const Taps& taps) {
  const auto count = static_cast<std::int64_t>(taps.places.size());
  const Tensor elements = index_select(x, dim, from_vector(taps.places, {count}, x.device()));
  if (taps.per_result == 1) return elements;
  Shape apart, weights;
  for (int d = 0; d < x.rank(); ++d) {
    apart.push_back(d == dim ? result : x.shape()[d]);
    weights.push_back(d == dim ? result : 1);
    if (d == dim) apart.push_back(taps.per_result), weights.push_back(taps.per_result);
  }
  return sum(reshape(elements, apart) * cast(from_vector(taps.weights, weights, x.device()), x.dtype()), {dim + 1});
}

void check(const Tensor& x, const InterpolateOptions& options) {
  const int spatial = x.rank() - 2;
  if (spatial < 1) throw ShapeError(str("interpolate: x must be [N, C, d1, …], got ", x));
  if (!is_floating(x.dtype())) throw DTypeError(str("interpolate: needs a floating tensor, got ", x, "; convert it with to()"));
  if (options.size.empty() == options.scale.empty()) throw ValueError("interpolate: give either size or scale");
  if (!options.size.empty() && options.size.rank() != spatial)
    throw ShapeError(str("interpolate: needs a size for each of the ", spatial, " spatial dimensions of x ", x, ", got ", options.size));
  if (options.scale.size() > 1 && static_cast<int>(options.scale.size()) != spatial)
    throw ShapeError(str("interpolate: needs one scale or one for each of the ", spatial, " spatial dimensions of x ", x, ", got ",
                         options.scale.size()));
}

}  // namespace

Tensor interpolate(const Tensor& x, const InterpolateOptions& options) {
  detail::check_defined("interpolate", x);
  check(x, options);
  const bool half = is_half(x.dtype()) && options.mode != InterpolateMode::nearest;
  Tensor y = half ? cast(x, DType::float32) : x;
  for (int d = 2; d < x.rank(); ++d) {
    const std::int64_t size = x.shape()[d];
    const double scale = options.scale.empty() ? 0 : options.scale[options.scale.size() == 1 ? 0 : static_cast<std::size_t>(d - 2)];
    const std::int64_t result = options.scale.empty() ? options.size[d - 2] : static_cast<std::int64_t>(std::floor(static_cast<double>(size) * scale));
    if (result < 1 || size < 1)
      throw ShapeError(str("interpolate: dimension ", d, " of x ", x, " cannot become ", result, " elements"));
    const double ratio = static_cast<double>(size) / static_cast<double>(result);
    const double step = options.align_corners && options.mode != InterpolateMode::nearest
                            ? (result > 1 ? static_cast<double>(size - 1) / static_cast<double>(result - 1) : 0.0)
                        : options.scale.empty() ? ratio : 1 / scale;
    y = resampled(y, d, result, taps_of(options, size, result, step));
  }
  return half ? cast(y, x.dtype()) : y;
}

}  // namespace minima
