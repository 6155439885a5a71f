#pragma once

#include <minima/distributed/process_group.h>
#include <minima/nn/module/module_base.h>

namespace minima::distributed {

/// The sum of x over all ranks, on every rank. Differentiable: the gradient is the sum of all ranks' gradients.
MINIMA_API Tensor all_reduce_sum(const Tensor& x, const ProcessGroup& group);

/// Sums each number over all ranks, for metrics: pass sums of losses and counts of correct answers and samples, so that
/// ranks are weighted by their number of samples. Synchronises with the device.
///     auto [loss, count] = …; const auto total = sum_over_ranks({loss_sum, count}, group);
MINIMA_API std::vector<double> sum_over_ranks(const std::vector<double>& values, const ProcessGroup& group);

/// Joins the ranks' x along its first dimension, in the order of ranks, on every rank; they may have different lengths
/// there. For predictions of a whole set. No gradient; synchronises with the device. Throws ShapeError for a scalar.
MINIMA_API Tensor cat_over_ranks(const Tensor& x, const ProcessGroup& group);

/// Makes all batch normalisation layers in `module` compute their statistics over the batches of all ranks in training
/// mode, as PyTorch's SyncBatchNorm. Clones made before are not affected. Costs an all-reduce of 2C + 1 numbers per
/// layer in forward and in backward.
MINIMA_API void synchronize_batch_norm(nn::ModuleBase& module, const ProcessGroup& group);

}  // namespace minima::distributed
