#pragma once

#include <minima/nn/layers/conv.h>
#include <minima/nn/layers/conv3d.h>
#include <minima/nn/layers/conv_transpose.h>
#include <minima/nn/layers/linear.h>
#include <minima/nn/norm/batch_norm.h>
#include <minima/nn/norm/instance_norm.h>

#include <utility>

namespace minima::nn {

namespace detail {
/// Makes the layer's own parameters and buffers undefined.
MINIMA_API void forget_tensors(ModuleBase& layer);
/// Gives them those of a layer of the same type, on this device and in this floating dtype.
MINIMA_API void adopt_tensors(ModuleBase& layer, ModuleBase& from, Device device, DType dtype);
/// x.size(dim); throws ShapeError for a lower rank.
MINIMA_API std::int64_t lazy_size(const char* layer, const Tensor& x, std::int64_t dim);
}  // namespace detail

/// A layer whose number of inputs comes from its first batch, torch.nn.LazyLinear and the like: leave out `in` (or
/// `features`). Its parameters are undefined until it is called once; then they are on the batch's device, in float64
/// if that is the batch's dtype, else in float32. Run one batch before copying or cloning the module, before creating
/// the optimizer and before load_state_dict.
///   nn::Sequential net(nn::LazyConv2d({.out = 16, .kernel = 3}), nn::Flatten(), nn::LazyLinear({.out = 10}));
///   net(zeros({1, 3, 32, 32}));
template <class Layer, class Options, std::int64_t dim>
class Lazy : public Layer {
 public:
  /// Throws ValueError if the number of inputs is given, and as Layer does.
  explicit Lazy(const Options& given) : Layer(with_least_inputs(given)) { detail::forget_tensors(*this); }

  bool is_materialised() const { return is_materialised_; }
  Tensor forward(const Tensor& x) override {
    if (!is_materialised_) materialise(x);
    return Layer::forward(x);
  }

 private:
  static std::int64_t& inputs(Options& options) {
    if constexpr (requires { options.in; }) return options.in;
    else return options.features;
  }
  static Options with_least_inputs(Options options) {
    if (inputs(options) != 0)
      throw ValueError(
          "a lazy layer takes its number of inputs from the first batch: leave it out, or use the layer itself");
    inputs(options) = 1;
    if constexpr (requires { options.groups; }) inputs(options) = options.groups;
    return options;
  }
  void materialise(const Tensor& x) {
    Options sized = this->options;
    inputs(sized) = detail::lazy_size(this->type_name().c_str(), x, dim);
    Layer made(sized);
    detail::adopt_tensors(*this, made, x.device(), x.dtype());
    this->options = sized;
    is_materialised_ = true;
  }

  bool is_materialised_ = false;
};

using LazyLinear = Lazy<Linear, LinearOptions, -1>;
using LazyConv1d = Lazy<Conv1d, Conv1dOptions, -2>;
using LazyConv2d = Lazy<Conv2d, Conv2dOptions, -3>;
using LazyConv3d = Lazy<Conv3d, Conv3dOptions, -4>;
using LazyConvTranspose1d = Lazy<ConvTranspose1d, ConvTranspose1dOptions, -2>;
using LazyConvTranspose2d = Lazy<ConvTranspose2d, ConvTranspose2dOptions, -3>;
using LazyConvTranspose3d = Lazy<ConvTranspose3d, ConvTranspose3dOptions, -4>;
using LazyBatchNorm1d = Lazy<BatchNorm1d, BatchNormOptions, 1>;
using LazyBatchNorm2d = Lazy<BatchNorm2d, BatchNormOptions, 1>;
using LazyBatchNorm3d = Lazy<BatchNorm3d, BatchNormOptions, 1>;
using LazyInstanceNorm1d = Lazy<InstanceNorm1d, InstanceNormOptions, -2>;
using LazyInstanceNorm2d = Lazy<InstanceNorm2d, InstanceNormOptions, -3>;
using LazyInstanceNorm3d = Lazy<InstanceNorm3d, InstanceNormOptions, -4>;

}  // namespace minima::nn
