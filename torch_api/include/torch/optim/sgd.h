#pragma once

#include <torch/optim/optimizer.h>

namespace torch::optim {

struct SGDOptions : public OptimizerCloneableOptions<SGDOptions> {
  SGDOptions(double lr) : lr_(lr) {}
  TORCH_ARG(double, lr);
  TORCH_ARG(double, momentum) = 0;
  TORCH_ARG(double, dampening) = 0;
  TORCH_ARG(double, weight_decay) = 0;
  TORCH_ARG(bool, nesterov) = false;
  MINIMA_TORCH_OPTIM_OPTIONS(SGDOptions);
};

struct SGDParamState : public OptimizerCloneableParamState<SGDParamState> {
  TORCH_ARG(Tensor, momentum_buffer);
  MINIMA_TORCH_OPTIM_FIELDS(SGDParamState);
};

class SGD : public Optimizer {
 public:
  MINIMA_TORCH_OPTIMIZER(SGD);
  Tensor step(LossClosure closure = nullptr) override;
};

}  // namespace torch::optim
