#pragma once

#include <torch/optim/optimizer.h>

#include <tuple>

namespace torch::optim {

struct AdamOptions : public OptimizerCloneableOptions<AdamOptions> {
  AdamOptions(double lr = 1e-3) : lr_(lr) {}
  using betas_t = std::tuple<double, double>;
  TORCH_ARG(double, lr) = 1e-3;
  TORCH_ARG(betas_t, betas) = { 0.9, 0.999 };
  TORCH_ARG(double, eps) = 1e-8;
  TORCH_ARG(double, weight_decay) = 0;
  TORCH_ARG(bool, amsgrad) = false;
  MINIMA_TORCH_OPTIM_OPTIONS(AdamOptions);
};

/// Moments are float32 for parameters of half types.
struct AdamParamState : public OptimizerCloneableParamState<AdamParamState> {
  TORCH_ARG(int64_t, step) = 0;
  TORCH_ARG(Tensor, exp_avg);
  TORCH_ARG(Tensor, exp_avg_sq);
  TORCH_ARG(Tensor, max_exp_avg_sq);
  MINIMA_TORCH_OPTIM_FIELDS(AdamParamState);
};

class Adam : public Optimizer {
 public:
  MINIMA_TORCH_OPTIMIZER(Adam, = {});
  Tensor step(LossClosure closure = nullptr) override;
};

}  // namespace torch::optim
