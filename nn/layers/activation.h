#pragma once

#include <minima/nn/module/module.h>

// Activation functions as modules, for Sequential; elsewhere call the functions. Shapes stay as they are.

namespace minima::nn {

/// max(x, 0), torch.nn.ReLU.
class MINIMA_API ReLU : public Module {
 public:
  Tensor forward(const Tensor& x) override;
};

struct GELUOptions {
  bool tanh = false;  ///< the approximation by tanh, PyTorch's approximate="tanh"
};
/// x · Φ(x), torch.nn.GELU.
class MINIMA_API GELU : public Module {
 public:
  explicit GELU(GELUOptions options = {}) : options(options) {}
  Tensor forward(const Tensor& x) override;
  GELUOptions options;
};

/// x · sigmoid(x), torch.nn.SiLU.
class MINIMA_API SiLU : public Module {
 public:
  Tensor forward(const Tensor& x) override;
};

/// 1 / (1 + e⁻ˣ), torch.nn.Sigmoid.
class MINIMA_API Sigmoid : public Module {
 public:
  Tensor forward(const Tensor& x) override;
};

/// The hyperbolic tangent, torch.nn.Tanh.
class MINIMA_API Tanh : public Module {
 public:
  Tensor forward(const Tensor& x) override;
};

struct SoftmaxOptions {
  std::int64_t dim = -1;
};
/// exp(x) / Σ exp(x) along `dim`, torch.nn.Softmax. Train on logits with CrossEntropyLoss, without this.
class MINIMA_API Softmax : public Module {
 public:
  explicit Softmax(SoftmaxOptions options = {}) : options(options) {}
  Tensor forward(const Tensor& x) override;
  SoftmaxOptions options;
};

/// x - log Σ exp(x) along `dim`, torch.nn.LogSoftmax.
class MINIMA_API LogSoftmax : public Module {
 public:
  explicit LogSoftmax(SoftmaxOptions options = {}) : options(options) {}
  Tensor forward(const Tensor& x) override;
  SoftmaxOptions options;
};

}  // namespace minima::nn
