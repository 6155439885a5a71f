#include <minima/nn/layers/activation.h>

#include <minima/nn/init/init.h>
#include <minima/nn/module/check_options.h>
#include <minima/ops/pointwise/activation.h>
#include <minima/ops/reduce/softmax.h>
#include <minima/tensor/base/check_option.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>
#include <minima/tensor/tensor.h>

namespace minima::nn {

Tensor GELU::forward(const Tensor& x) { return options.tanh ? gelu_tanh(x) : gelu(x); }

Tensor Softmax2d::forward(const Tensor& x) {
  if (x.rank() != 3 && x.rank() != 4) throw ShapeError(str("Softmax2d: needs x [N, C, H, W] or [C, H, W], got ", x));
  return softmax(x, -3);
}

PReLU::PReLU(PReLUOptions given)
    : options((detail::expect_at_least("PReLU", "features", 1, given.features),
               detail::check_number("PReLU", "init", given.init, minima::detail::finite), given)),
      weight(parameter("weight", empty({options.features}))) {
  reset_parameters();
}
void PReLU::reset_parameters() { init::constant_(weight, options.init); }
Tensor PReLU::forward(const Tensor& x) { return prelu(x, weight); }

}  // namespace minima::nn
