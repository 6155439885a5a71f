#include <minima/nn/fuse.h>

#include <minima/autograd/mode.h>
#include <minima/nn/layers/conv.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/norm/batch_norm.h>
#include <minima/ops/ops.h>
#include <minima/ops/product/gemm/activation.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstdint>

namespace minima::nn {

namespace {

/// y = x · factor + shift, what the norm does in evaluation mode, per channel.
struct ChannelMap {
  Tensor factor, shift;
};

ChannelMap map_of(const char* what, const BatchNorm& norm, std::int64_t channels, bool is_training) {
  if (is_training || norm.is_training())
    throw ValueError(str(what, ": both layers must be in evaluation mode; call eval() first"));
  if (!norm.running_mean.defined()) throw ValueError(str(what, ": the batch norm has no running statistics"));
  if (norm.options.features != channels)
    throw ShapeError(str(what, ": the layer has ", channels, " outputs, the batch norm ", norm.options.features));
  Tensor factor = rsqrt(norm.running_var + norm.options.eps);
  if (norm.weight.defined()) factor = factor * norm.weight;
  const Tensor shift = neg(norm.running_mean * factor);
  return {factor, norm.bias.defined() ? shift + norm.bias : shift};
}

/// A layer with these options and the device, dtype and mode of another.
template <class Layer, class Options>
Layer like(const Layer& layer, Options options) {
  options.bias = true;
  Layer made(options);
  made.to(layer.weight.device());
  made.to(layer.weight.dtype());
  made.eval();
  return made;
}

template <class Layer>
void fold(const Layer& from, const ChannelMap& map, const Tensor& factor, Layer& to) {
  copy_(to.weight, from.weight * factor);
  copy_(to.bias, from.bias.defined() ? from.bias * map.factor + map.shift : map.shift);
}

}  // namespace

Conv2d fuse_conv_bn_eval(const Conv2d& conv, const BatchNorm2d& norm) {
  const NoGrad constant;
  const ChannelMap map = map_of("fuse_conv_bn_eval", norm, conv.options.out, conv.is_training());
  Conv2d fused = like(conv, conv.options);
  fold(conv, map, reshape(map.factor, {-1, 1, 1, 1}), fused);
  return fused;
}

Linear fuse_linear_bn_eval(const Linear& linear, const BatchNorm1d& norm) {
  const NoGrad constant;
  if (linear.options.activation != Activation::none)
    throw ValueError("fuse_linear_bn_eval: the linear layer has an activation, which comes before the norm");
  const ChannelMap map = map_of("fuse_linear_bn_eval", norm, linear.options.out, linear.is_training());
  Linear fused = like(linear, linear.options);
  fold(linear, map, reshape(map.factor, {-1, 1}), fused);
  return fused;
}

}  // namespace minima::nn
