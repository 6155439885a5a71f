#pragma once

#include <minima/nn/module/module.h>

// The functions of ops/pointwise/activation.h as modules, for Sequential. Shapes stay as they are.

namespace minima::nn {

struct LeakyReLUOptions {
  double negative_slope = 0.01;
};
/// x where x > 0, slope · x elsewhere, torch.nn.LeakyReLU.
class MINIMA_API LeakyReLU : public Module {
 public:
  explicit LeakyReLU(LeakyReLUOptions options = {}) : options(options) {}
  Tensor forward(const Tensor& x) override;
  LeakyReLUOptions options;
};

struct ELUOptions {
  double alpha = 1;
};
/// x where x > 0, α (eˣ - 1) elsewhere, torch.nn.ELU.
class MINIMA_API ELU : public Module {
 public:
  explicit ELU(ELUOptions options = {}) : options(options) {}
  Tensor forward(const Tensor& x) override;
  ELUOptions options;
};

struct CELUOptions {
  double alpha = 1;
};
/// x where x > 0, α (e^(x/α) - 1) elsewhere, torch.nn.CELU.
class MINIMA_API CELU : public Module {
 public:
  explicit CELU(CELUOptions options = {}) : options(options) {}
  Tensor forward(const Tensor& x) override;
  CELUOptions options;
};

/// Self-normalising, torch.nn.SELU.
class MINIMA_API SELU : public Module {
 public:
  Tensor forward(const Tensor& x) override;
};

struct SoftplusOptions {
  double beta = 1;
  double threshold = 20;  ///< above it, times 1/β, the function is x
};
/// log(1 + e^(βx)) / β, torch.nn.Softplus.
class MINIMA_API Softplus : public Module {
 public:
  explicit Softplus(SoftplusOptions options = {}) : options(options) {}
  Tensor forward(const Tensor& x) override;
  SoftplusOptions options;
};

/// x · tanh(softplus(x)), torch.nn.Mish.
class MINIMA_API Mish : public Module {
 public:
  Tensor forward(const Tensor& x) override;
};

/// x · clamp(x + 3, 0, 6) / 6, torch.nn.Hardswish.
class MINIMA_API Hardswish : public Module {
 public:
  Tensor forward(const Tensor& x) override;
};

/// clamp(x + 3, 0, 6) / 6, torch.nn.Hardsigmoid.
class MINIMA_API Hardsigmoid : public Module {
 public:
  Tensor forward(const Tensor& x) override;
};

struct HardtanhOptions {
  double min = -1;
  double max = 1;
};
/// clamp(x, min, max), torch.nn.Hardtanh.
class MINIMA_API Hardtanh : public Module {
 public:
  explicit Hardtanh(HardtanhOptions options = {}) : options(options) {}
  Tensor forward(const Tensor& x) override;
  HardtanhOptions options;
};

/// clamp(x, 0, 6), torch.nn.ReLU6.
class MINIMA_API ReLU6 : public Module {
 public:
  Tensor forward(const Tensor& x) override;
};

/// x / (1 + |x|), torch.nn.Softsign.
class MINIMA_API Softsign : public Module {
 public:
  Tensor forward(const Tensor& x) override;
};

/// log(sigmoid(x)), torch.nn.LogSigmoid.
class MINIMA_API LogSigmoid : public Module {
 public:
  Tensor forward(const Tensor& x) override;
};

struct HardshrinkOptions {
  double lambda = 0.5;
};
/// x where |x| > λ, 0 elsewhere, torch.nn.Hardshrink.
class MINIMA_API Hardshrink : public Module {
 public:
  explicit Hardshrink(HardshrinkOptions options = {}) : options(options) {}
  Tensor forward(const Tensor& x) override;
  HardshrinkOptions options;
};

struct SoftshrinkOptions {
  double lambda = 0.5;
};
/// x moved towards 0 by λ, torch.nn.Softshrink.
class MINIMA_API Softshrink : public Module {
 public:
  explicit Softshrink(SoftshrinkOptions options = {}) : options(options) {}
  Tensor forward(const Tensor& x) override;
  SoftshrinkOptions options;
};

struct GLUOptions {
  std::int64_t dim = -1;
};
/// a · sigmoid(b) of the halves of x along `dim`, torch.nn.GLU.
class MINIMA_API GLU : public Module {
 public:
  explicit GLU(GLUOptions options = {}) : options(options) {}
  Tensor forward(const Tensor& x) override;
  GLUOptions options;
};

struct PReLUOptions {
  std::int64_t features = 1;  ///< 1, or the channels of x: a slope for each
  double init = 0.25;
};
/// x where x > 0, weight · x elsewhere with a learnt weight, torch.nn.PReLU.
class MINIMA_API PReLU : public Module {
 public:
  explicit PReLU(PReLUOptions options = {});
  Tensor forward(const Tensor& x) override;
  void reset_parameters();

  PReLUOptions options;
  Parameter weight;  ///< [features]
};

}  // namespace minima::nn
