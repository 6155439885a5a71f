#include <minima/nn/norm/conv_norm.h>

#include <minima/autograd/autocast_state.h>
#include <minima/autograd/mode.h>
#include <minima/nn/module/plain_call.h>
#include <minima/ops/convolution/convolution.h>
#include <minima/ops/convolution/geometry.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/tensor.h>

#include <algorithm>
#include <iterator>
#include <typeinfo>

namespace minima::nn {

namespace {

bool is_float32_on_cpu(const Tensor& x) { return x.dtype() == DType::float32 && x.device().is_cpu(); }

/// Whether one operator gives what calls of both layers would. Tensors that do not fit are left to these calls, which
/// name the layer in the error.
bool is_one_operator(const Conv2d& conv, const BatchNorm2d& norm, const Tensor& x, const Tensor& residual) {
  if (is_grad_enabled() || norm.is_training()) return false;
  if (!norm.running_mean.defined() || !norm.running_var.defined() || !(norm.options.eps >= 0)) return false;
  if (minima::detail::autocasts(minima::detail::mode().autocast, DeviceType::cpu)) return false;
  const Conv2dOptions& o = conv.options;
  if (o.same || o.padding_mode != PadMode::constant || typeid(conv) != typeid(Conv2d) ||
      typeid(norm) != typeid(BatchNorm2d) || !is_called_plainly(conv) || !is_called_plainly(norm))
    return false;
  if (!x.defined() || x.rank() != 4 || x.size(1) != o.in || norm.options.features != o.out) return false;
  const Tensor* const all[] = {&x,           &residual,  &conv.weight,       &conv.bias,
                               &norm.weight, &norm.bias, &norm.running_mean, &norm.running_var};
  return std::all_of(std::begin(all), std::end(all),
                     [](const Tensor* each) { return !each->defined() || is_float32_on_cpu(*each); });
}

Tensor as_one_operator(const Conv2d& conv, const BatchNorm2d& norm, const Tensor& x, const Tensor& residual,
                       bool relu) {
  const Conv2dOptions& o = conv.options;
  begin_in_place_of(conv);
  Tensor y = minima::detail::convolution_norm(
      x, conv.weight, conv.bias,
      minima::detail::conv_options(
          {.stride = o.stride, .padding = o.padding, .dilation = o.dilation, .groups = o.groups}),
      {norm.weight, norm.bias, norm.running_mean, norm.running_var, norm.options.eps}, residual, relu);
  end_in_place_of(conv);
  return y;
}

/// Undefined if the layers are to be called.
Tensor try_one_operator(const Conv2d& conv, const BatchNorm2d& norm, const Tensor& x, const Tensor& residual,
                        bool relu) {
  if (!is_one_operator(conv, norm, x, residual)) return {};
  try {
    return as_one_operator(conv, norm, x, residual, relu);
  } catch (const ShapeError&) {  // before anything is computed
    end_in_place_of(conv);
    return {};  // the layers' calls name the one at fault
  }
}

}  // namespace

Tensor conv_norm(const Conv2d& conv, const BatchNorm2d& norm, const Tensor& x) {
  const Tensor y = try_one_operator(conv, norm, x, {}, false);
  return y.defined() ? y : norm(conv(x));
}

Tensor conv_norm_relu(const Conv2d& conv, const BatchNorm2d& norm, const Tensor& x, const Tensor& residual) {
  Tensor y = try_one_operator(conv, norm, x, residual, true);
  if (y.defined()) return y;
  BatchNorm2d handle = norm;
  return handle.relu(conv(x), residual);
}

}  // namespace minima::nn
