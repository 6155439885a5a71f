#pragma once

#include <minima/distributed/process_group.h>
#include <minima/nn/module/module_base.h>

namespace minima::distributed {

/// Σ over ranks of x, on every rank. Differentiable: the gradient is the sum of all ranks' gradients.
MINIMA_API Tensor all_reduce_sum(const Tensor& x, const ProcessGroup& group);

/// Σ over ranks of each number: sums of losses, counts of right answers and of samples, so that ranks with shares of
/// different sizes weigh what they should. Waits for the device.
///     auto [loss, count] = …; const auto total = sum_over_ranks({loss_sum, count}, group);
MINIMA_API std::vector<double> sum_over_ranks(const std::vector<double>& values, const ProcessGroup& group);

/// From now on batch normalisation inside `module` takes its statistics from the batches of all ranks, in training
/// mode. It acts on the module's own members: copies made before keep their own statistics. Slower than without: one
/// all-reduce of 2C + 1 numbers for each layer, forwards and backwards.
MINIMA_API void synchronize_batch_norm(nn::ModuleBase& module, const ProcessGroup& group);

}  // namespace minima::distributed
