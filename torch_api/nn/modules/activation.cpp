#include <torch/nn/modules/activation.h>

#include <c10/util/Exception.h>
#include <torch/nn/functional/activation.h>

#include "layer_printer.h"

namespace F = torch::nn::functional;

namespace torch::nn {

void check_options(const HardtanhOptions& options) {
  TORCH_CHECK(options.max_val() > options.min_val(), "max_val must be greater than min_val");
}

#define CALLS(NAME, FUNCTION) \
  Tensor NAME##Impl::forward(const Tensor& input) { return F::FUNCTION(input, options); }
#define CALLS_WITHOUT_OPTIONS(NAME, FUNCTION)                                 \
  Tensor NAME##Impl::forward(const Tensor& input) { return FUNCTION(input); } \
  void NAME##Impl::pretty_print(std::ostream& stream) const { LayerPrinter(stream, #NAME); }
#define INPLACE .unless(false, "inplace", options.inplace())

CALLS(ELU, elu)
PRINTS(ELU, ("alpha", options.alpha())INPLACE)
CALLS(SELU, selu)
PRINTS(SELU, INPLACE)
CALLS(CELU, celu)
PRINTS(CELU, ("alpha", options.alpha())INPLACE)
CALLS(GELU, gelu)
PRINTS(GELU, )
CALLS(GLU, glu)
PRINTS(GLU, ("dim", options.dim()))
CALLS(Hardshrink, hardshrink)
PRINTS(Hardshrink, (options.lambda()))
CALLS(Hardtanh, hardtanh)
PRINTS(Hardtanh, ("min_val", options.min_val())("max_val", options.max_val())INPLACE)
CALLS(LeakyReLU, leaky_relu)
PRINTS(LeakyReLU, ("negative_slope", options.negative_slope())INPLACE)
CALLS(ReLU, relu)
PRINTS(ReLU, INPLACE)
CALLS(ReLU6, relu6)
PRINTS(ReLU6, INPLACE)
CALLS(Softplus, softplus)
PRINTS(Softplus, ("beta", options.beta())("threshold", options.threshold()))
CALLS(Softshrink, softshrink)
PRINTS(Softshrink, (options.lambda()))
CALLS(Threshold, threshold)
PRINTS(Threshold, ("threshold", options.threshold())("value", options.value())INPLACE)

Tensor RReLUImpl::forward(const Tensor& input) {
  return F::rrelu(input, F::RReLUFuncOptions()
                             .lower(options.lower())
                             .upper(options.upper())
                             .training(is_training())
                             .inplace(options.inplace()));
}
PRINTS(RReLU, ("lower", options.lower())("upper", options.upper())INPLACE)

Tensor SoftmaxImpl::forward(const Tensor& input) { return F::softmax(input, options.dim()); }
PRINTS(Softmax, ("dim", options.dim()))
Tensor SoftminImpl::forward(const Tensor& input) { return F::softmin(input, options.dim()); }
PRINTS(Softmin, ("dim", options.dim()))
Tensor LogSoftmaxImpl::forward(const Tensor& input) { return F::log_softmax(input, options.dim()); }
PRINTS(LogSoftmax, ("dim", options.dim()))
Tensor Softmax2dImpl::forward(const Tensor& input) {
  TORCH_CHECK(input.dim() == 4 || input.dim() == 3, "Softmax2d requires a 3D or 4D tensor as input");
  return F::softmax(input, -3);
}
PRINTS(Softmax2d, )

CALLS_WITHOUT_OPTIONS(LogSigmoid, F::logsigmoid)
CALLS_WITHOUT_OPTIONS(Mish, F::mish)
CALLS_WITHOUT_OPTIONS(SiLU, F::silu)
CALLS_WITHOUT_OPTIONS(Sigmoid, torch::sigmoid)
CALLS_WITHOUT_OPTIONS(Softsign, F::softsign)
CALLS_WITHOUT_OPTIONS(Tanh, torch::tanh)
CALLS_WITHOUT_OPTIONS(Tanhshrink, F::tanhshrink)

PReLUImpl::PReLUImpl(const PReLUOptions& options_) : options(options_) { PReLUImpl::reset(); }
void PReLUImpl::reset() {
  weight = register_parameter("weight", torch::full({options.num_parameters()}, options.init()));
}
Tensor PReLUImpl::forward(const Tensor& input) { return F::prelu(input, weight); }
PRINTS(PReLU, ("num_parameters", options.num_parameters()))

#undef CALLS
#undef CALLS_WITHOUT_OPTIONS
#undef INPLACE

}  // namespace torch::nn
