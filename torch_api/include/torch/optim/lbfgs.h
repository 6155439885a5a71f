#pragma once

#include <torch/optim/optimizer.h>

#include <deque>
#include <optional>
#include <string>

namespace torch::optim {

struct LBFGSOptions : public OptimizerCloneableOptions<LBFGSOptions> {
  LBFGSOptions(double lr = 1) : lr_(lr) {}
  TORCH_ARG(double, lr) = 1;
  TORCH_ARG(int64_t, max_iter) = 20;
  TORCH_ARG(std::optional<int64_t>, max_eval) = std::nullopt;
  TORCH_ARG(double, tolerance_grad) = 1e-7;
  TORCH_ARG(double, tolerance_change) = 1e-9;
  TORCH_ARG(int64_t, history_size) = 100;
  TORCH_ARG(std::optional<std::string>, line_search_fn) = std::nullopt;
  MINIMA_TORCH_OPTIM_OPTIONS(LBFGSOptions);
};

/// The state of all parameters together, stored under the first one.
struct LBFGSParamState : public OptimizerCloneableParamState<LBFGSParamState> {
  TORCH_ARG(int64_t, func_evals) = 0;
  TORCH_ARG(int64_t, n_iter) = 0;
  TORCH_ARG(double, t) = 0;
  TORCH_ARG(double, prev_loss) = 0;
  TORCH_ARG(Tensor, d);
  TORCH_ARG(Tensor, H_diag);
  TORCH_ARG(Tensor, prev_flat_grad);
  TORCH_ARG(std::deque<Tensor>, old_dirs);
  TORCH_ARG(std::deque<Tensor>, old_stps);
  TORCH_ARG(std::deque<Tensor>, ro);
  TORCH_ARG(std::optional<std::vector<Tensor>>, al) = std::nullopt;
  MINIMA_TORCH_OPTIM_FIELDS(LBFGSParamState);
};

/// The line search takes a loss or a slope that is not finite for too high, where LibTorch's continues with it.
class LBFGS : public Optimizer {
 public:
  MINIMA_TORCH_OPTIMIZER(LBFGS, = {});
  Tensor step(LossClosure closure) override;
};

}  // namespace torch::optim
