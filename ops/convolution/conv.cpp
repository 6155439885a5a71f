#include <minima/ops/convolution/conv.h>

#include <minima/ops/convolution/convolution.h>
#include <minima/ops/convolution/geometry.h>
#include <minima/ops/convolution/images.h>
#include <minima/ops/convolution/kernels.h>
#include <minima/ops/core/reported.h>
#include <minima/ops/op.h>
#include <minima/ops/reduce/sum.h>
#include <minima/tensor/tensor.h>

#include <utility>

namespace minima {

namespace {

using detail::ConvGeometry;
using detail::ConvOptions;

void check_dtypes(const char* op, const Tensor& a, const Tensor& b) {
  if (!is_floating(a.dtype())) throw DTypeError(str(op, ": needs floating dtypes, got ", a, "; convert it with to()"));
  if (a.dtype() != b.dtype()) throw DTypeError(str(op, ": dtypes differ: ", a, " and ", b, "; convert one with to()"));
}

/// On the CPU, channels_last, in which convolutions compute. Normalisation, pooling and pointwise operators pass that
/// order on, so that a network reorders images once. On a GPU, channels_last if an input is.
TensorSpec image_spec(const Shape& shape, const Tensor& a, const Tensor& b) {
  const bool last =
      a.device().is_cpu() || detail::wants_channels_last(a.layout()) || detail::wants_channels_last(b.layout());
  return {detail::image_layout(shape, last), a.dtype(), a.device()};
}

/// The forward pass and both gradients touch the same three tensors.
Cost cost_of(const ConvGeometry& geometry, const Tensor& like) {
  const auto elements = static_cast<double>(numel(geometry.input())) + static_cast<double>(numel(geometry.weight())) +
                        static_cast<double>(numel(geometry.output()));
  return {.flops = geometry.flops(), .bytes = elements * static_cast<double>(like.itemsize())};
}

/// The sum over batch and positions.
Tensor bias_gradient(const Tensor& g) { return g.rank() == 4 ? sum(g, {0, 2, 3}) : sum(g, {0, 2, 3, 4}); }

template <int spatial>
struct InputGradient {
  static constexpr Traits traits{.name = spatial == 2 ? "conv2d_input_gradient" : "conv3d_input_gradient"};
  Layout x;
  ConvOptions options;
  void list_attributes(detail::AttributeVisitor& visitor) const {
    detail::describe_convolution(options, visitor);
    visitor.integers("shape", x.shape);
  }

  ConvGeometry geometry(const Tensor& weight) const { return detail::conv_geometry(x.shape, weight.shape(), options); }
  TensorSpec result(const Tensor& g, const Tensor& weight) const {
    check_dtypes(traits.name, g, weight);
    if (const Shape expected = geometry(weight).output(); g.shape() != expected)
      throw ShapeError(str(traits.name, ": g must be ", expected, " for x ", x.shape, " and weight ", weight.shape(),
                           ", got ", g.shape()));
    return {x, g.dtype(), g.device()};
  }
  Cost cost(const Tensor& g, const Tensor& weight) const { return cost_of(geometry(weight), g); }
  void cpu(const Tensor& g, const Tensor& weight, Tensor& y) const {
    detail::conv2d_input_gradient_cpu(geometry(weight), g, weight, y);
  }
  void cuda(const Tensor& g, const Tensor& weight, Tensor& y) const {
    detail::conv2d_input_gradient_cuda(geometry(weight), g, weight, y);
  }
  // Bilinear in g and weight: the gradient of g is the convolution, that of weight the weight gradient.
  Gradients<2> gradient(Grad u, Input<0, 1> g, Input<1, 0> weight, Spec<1> like_weight, Needs needs) const {
    return {needs[0] ? detail::convolution(u, weight, {}, options) : Tensor(),
            needs[1] ? detail::convolution_weight_gradient(u, g, like_weight.layout, options) : Tensor()};
  }
};

template <int spatial>
struct WeightGradient {
  static constexpr Traits traits{.name = spatial == 2 ? "conv2d_weight_gradient" : "conv3d_weight_gradient"};
  Layout weight;
  ConvOptions options;

  ConvGeometry geometry(const Tensor& x) const { return detail::conv_geometry(x.shape(), weight.shape, options); }
  TensorSpec result(const Tensor& x, const Tensor& g) const {
    check_dtypes(traits.name, x, g);
    if (const Shape expected = geometry(x).output(); g.shape() != expected)
      throw ShapeError(str(traits.name, ": g must be ", expected, " for x ", x.shape(), " and weight ", weight.shape,
                           ", got ", g.shape()));
    return {weight, x.dtype(), x.device()};
  }
  Cost cost(const Tensor& x, const Tensor&) const { return cost_of(geometry(x), x); }
  void cpu(const Tensor& x, const Tensor& g, Tensor& y) const {
    detail::conv2d_weight_gradient_cpu(geometry(x), x, g, y, false);
  }
  void cuda(const Tensor& x, const Tensor& g, Tensor& y) const {
    detail::conv2d_weight_gradient_cuda(geometry(x), x, g, y, false);
  }
  Gradients<2> gradient(Grad v, Input<0, 1> x, Input<1, 0> g, Spec<0> like_x, Needs needs) const {
    return {needs[0] ? detail::convolution_input_gradient(g, v, like_x.layout, options) : Tensor(),
            needs[1] ? detail::convolution(x, v, {}, options) : Tensor()};
  }
};

template <int spatial>
struct Convolution {
  static constexpr Traits traits{
      .name = spatial == 2 ? "conv2d" : "conv3d", .autocast = Cast::to_lower, .optional = 0b100};
  ConvOptions options;
  void list_attributes(detail::AttributeVisitor& visitor) const { detail::describe_convolution(options, visitor); }

  TensorSpec result(const Tensor& x, const Tensor& weight, const Tensor& bias) const {
    const ConvGeometry geometry = detail::conv_geometry(x.shape(), weight.shape(), options);
    check_dtypes(traits.name, x, weight);
    if (bias.defined()) {
      check_dtypes(traits.name, x, bias);
      if (bias.shape() != Shape{geometry.outputs})
        throw ShapeError(str(traits.name, ": bias must be [", geometry.outputs, "] for weight ", weight.shape(),
                             ", got ", bias.shape()));
    }
    return image_spec(geometry.output(), x, weight);
  }
  Cost cost(const Tensor& x, const Tensor& weight, const Tensor&) const {
    return cost_of(detail::conv_geometry(x.shape(), weight.shape(), options), x);
  }
  void cpu(const Tensor& x, const Tensor& weight, const Tensor& bias, Tensor& y) const {
    detail::conv2d_cpu(detail::conv_geometry(x.shape(), weight.shape(), options), x, weight, bias, y);
  }
  void cuda(const Tensor& x, const Tensor& weight, const Tensor& bias, Tensor& y) const {
    detail::conv2d_cuda(detail::conv_geometry(x.shape(), weight.shape(), options), x, weight, bias, y);
  }

  Gradients<3> gradient(Grad g, Input<0, 1> x, Input<1, 0> weight, Spec<0> like_x, Spec<1> like_weight,
                        Needs needs) const {
    return {needs[0] ? detail::convolution_input_gradient(g, weight, like_x.layout, options) : Tensor(),
            needs[1] ? detail::convolution_weight_gradient(x, g, like_weight.layout, options) : Tensor(),
            needs[2] ? bias_gradient(g) : Tensor()};
  }

  Gradients<3> fast_gradient(Grad g, Input<0, 1> x, Input<1, 0> weight, Spec<0> like_x, Spec<1> like_weight,
                             Into<1> into, Needs needs) const {
    if (!into.tensor.defined())
      return gradient(std::move(g), std::move(x), std::move(weight), like_x, like_weight, needs);
    const ConvGeometry geometry = detail::conv_geometry(like_x.shape(), like_weight.shape(), options);
    {
      const detail::Reported reported(WeightGradient<spatial>::traits.name, cost_of(geometry, into.tensor));
      const auto compute = [&](auto kernel) { kernel(geometry, x, g, into.tensor, into.accumulate); };
      if constexpr (detail::has_cuda_kernels) {
        if (detail::on_cuda(x)) compute(detail::conv2d_weight_gradient_cuda);
        else compute(detail::conv2d_weight_gradient_cpu);
      } else {
        compute(detail::conv2d_weight_gradient_cpu);
      }
    }
    into.done();
    return {needs[0] ? detail::convolution_input_gradient(g, weight, like_x.layout, options) : Tensor(), Tensor(),
            needs[2] ? bias_gradient(g) : Tensor()};
  }
};

}  // namespace

namespace detail {

Tensor convolution(const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvOptions& options) {
  return with_batch(x, options.spatial + 2, [&](const Tensor& batch) {
    if (options.spatial == 2) return apply(Convolution<2>{options}, batch, weight, bias);
    return apply(Convolution<3>{options}, batch, weight, bias);
  });
}

Tensor convolution_input_gradient(const Tensor& g, const Tensor& weight, const Layout& x, const ConvOptions& options) {
  const Layout dense = Layout::dense_like(x);
  if (options.spatial == 2) return apply(InputGradient<2>{dense, options}, g, weight);
  return apply(InputGradient<3>{dense, options}, g, weight);
}

Tensor convolution_weight_gradient(const Tensor& x, const Tensor& g, const Layout& weight, const ConvOptions& options) {
  const Layout dense = Layout::dense_like(weight);
  if (options.spatial == 2) return apply(WeightGradient<2>{dense, options}, x, g);
  return apply(WeightGradient<3>{dense, options}, x, g);
}

}  // namespace detail

Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias, const Conv2dOptions& options) {
  return detail::convolution(x, weight, bias, detail::conv_options(options));
}

Tensor conv2d_input_gradient(const Tensor& g, const Tensor& weight, const Layout& x, const Conv2dOptions& options) {
  return detail::convolution_input_gradient(g, weight, x, detail::conv_options(options));
}

Tensor conv2d_weight_gradient(const Tensor& x, const Tensor& g, const Layout& weight, const Conv2dOptions& options) {
  return detail::convolution_weight_gradient(x, g, weight, detail::conv_options(options));
}

Tensor conv3d(const Tensor& x, const Tensor& weight, const Tensor& bias, const Conv3dOptions& o) {
  return detail::convolution(x, weight, bias,
                             {.stride = o.stride, .padding = o.padding, .dilation = o.dilation, .groups = o.groups});
}

}  // namespace minima
