#include <minima/nn/layers/activation.h>

#include <minima/ops/pointwise/activation.h>
#include <minima/ops/pointwise/trigonometry.h>
#include <minima/ops/softmax/softmax.h>

namespace minima::nn {

Tensor ReLU::forward(const Tensor& x) { return relu(x); }
Tensor GELU::forward(const Tensor& x) { return options.tanh ? gelu_tanh(x) : gelu(x); }
Tensor SiLU::forward(const Tensor& x) { return silu(x); }
Tensor Sigmoid::forward(const Tensor& x) { return sigmoid(x); }
Tensor Tanh::forward(const Tensor& x) { return tanh(x); }
Tensor Softmax::forward(const Tensor& x) { return softmax(x, options.dim); }
Tensor LogSoftmax::forward(const Tensor& x) { return log_softmax(x, options.dim); }

}  // namespace minima::nn
