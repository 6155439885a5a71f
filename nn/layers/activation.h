#pragma once

#include <minima/nn/module/function_module.h>
#include <minima/ops/pointwise/activation.h>
#include <minima/ops/pointwise/trigonometry.h>
#include <minima/ops/reduce/softmax.h>

// Activation functions as modules, for Sequential; elsewhere call the functions. All but GLU keep the shape of x.
// Options are finite, the bounds of Softplus and Hardtanh may also be infinite, else a call throws ValueError.

namespace minima::nn {

/// max(x, 0), torch.nn.ReLU.
struct MINIMA_API ReLU : FunctionModule<relu> {};

/// x · sigmoid(x), torch.nn.SiLU.
struct MINIMA_API SiLU : FunctionModule<silu> {};

/// 1 / (1 + e⁻ˣ), torch.nn.Sigmoid.
struct MINIMA_API Sigmoid : FunctionModule<sigmoid> {};

/// The hyperbolic tangent, torch.nn.Tanh.
struct MINIMA_API Tanh : FunctionModule<tanh> {};

/// The self-normalising activation, torch.nn.SELU.
struct MINIMA_API SELU : FunctionModule<selu> {};

/// x · tanh(softplus(x)), torch.nn.Mish.
struct MINIMA_API Mish : FunctionModule<mish> {};

/// x · clamp(x + 3, 0, 6) / 6, torch.nn.Hardswish.
struct MINIMA_API Hardswish : FunctionModule<hardswish> {};

/// clamp(x + 3, 0, 6) / 6, torch.nn.Hardsigmoid.
struct MINIMA_API Hardsigmoid : FunctionModule<hardsigmoid> {};

/// clamp(x, 0, 6), torch.nn.ReLU6.
struct MINIMA_API ReLU6 : FunctionModule<relu6> {};

/// relu_squared, the activation of Primer.
struct MINIMA_API ReLUSquared : FunctionModule<relu_squared> {};

/// x / (1 + |x|), torch.nn.Softsign.
struct MINIMA_API Softsign : FunctionModule<softsign> {};

/// log(sigmoid(x)), torch.nn.LogSigmoid.
struct MINIMA_API LogSigmoid : FunctionModule<log_sigmoid> {};

/// x - tanh(x), torch.nn.Tanhshrink.
struct MINIMA_API Tanhshrink : FunctionModule<tanhshrink> {};

struct LeakyReLUOptions {
  double negative_slope = 0.01;
};
/// x where x > 0, negative_slope · x elsewhere, torch.nn.LeakyReLU.
struct MINIMA_API LeakyReLU : FunctionModule<leaky_relu, LeakyReLUOptions, &LeakyReLUOptions::negative_slope> {
  using FunctionModule::FunctionModule;
};

struct RReLUOptions {
  double lower = 1. / 8, upper = 1. / 3;
};
/// rrelu, torch.nn.RReLU.
class MINIMA_API RReLU : public Module {
 public:
  explicit RReLU(const RReLUOptions& given = {}) : options(given) {}
  Tensor forward(const Tensor& x) override { return rrelu(x, options.lower, options.upper, is_training()); }
  RReLUOptions options;
};

/// x where x > limit, `value` elsewhere, torch.nn.Threshold.
class MINIMA_API Threshold : public Module {
 public:
  Threshold(double limit, double value) : limit(limit), value(value) {}
  Tensor forward(const Tensor& x) override { return threshold(x, limit, value); }
  double limit, value;
};

struct ELUOptions {
  double alpha = 1;
};
/// x where x > 0, α (eˣ - 1) elsewhere, torch.nn.ELU.
struct MINIMA_API ELU : FunctionModule<elu, ELUOptions, &ELUOptions::alpha> {
  using FunctionModule::FunctionModule;
};

struct CELUOptions {
  double alpha = 1;  ///< not 0
};
/// x where x > 0, α (e^(x/α) - 1) elsewhere, torch.nn.CELU.
struct MINIMA_API CELU : FunctionModule<celu, CELUOptions, &CELUOptions::alpha> {
  using FunctionModule::FunctionModule;
};

struct SoftplusOptions {
  double beta = 1;        ///< not 0
  double threshold = 20;  ///< where βx exceeds it, the result is x
};
/// log(1 + e^(βx)) / β, torch.nn.Softplus.
struct MINIMA_API Softplus
    : FunctionModule<softplus, SoftplusOptions, &SoftplusOptions::beta, &SoftplusOptions::threshold> {
  using FunctionModule::FunctionModule;
};

struct HardtanhOptions {
  double min = -1;
  double max = 1;
};
/// clamp(x, min, max), torch.nn.Hardtanh.
struct MINIMA_API Hardtanh : FunctionModule<hardtanh, HardtanhOptions, &HardtanhOptions::min, &HardtanhOptions::max> {
  using FunctionModule::FunctionModule;
};

struct HardshrinkOptions {
  double lambda = 0.5;  ///< at least 0
};
/// x where |x| > λ, 0 elsewhere, torch.nn.Hardshrink.
struct MINIMA_API Hardshrink : FunctionModule<hardshrink, HardshrinkOptions, &HardshrinkOptions::lambda> {
  using FunctionModule::FunctionModule;
};

struct SoftshrinkOptions {
  double lambda = 0.5;  ///< at least 0
};
/// x moved towards 0 by λ, torch.nn.Softshrink.
struct MINIMA_API Softshrink : FunctionModule<softshrink, SoftshrinkOptions, &SoftshrinkOptions::lambda> {
  using FunctionModule::FunctionModule;
};

struct SoftmaxOptions {
  std::int64_t dim = -1;
};
/// exp(x) / Σ exp(x) along `dim`, torch.nn.Softmax. To train, pass logits to CrossEntropyLoss instead.
struct MINIMA_API Softmax : FunctionModule<softmax, SoftmaxOptions, &SoftmaxOptions::dim> {
  using FunctionModule::FunctionModule;
};

/// x - log Σ exp(x) along `dim`, torch.nn.LogSoftmax.
struct MINIMA_API LogSoftmax : FunctionModule<log_softmax, SoftmaxOptions, &SoftmaxOptions::dim> {
  using FunctionModule::FunctionModule;
};

struct SoftminOptions {
  std::int64_t dim = -1;
};
/// softmin, torch.nn.Softmin.
struct MINIMA_API Softmin : FunctionModule<softmin, SoftminOptions, &SoftminOptions::dim> {
  using FunctionModule::FunctionModule;
};

/// Softmax over the channels of x [N, C, H, W] or [C, H, W], torch.nn.Softmax2d.
class MINIMA_API Softmax2d : public Module {
 public:
  Tensor forward(const Tensor& x) override;
};

struct GLUOptions {
  std::int64_t dim = -1;
};
/// a · sigmoid(b), where a and b are the halves of x along `dim`, torch.nn.GLU.
struct MINIMA_API GLU : FunctionModule<glu, GLUOptions, &GLUOptions::dim> {
  using FunctionModule::FunctionModule;
};

struct GELUOptions {
  bool tanh = false;  ///< the tanh approximation, PyTorch's approximate="tanh"
};
/// x · Φ(x), torch.nn.GELU.
class MINIMA_API GELU : public Module {
 public:
  explicit GELU(GELUOptions options = {}) : options(options) {}
  Tensor forward(const Tensor& x) override;
  GELUOptions options;
};

struct PReLUOptions {
  std::int64_t features = 1;  ///< 1, or the number of channels of x for a slope per channel
  double init = 0.25;
};
/// x where x > 0, weight · x elsewhere, with a learned weight, torch.nn.PReLU.
class MINIMA_API PReLU : public Module {
 public:
  /// Throws ValueError unless features is at least 1.
  explicit PReLU(PReLUOptions options = {});
  Tensor forward(const Tensor& x) override;
  void reset_parameters();

  PReLUOptions options;
  Parameter weight;  ///< [features]
};

}  // namespace minima::nn
