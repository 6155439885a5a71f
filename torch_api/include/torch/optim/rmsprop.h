#pragma once

#include <torch/optim/optimizer.h>

namespace torch::optim {

struct RMSpropOptions : public OptimizerCloneableOptions<RMSpropOptions> {
  RMSpropOptions(double lr = 1e-2) : lr_(lr) {}
  TORCH_ARG(double, lr) = 1e-2;
  TORCH_ARG(double, alpha) = 0.99;
  TORCH_ARG(double, eps) = 1e-8;
  TORCH_ARG(double, weight_decay) = 0;
  TORCH_ARG(double, momentum) = 0;
  TORCH_ARG(bool, centered) = false;
  MINIMA_TORCH_OPTIM_OPTIONS(RMSpropOptions);
};

struct RMSpropParamState : public OptimizerCloneableParamState<RMSpropParamState> {
  TORCH_ARG(int64_t, step) = 0;
  TORCH_ARG(Tensor, square_avg);
  TORCH_ARG(Tensor, momentum_buffer);
  TORCH_ARG(Tensor, grad_avg);
  MINIMA_TORCH_OPTIM_FIELDS(RMSpropParamState);
};

class RMSprop : public Optimizer {
 public:
  MINIMA_TORCH_OPTIMIZER(RMSprop, = {});
  Tensor step(LossClosure closure = nullptr) override;
};

}  // namespace torch::optim
