#include <minima/ops/pooling/fractional_pool.h>

#include <minima/ops/copy/copy.h>
#include <minima/ops/core/op_support.h>
#include <minima/ops/creation/creation.h>
#include <minima/ops/creation/random.h>
#include <minima/ops/index/select.h>
#include <minima/ops/pointwise/arithmetic.h>
#include <minima/ops/pointwise/rounding.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/view/join.h>
#include <minima/ops/view/slice.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/random/generator.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima {

namespace {

/// A dimension to pool: elements of x, of a window, of the result, and which of the samples it uses.
struct FractionalAxis {
  std::int64_t length, kernel, size, sample;
};

/// Where the windows begin, int64 [N, C, size].
Tensor starts(const FractionalAxis& axis, const Tensor& samples) {
  const std::int64_t last = axis.length - axis.kernel;
  const Tensor ends =
      full({samples.size(0), samples.size(1), 1}, last, {.dtype = DType::int64, .device = samples.device()});
  if (axis.size == 1) return ends;
  const double alpha = static_cast<double>(last) / static_cast<double>(axis.size - 1);
  const Tensor s = narrow(samples, 2, axis.sample, 1);
  const Tensor at = arange(axis.size - 1, {.dtype = samples.dtype(), .device = samples.device()});
  return cat({(floor((at + s) * alpha) - floor(s * alpha)).to(DType::int64), ends}, 2);
}

ValuesAndIndices pooled(const char* op, const Tensor& given, std::vector<FractionalAxis> axes,
                        const Tensor& given_samples, RandomGenerator* generator) {
  const auto dims = static_cast<std::int64_t>(axes.size());
  const bool is_single = given.rank() == dims + 1;
  const Tensor x = is_single ? unsqueeze(given, 0) : given;
  const std::int64_t count = x.size(0), channels = x.size(1);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    axes[i].length = x.size(2 + static_cast<std::int64_t>(i));
    const FractionalAxis& a = axes[i];
    if (a.kernel < 1 || a.size < 1 || a.size > a.length || a.kernel > a.length - a.size + 1)
      throw ValueError(str(op, ": ", a.size, " windows of ", a.kernel, " do not fit in ", a.length, " elements of ",
                           given, "; kernel + size - 1 must not be larger"));
  }
  const Shape of_samples{count, channels, dims};
  const DType dtype = x.dtype() == DType::float64 ? DType::float64 : DType::float32;
  const Tensor samples =
      given_samples.defined() ? given_samples : rand(of_samples, {.dtype = dtype, .device = x.device()}, generator);
  if (samples.shape() != of_samples || !is_floating(samples.dtype()))
    throw ShapeError(str(op, ": samples must be floating ", of_samples, ", got ", samples));

  // The positions of all elements of all windows: [N, C, sizes…, kernels…], row by row.
  Tensor places;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const FractionalAxis& a = axes[i];
    Shape of_starts{count, channels}, of_steps{1, 1};
    for (std::size_t k = 0; k < 2 * axes.size(); ++k) {
      of_starts.push_back(k == i ? a.size : 1);
      of_steps.push_back(k == i + axes.size() ? a.kernel : 1);
    }
    const Tensor steps = arange(a.kernel, {.dtype = DType::int64, .device = x.device()});
    const Tensor along = reshape(starts(a, samples), of_starts) + reshape(steps, of_steps);
    places = places.defined() ? places * a.length + along : along;
  }
  std::int64_t elements = 1, windows = 1, within = 1;
  Shape result{count, channels};
  for (const FractionalAxis& a : axes) {
    elements *= a.length, windows *= a.size, within *= a.kernel;
    result.push_back(a.size);
  }
  const Tensor index = reshape(places, {count, channels, windows, within});
  const Tensor flat = reshape(x, {count, channels, elements});
  const Tensor taken =
      reshape(gather(flat.detach(), 2, reshape(index, {count, channels, windows * within})), index.shape());
  const Tensor best = reshape(gather(index, 3, argmax(taken, 3, true)), {count, channels, windows});
  const auto shaped = [&](const Tensor& y) {
    const Tensor all = reshape(y, result);
    return is_single ? select(all, 0, 0) : all;
  };
  return {shaped(gather(flat, 2, best)), shaped(best)};
}

void check_x(const char* op, const Tensor& x, std::int64_t dims) {
  detail::check_defined(op, x);
  if (!is_floating(x.dtype())) throw DTypeError(str(op, ": x must be floating, got ", x, "; convert it with to()"));
  if (x.rank() != dims + 1 && x.rank() != dims + 2)
    throw ShapeError(str(op, ": x must be ",
                         dims == 2 ? "[N, C, H, W] or [C, H, W]" : "[N, C, D, H, W] or [C, D, H, W]", ", got ", x));
}

}  // namespace

ValuesAndIndices fractional_max_pool2d_with_indices(const Tensor& x, const FractionalMaxPool2dOptions& options,
                                                    RandomGenerator* generator) {
  check_x("fractional_max_pool2d", x, 2);
  return pooled("fractional_max_pool2d", x,
                {{0, options.kernel.height, options.size.height, 1}, {0, options.kernel.width, options.size.width, 0}},
                options.samples, generator);
}

Tensor fractional_max_pool2d(const Tensor& x, const FractionalMaxPool2dOptions& options, RandomGenerator* generator) {
  return fractional_max_pool2d_with_indices(x, options, generator).values;
}

ValuesAndIndices fractional_max_pool3d_with_indices(const Tensor& x, const FractionalMaxPool3dOptions& options,
                                                    RandomGenerator* generator) {
  check_x("fractional_max_pool3d", x, 3);
  return pooled("fractional_max_pool3d", x,
                {{0, options.kernel.depth, options.size.depth, 0},
                 {0, options.kernel.height, options.size.height, 1},
                 {0, options.kernel.width, options.size.width, 2}},
                options.samples, generator);
}

Tensor fractional_max_pool3d(const Tensor& x, const FractionalMaxPool3dOptions& options, RandomGenerator* generator) {
  return fractional_max_pool3d_with_indices(x, options, generator).values;
}

}  // namespace minima
