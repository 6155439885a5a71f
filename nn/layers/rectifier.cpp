#include <minima/nn/layers/rectifier.h>

#include <minima/nn/init/init.h>
#include <minima/nn/module/check.h>
#include <minima/ops/pointwise/activation.h>

namespace minima::nn {

Tensor LeakyReLU::forward(const Tensor& x) { return leaky_relu(x, options.negative_slope); }
Tensor ELU::forward(const Tensor& x) { return elu(x, options.alpha); }
Tensor CELU::forward(const Tensor& x) { return celu(x, options.alpha); }
Tensor SELU::forward(const Tensor& x) { return selu(x); }
Tensor Softplus::forward(const Tensor& x) { return softplus(x, options.beta, options.threshold); }
Tensor Mish::forward(const Tensor& x) { return mish(x); }
Tensor Hardswish::forward(const Tensor& x) { return hardswish(x); }
Tensor Hardsigmoid::forward(const Tensor& x) { return hardsigmoid(x); }
Tensor Hardtanh::forward(const Tensor& x) { return hardtanh(x, options.min, options.max); }
Tensor ReLU6::forward(const Tensor& x) { return relu6(x); }
Tensor Softsign::forward(const Tensor& x) { return softsign(x); }
Tensor LogSigmoid::forward(const Tensor& x) { return log_sigmoid(x); }
Tensor Hardshrink::forward(const Tensor& x) { return hardshrink(x, options.lambda); }
Tensor Softshrink::forward(const Tensor& x) { return softshrink(x, options.lambda); }
Tensor GLU::forward(const Tensor& x) { return glu(x, options.dim); }

PReLU::PReLU(PReLUOptions given)
    : options((detail::expect_at_least("PReLU", "features", 1, given.features), given)),
      weight(parameter("weight", empty({options.features}))) {
  reset_parameters();
}
void PReLU::reset_parameters() { init::constant_(weight, options.init); }
Tensor PReLU::forward(const Tensor& x) { return prelu(x, weight); }

}  // namespace minima::nn
