#pragma once

#include <minima/nn/module/module.h>
#include <minima/ops/product/gemm/activation.h>

namespace minima::nn {

struct LinearOptions {
  std::int64_t in = 0;
  std::int64_t out = 0;
  bool bias = true;
  Activation activation = Activation::none;  ///< applied while the result is written: faster than a separate ReLU
};

/// y = activation(x · weightᵀ + bias), torch.nn.Linear: x [..., in] → [..., out].
/// Weight and bias are initialised as PyTorch does: uniform on ±1/√in.
///   nn::Linear fc = child("fc", nn::Linear({.in = 784, .out = 512}));
class MINIMA_API Linear : public Module {
 public:
  /// Throws ValueError unless in and out are at least 1.
  explicit Linear(const LinearOptions& options);
  Tensor forward(const Tensor& x) override;
  void reset_parameters();

  LinearOptions options;
  Parameter weight;  ///< [out, in]
  Parameter bias;    ///< [out]; undefined without bias
};

}  // namespace minima::nn
