#pragma once

#include <torch/optim/optimizer.h>

namespace torch::optim {

struct AdagradOptions : public OptimizerCloneableOptions<AdagradOptions> {
  AdagradOptions(double lr = 1e-2) : lr_(lr) {}
  TORCH_ARG(double, lr) = 1e-2;
  TORCH_ARG(double, lr_decay) = 0;
  TORCH_ARG(double, weight_decay) = 0;
  TORCH_ARG(double, initial_accumulator_value) = 0;
  TORCH_ARG(double, eps) = 1e-10;
  MINIMA_TORCH_OPTIM_OPTIONS(AdagradOptions);
};

struct AdagradParamState : public OptimizerCloneableParamState<AdagradParamState> {
  TORCH_ARG(Tensor, sum);
  TORCH_ARG(int64_t, step) = 0;
  MINIMA_TORCH_OPTIM_FIELDS(AdagradParamState);
};

/// Parameters have a state as soon as the optimizer is constructed; those that are added later get it in their first
/// step, where LibTorch fails.
class Adagrad : public Optimizer {
 public:
  MINIMA_TORCH_OPTIMIZER(Adagrad, = {});
  Tensor step(LossClosure closure = nullptr) override;
};

}  // namespace torch::optim
