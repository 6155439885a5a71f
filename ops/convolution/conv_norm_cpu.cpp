#include <minima/ops/convolution/conv_ending.h>
#include <minima/ops/convolution/convolution.h>
#include <minima/ops/convolution/geometry.h>
#include <minima/ops/convolution/images.h>
#include <minima/ops/convolution/kernels.h>
#include <minima/ops/loops/lines/line_loop.h>
#include <minima/ops/op.h>
#include <minima/ops/product/gemm/matrices.h>
#include <minima/tensor/tensor.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace minima::detail {

namespace {

/// The values of a vector, which may be strided; null if it is undefined.
class Values {
 public:
  explicit Values(const Tensor& x) : dense_(x.defined() ? row_major(x, DType::float32) : x) {}
  double at(std::int64_t i, double otherwise) const {
    return dense_.defined() ? static_cast<double>(dense_.data<float>()[i]) : otherwise;
  }

 private:
  Tensor dense_;
};

struct ConvolutionNorm {
  static constexpr Traits traits{.name = "conv2d_batch_norm", .optional = 0b111100};
  ConvOptions options;
  double eps;
  bool relu;
  void list_attributes(AttributeVisitor& visitor) const {
    describe_convolution(options, visitor);
    visitor.number("eps", eps);
    visitor.integer("relu", relu);
  }

  TensorSpec result(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& norm_weight,
                    const Tensor& norm_bias, const Tensor& residual, const Tensor& mean, const Tensor& var) const {
    const Shape shape = conv_geometry(x.shape(), weight.shape(), options).output();
    for (const Tensor* all : {&x, &weight, &bias, &norm_weight, &norm_bias, &residual, &mean, &var})
      if (all->defined() && all->dtype() != DType::float32)
        throw DTypeError(str(traits.name, ": needs float32, got ", *all, "; convert it with to()"));
    for (const Tensor* each : {&bias, &norm_weight, &norm_bias, &mean, &var})
      if (each->defined() && each->shape() != Shape{shape[1]})
        throw ShapeError(str(traits.name, ": bias and the norm's tensors must be [", shape[1], "] for weight ",
                             weight.shape(), ", got ", *each));
    if (residual.defined() && residual.shape() != shape)
      throw ShapeError(str(traits.name, ": residual must be ", shape, " for x ", x.shape(), " and weight ",
                           weight.shape(), ", got ", residual));
    return {image_layout(shape, true), x.dtype(), x.device()};
  }
  Cost cost(const Tensor& x, const Tensor& weight, const Tensor&, const Tensor&, const Tensor&, const Tensor& residual,
            const Tensor&, const Tensor&) const {
    const ConvGeometry geometry = conv_geometry(x.shape(), weight.shape(), options);
    const auto outputs = static_cast<double>(numel(geometry.output()));
    const auto inputs = static_cast<double>(x.numel()) + static_cast<double>(weight.numel());
    const double added = residual.defined();
    return {.flops = geometry.flops() + (2 + added + relu) * outputs,
            .bytes = sizeof(float) * (inputs + (1 + added) * outputs)};
  }
  void cpu(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& norm_weight,
           const Tensor& norm_bias, const Tensor& residual, const Tensor& mean, const Tensor& var, Tensor& y) const {
    const std::int64_t channels = mean.numel();
    const Values biases(bias), weights(norm_weight), offsets(norm_bias), means(mean), variances(var);
    std::vector<float> scale(static_cast<std::size_t>(channels)), shift(scale.size());
    for (std::int64_t c = 0; c < channels; ++c) {
      const double factor = weights.at(c, 1) / std::sqrt(variances.at(c, 1) + eps);
      scale[static_cast<std::size_t>(c)] = static_cast<float>(factor);
      shift[static_cast<std::size_t>(c)] =
          static_cast<float>((biases.at(c, 0) - means.at(c, 0)) * factor + offsets.at(c, 0));
    }
    const Tensor added = residual.defined() ? arranged(residual, y.layout()) : Tensor();
    const ConvEnding ending{scale.data(), shift.data(), added.defined() ? added.data<float>() : nullptr, relu};
    conv2d_norm_cpu(conv_geometry(x.shape(), weight.shape(), options), x, weight, ending, y);
  }
};

}  // namespace

Tensor convolution_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvOptions& options,
                        const StoredNorm& norm, const Tensor& residual, bool relu) {
  return apply(ConvolutionNorm{options, norm.eps, relu}, x, weight, bias, norm.weight, norm.bias, residual, norm.mean,
               norm.var);
}

}  // namespace minima::detail
