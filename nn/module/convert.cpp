#include <minima/autograd/mode.h>
#include <minima/nn/module/deferred.h>
#include <minima/nn/module/module_base.h>
#include <minima/tensor/base/device.h>
#include <minima/tensor/base/dtype.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

// Converting a module to another device or dtype.

namespace minima::nn {

namespace {

/// Converts a tensor and its gradient in place, so existing handles see the result.
template <class Convert>
void replace_data(const Tensor& tensor, Convert convert) {
  const Tensor gradient = tensor.grad();
  tensor.set_data(convert(tensor.detach()));
  if (gradient.defined()) tensor.set_grad(convert(gradient.detach()));
}

template <class Convert>
void replace_all(const ModuleBase& module, Convert convert) {
  const NoGrad guard;
  for (const Tensor& parameter : module.parameters()) replace_data(parameter, convert);
  for (const Tensor& buffer : module.buffers()) replace_data(buffer, convert);
}

}  // namespace

void ModuleBase::to(Device device) {
  replace_all(*this, [device](const Tensor& tensor) {
    return detail::find_deferred(tensor) ? detail::converted(tensor, device, tensor.dtype()) : tensor.to(device);
  });
}

void ModuleBase::to(DType dtype) {
  if (!is_floating(dtype))
    throw DTypeError(str(type_name(), ": to() converts parameters to floating dtypes only, not to ", dtype));
  replace_all(*this, [dtype](const Tensor& t) {
    if (detail::find_deferred(t)) return detail::converted(t, t.device(), dtype);
    return is_floating(t.dtype()) ? t.to(dtype) : t;
  });
}

}  // namespace minima::nn
