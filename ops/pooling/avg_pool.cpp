#include <minima/ops/pooling/avg_pool.h>

#include <minima/ops/convolution/images.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/op.h>
#include <minima/ops/pooling/kernels.h>
#include <minima/ops/pooling/pool_axis.h>
#include <minima/ops/view/view.h>
#include <minima/tensor/layout/checked.h>
#include <minima/tensor/memory/blocks/memory_stats.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace minima {

namespace {

using detail::AvgWindows;
using detail::image_layout;
using detail::wants_channels_last;

/// Shared by both operators: the windows, derived from the options once.
struct Windows {
  AvgWindows rows, columns;
  Shape pooled(const Shape& x) const {
    return {x[0], x[1], static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(columns.size())};
  }
};

Cost reading(const Tensor& x, std::int64_t results) {
  const double elements = static_cast<double>(x.numel()) + static_cast<double>(results);
  return {.flops = elements, .bytes = elements * static_cast<double>(x.itemsize())};
}

/// x in a dtype that the kernels compute in and in the given memory order.
Tensor prepare(const Tensor& x, bool channels_last) {
  const Layout layout = image_layout(x.shape(), channels_last);
  if (!is_half(x.dtype())) return detail::arranged(x, layout);
  const PurposeGuard purpose(Purpose::temporaries);
  const Tensor wide = empty(layout, {.dtype = DType::float32, .device = x.device()});
  detail::copy_values(x, wide);
  return wide;
}

/// Whether x should be channels_last for a result y: y's own order, or x's where sizes of 1 leave it ambiguous.
bool is_last_for(const Tensor& y, const Tensor& x) {
  return wants_channels_last(y.layout()) || (wants_channels_last(x.layout()) && y.layout().is_channels_last());
}

/// x in y's memory order.
Tensor in_order_of(const Tensor& y, const Tensor& x) {
  return detail::arranged(x, image_layout(x.shape(), is_last_for(y, x)));
}

/// Runs kernel(x, y) with y itself or, for a half type, a wider temporary that is then rounded into it.
template <class F>
void with_compute_dtype(const Tensor& x, const Tensor& y, F&& kernel) {
  const bool last = is_last_for(y, x);
  const Tensor input = prepare(x, last);
  const bool direct = !is_half(y.dtype());
  const PurposeGuard purpose(Purpose::temporaries);
  const Tensor output =
      direct ? y : empty(image_layout(y.shape(), last), {.dtype = DType::float32, .device = y.device()});
  kernel(input, output);
  if (!direct) detail::copy_values(output, y);
}

Tensor spread(const Windows& windows, const Tensor& g, const Layout& x);

struct AvgPool2d {
  static constexpr Traits traits{.name = "avg_pool2d"};
  Windows windows;
  std::optional<AvgPool2dOptions> options{};  ///< that the windows are from; none of equal parts

  void list_attributes(detail::AttributeVisitor& visitor) const {
    visitor.integer("equal_parts", !options);
    if (!options) return;
    visitor.integers("kernel", {options->kernel.height, options->kernel.width});
    visitor.integers("stride", {options->stride.height, options->stride.width});
    visitor.integers("padding", {options->padding.height, options->padding.width});
    visitor.integer("ceil_mode", options->ceil_mode);
    visitor.integer("count_include_pad", options->count_include_pad);
    visitor.integer("divisor", options->divisor);
  }

  TensorSpec result(const Tensor& x) const {
    if (!is_floating(x.dtype()))
      throw DTypeError(str("avg_pool2d: needs a floating tensor, got ", x, "; convert it with to()"));
    return {image_layout(windows.pooled(x.shape()), wants_channels_last(x.layout())), x.dtype(), x.device()};
  }
  Cost cost(const Tensor& x) const { return reading(x, numel(windows.pooled(x.shape()))); }
  void cpu(const Tensor& x, Tensor& y) const {
    with_compute_dtype(x, y, [&](const Tensor& from, const Tensor& to) {
      detail::avg_pool2d_kernel_cpu(from, windows.rows, windows.columns, to);
    });
  }
  void cuda(const Tensor& x, Tensor& y) const {
    detail::avg_pool2d_kernel_cuda(in_order_of(y, x), windows.rows, windows.columns, y);
  }
  Tensor gradient(Grad g, Spec<0> x) const { return spread(windows, g, x.layout); }
};

struct Spread {
  static constexpr Traits traits{.name = "avg_pool2d_gradient"};
  Windows windows;
  Layout x;  ///< row-major or channels_last

  TensorSpec result(const Tensor& g) const { return {x, g.dtype(), g.device()}; }
  Cost cost(const Tensor& g) const { return reading(g, x.numel()); }
  void cpu(const Tensor& g, Tensor& y) const {
    with_compute_dtype(g, y, [&](const Tensor& from, const Tensor& to) {
      detail::avg_pool2d_spread_cpu(from, windows.rows, windows.columns, to);
    });
  }
  void cuda(const Tensor& g, Tensor& y) const {
    detail::avg_pool2d_spread_cuda(in_order_of(y, g), windows.rows, windows.columns, y);
  }
  Tensor gradient(Grad u) const { return apply(AvgPool2d{windows}, u); }
};

Tensor spread(const Windows& windows, const Tensor& g, const Layout& x) {
  return apply(Spread{windows, image_layout(x.shape, wants_channels_last(x))}, g);
}

/// `divisor`: of every window, unless it is 0.
AvgWindows windows_of(const detail::PoolAxis& axis, bool count_include_pad, std::int64_t divisor) {
  detail::expect_room(axis.windows, sizeof(detail::AvgWindow), "avg_pool2d");
  AvgWindows windows;
  for (std::int64_t i = 0; i < axis.windows; ++i) {
    const std::int64_t begin = axis.source(i, 0);
    const auto end =
        static_cast<std::int64_t>(std::min(detail::Wide{begin} + axis.kernel, detail::Wide{axis.size} + axis.padding));
    const std::int64_t first = std::max<std::int64_t>(begin, 0), last = std::min(end, axis.size);
    windows.push_back({first, last, divisor != 0 ? divisor : count_include_pad ? end - begin : last - first});
  }
  return windows;
}

AvgWindows equal_parts(std::int64_t size, std::int64_t parts) {
  detail::expect_room(parts, sizeof(detail::AvgWindow), "adaptive_avg_pool2d");
  AvgWindows windows;
  for (std::int64_t i = 0; i < parts; ++i) {
    const std::int64_t first = detail::part_start(i, parts, size), last = detail::part_stop(i, parts, size);
    windows.push_back({first, last, last - first});
  }
  return windows;
}

Tensor averaged(const Tensor& x, const AvgPool2dOptions& o) {
  if (!x.defined()) throw ValueError("avg_pool2d: argument 0 is undefined");
  if (o.divisor < 0) throw ValueError(str("avg_pool2d: divisor must not be negative, got ", o.divisor));
  const auto axis = [&](int dim, std::int64_t kernel, std::int64_t stride, std::int64_t padding) {
    return windows_of(detail::pool_axis("avg_pool2d", x.shape(), dim, kernel, stride, padding, 1, o.ceil_mode),
                      o.count_include_pad, o.divisor != 0 && dim == 3 ? 1 : o.divisor);
  };
  return apply(AvgPool2d{{axis(2, o.kernel.height, o.stride.height, o.padding.height),
                          axis(3, o.kernel.width, o.stride.width, o.padding.width)},
                         o},
               x);
}

Tensor averaged_parts(const Tensor& x, Pair size) {
  if (!x.defined()) throw ValueError("adaptive_avg_pool2d: argument 0 is undefined");
  if (!is_floating(x.dtype()))
    throw DTypeError(str("adaptive_avg_pool2d: needs a floating tensor, got ", x, "; convert it with to()"));
  if (x.rank() != 4) throw ShapeError(str("adaptive_avg_pool2d: x must be [N, C, H, W] or [C, H, W], got ", x.shape()));
  if (size.height < 1 || size.width < 1)
    throw ValueError(str("adaptive_avg_pool2d: size must be at least 1, got [", size.height, ", ", size.width, "]"));
  if (x.shape()[2] == 0 || x.shape()[3] == 0)
    throw ShapeError(str("adaptive_avg_pool2d: the images of x ", x.shape(), " are empty"));
  return apply(AvgPool2d{{equal_parts(x.shape()[2], size.height), equal_parts(x.shape()[3], size.width)}}, x);
}

}  // namespace

Tensor avg_pool2d(const Tensor& x, const AvgPool2dOptions& options) {
  return detail::with_batch(x, 4, [&](const Tensor& batch) { return averaged(batch, options); });
}

Tensor adaptive_avg_pool2d(const Tensor& x, Pair size) {
  return detail::with_batch(x, 4, [&](const Tensor& batch) { return averaged_parts(batch, size); });
}

Tensor avg_pool1d(const Tensor& x, const AvgPool1dOptions& options) {
  return detail::with_batch(x, 3, [&](const Tensor& batch) {
    return squeeze(avg_pool2d(detail::as_image("avg_pool1d", batch, options.kernel, options.stride, options.padding, 1),
                              {.kernel = {1, options.kernel},
                               .stride = {1, options.stride},
                               .padding = {0, options.padding},
                               .ceil_mode = options.ceil_mode,
                               .count_include_pad = options.count_include_pad}),
                   2);
  });
}

Tensor adaptive_avg_pool1d(const Tensor& x, std::int64_t size) {
  return detail::with_batch(x, 3, [&](const Tensor& batch) {
    detail::check_sequence("adaptive_avg_pool1d", batch);
    if (size < 1) throw ValueError(str("adaptive_avg_pool1d: the size must be positive, got ", size));
    if (batch.size(2) < 1) throw ShapeError(str("adaptive_avg_pool1d: x ", batch, " has no elements to pool"));
    return squeeze(adaptive_avg_pool2d(unsqueeze(batch, 2), {1, size}), 2);
  });
}

}  // namespace minima
