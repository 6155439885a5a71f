#include <minima/ops/pooling/max_pool.h>

#include <minima/ops/convolution/images.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/op.h>
#include <minima/ops/pointwise/activation_gradient.h>
#include <minima/ops/pointwise/functors/activation.h>
#include <minima/ops/pooling/kernels.h>
#include <minima/ops/pooling/pool_axis.h>
#include <minima/ops/reduce/extreme.h>
#include <minima/ops/view/view.h>

#include <array>
#include <cstdint>
#include <limits>
#include <utility>

namespace minima {

namespace {

using detail::arranged;
using detail::image_layout;
using detail::PoolAxis;
using detail::wants_channels_last;

Cost moving(const Tensor& from, const Shape& to, const Tensor& indices) {
  return {.bytes = (static_cast<double>(from.numel()) + static_cast<double>(numel(to))) *
                       static_cast<double>(from.itemsize()) +
                   static_cast<double>(indices.numel()) * static_cast<double>(indices.itemsize())};
}

/// Selects the elements at the maxima, for the gradient of the gradient.
struct MaximaGather {
  static constexpr Traits traits{.name = "max_pool2d_gather"};
  PoolAxis rows, columns;
  TensorSpec result(const Tensor& x, const Tensor& indices) const {
    return {image_layout(indices.shape(), wants_channels_last(x.layout())), x.dtype(), x.device()};
  }
  Cost cost(const Tensor& x, const Tensor& indices) const { return moving(x, indices.shape(), indices); }
  void cpu(const Tensor& x, const Tensor& indices, Tensor& y) const {
    run(x, indices, y, detail::max_pool2d_gather_cpu);
  }
  void cuda(const Tensor& x, const Tensor& indices, Tensor& y) const {
    run(x, indices, y, detail::max_pool2d_gather_cuda);
  }
  void run(const Tensor& x, const Tensor& indices, Tensor& y,
           void (*kernel)(const Tensor&, const Tensor&, const Tensor&)) const {
    const bool last = wants_channels_last(y.layout()) || wants_channels_last(x.layout());
    kernel(arranged(x, image_layout(x.shape(), last)), arranged(indices, image_layout(indices.shape(), last)), y);
  }
  Gradients<2> gradient(Grad g, Input<1> indices, Spec<0> x) const;
};

/// Adds a gradient at the positions of the maxima.
struct MaximaScatter {
  static constexpr Traits traits{.name = "max_pool2d_gradient"};
  Layout x;  ///< row-major or channels_last
  PoolAxis rows, columns;
  TensorSpec result(const Tensor& g, const Tensor&) const { return {x, g.dtype(), g.device()}; }
  Cost cost(const Tensor& g, const Tensor& indices) const { return moving(g, x.shape, indices); }
  void cpu(const Tensor& g, const Tensor& indices, Tensor& y) const {
    const Layout layout = image_layout(g.shape(), wants_channels_last(x));
    detail::max_pool2d_scatter_cpu(arranged(g, layout), arranged(indices, layout), rows, columns, y);
  }
  void cuda(const Tensor& g, const Tensor& indices, Tensor& y) const {
    const Layout layout = image_layout(g.shape(), wants_channels_last(x));
    detail::max_pool2d_scatter_cuda(arranged(g, layout), arranged(indices, layout), rows, columns, y);
  }
  Gradients<2> gradient(Grad u, Input<1> indices) const {
    return {apply(MaximaGather{rows, columns}, u, indices), Tensor()};
  }
};

Tensor scatter(const Tensor& g, const Tensor& indices, const Layout& x, const PoolAxis& rows, const PoolAxis& columns) {
  return apply(MaximaScatter{image_layout(x.shape, wants_channels_last(x)), rows, columns}, g, indices);
}

Gradients<2> MaximaGather::gradient(Grad g, Input<1> indices, Spec<0> x) const {
  return {scatter(g, indices, x.layout, rows, columns), Tensor()};
}

struct Base {
  MaxPool2dOptions options;
  void list_attributes(detail::AttributeVisitor& visitor) const {
    visitor.integers("kernel", {options.kernel.height, options.kernel.width});
    visitor.integers("stride", {options.stride.height, options.stride.width});
    visitor.integers("padding", {options.padding.height, options.padding.width});
    visitor.integers("dilation", {options.dilation.height, options.dilation.width});
    visitor.integer("ceil_mode", options.ceil_mode);
  }

  PoolAxis rows(const Shape& x) const {
    return detail::pool_axis("max_pool2d", x, 2, options.kernel.height, options.stride.height, options.padding.height,
                             options.dilation.height, options.ceil_mode)
        .trimmed();
  }
  PoolAxis columns(const Shape& x) const {
    return detail::pool_axis("max_pool2d", x, 3, options.kernel.width, options.stride.width, options.padding.width,
                             options.dilation.width, options.ceil_mode)
        .trimmed();
  }
  std::array<TensorSpec, 2> specs(const Tensor& x, DType indices) const {
    if (!is_floating(x.dtype()))
      throw DTypeError(str("max_pool2d: needs a floating tensor, got ", x, "; convert it with to()"));
    const std::int64_t height = rows(x.shape()).windows, width = columns(x.shape()).windows;
    const Layout layout = image_layout({x.shape()[0], x.shape()[1], height, width}, wants_channels_last(x.layout()));
    return {TensorSpec{layout, x.dtype(), x.device()}, TensorSpec{layout, indices, x.device()}};
  }
  Cost cost(const Tensor& x) const {
    const auto results = static_cast<double>(specs(x, DType::int64)[0].numel());
    return {
        .flops = results * static_cast<double>(rows(x.shape()).kernel) * static_cast<double>(columns(x.shape()).kernel),
        .bytes = (static_cast<double>(x.numel()) + results) * static_cast<double>(x.itemsize())};
  }
  void cpu(const Tensor& x, Tensor& y, Tensor& indices) const {
    const Layout layout = image_layout(x.shape(), wants_channels_last(x.layout()));
    detail::max_pool2d_kernel_cpu(arranged(x, layout), rows(x.shape()), columns(x.shape()), y, indices);
  }
  void cuda(const Tensor& x, Tensor& y, Tensor& indices) const {
    const Layout layout = image_layout(x.shape(), wants_channels_last(x.layout()));
    detail::max_pool2d_kernel_cuda(arranged(x, layout), rows(x.shape()), columns(x.shape()), y, indices);
  }
};

/// Saves the positions for the gradient, in the narrowest index type.
struct MaxPool2d : Base {
  static constexpr Traits traits{.name = "max_pool2d", .hidden = 1};
  std::array<TensorSpec, 2> result(const Tensor& x) const {
    const bool small = x.rank() != 4 || x.shape()[2] * x.shape()[3] <= std::numeric_limits<std::int32_t>::max();
    return specs(x, small ? DType::int32 : DType::int64);
  }
  Tensor gradient(Grad g, Hidden<0> indices, Spec<0> x) const {
    return scatter(g, indices, x.layout, rows(x.shape()), columns(x.shape()));
  }
  /// A maximum is zero exactly where the element that it comes from is.
  Tensor fast_gradient(Grad g, Output y, Hidden<0> indices, Spec<0> x, PastMask<0> mask) const {
    const Tensor by_maximum =
        mask.wanted ? detail::activation_gradient(pointwise::functor::ReluGradient{}, std::move(g), y) : std::move(g);
    return scatter(by_maximum, indices, x.layout, rows(x.shape()), columns(x.shape()));
  }
};

struct MaxPool2dWithIndices : Base {
  static constexpr Traits traits{.name = "max_pool2d"};
  std::array<TensorSpec, 2> result(const Tensor& x) const { return specs(x, DType::int64); }
  Tensor gradient(Grad g, OutputAt<1> indices, Spec<0> x) const {
    return scatter(g, indices, x.layout, rows(x.shape()), columns(x.shape()));
  }
};

Tensor as_image(const char* op, const Tensor& x, const MaxPool1dOptions& o) {
  return detail::as_image(op, x, o.kernel, o.stride, o.padding, o.dilation);
}

MaxPool2dOptions as_2d(const MaxPool1dOptions& o) {
  return {.kernel = {1, o.kernel},
          .stride = {1, o.stride},
          .padding = {0, o.padding},
          .dilation = {1, o.dilation},
          .ceil_mode = o.ceil_mode};
}

}  // namespace

Tensor max_pool2d(const Tensor& x, const MaxPool2dOptions& options) {
  return detail::with_batch(x, 4, [&](const Tensor& batch) { return apply(MaxPool2d{{options}}, batch); });
}

ValuesAndIndices max_pool2d_with_indices(const Tensor& x, const MaxPool2dOptions& options) {
  return detail::with_batch(x, 4, [&](const Tensor& batch) {
    auto [values, indices] = apply(MaxPool2dWithIndices{{options}}, batch);
    return ValuesAndIndices{std::move(values), std::move(indices)};
  });
}

Tensor max_pool1d(const Tensor& x, const MaxPool1dOptions& options) {
  return detail::with_batch(x, 3, [&](const Tensor& batch) {
    return squeeze(max_pool2d(as_image("max_pool1d", batch, options), as_2d(options)), 2);
  });
}

ValuesAndIndices max_pool1d_with_indices(const Tensor& x, const MaxPool1dOptions& options) {
  return detail::with_batch(x, 3, [&](const Tensor& batch) {
    const ValuesAndIndices y =
        max_pool2d_with_indices(as_image("max_pool1d_with_indices", batch, options), as_2d(options));
    return ValuesAndIndices{squeeze(y.values, 2), squeeze(y.indices, 2)};
  });
}

}  // namespace minima
