#pragma once

#include <minima/distributed/process_group.h>
#include <minima/nn/module/module_base.h>

namespace minima::distributed {

/// The sum of x over all ranks, on every rank. Differentiable: the gradient is the sum of all ranks' gradients.
MINIMA_API Tensor all_reduce_sum(const Tensor& x, const ProcessGroup& group);

/// Differentiable collectives for layers whose work is shared by ranks. Each is the other's gradient, so that the sum
/// of all ranks' losses, or a loss that all ranks compute alike where noted, has the gradient of the whole computation.
///
/// x, the same on all ranks, enters what ranks compute differently: x itself; its gradient is the sum of all ranks'.
MINIMA_API Tensor copy_to_ranks(const Tensor& x, const ProcessGroup& group);
/// Leaves it: the sum of x over all ranks, from which all ranks compute alike; the gradient passes unchanged. Where
/// ranks go on differently, all_reduce_sum is right.
MINIMA_API Tensor sum_from_ranks(const Tensor& x, const ProcessGroup& group);
/// Joins the ranks' x along `dim`, on every rank. `sizes` are the ranks' sizes of that dimension where they differ. The
/// gradient is this rank's part of the sum of all ranks' gradients. Throws ShapeError for a scalar.
MINIMA_API Tensor gather_from_ranks(const Tensor& x, const ProcessGroup& group, int dim = 0,
                                    const std::vector<std::int64_t>& sizes = {});
/// This rank's part, along `dim`, of the sum of x over all ranks; the inverse of gather_from_ranks, with its gradient.
/// Without `sizes` the parts are equal: throws ShapeError if the dimension is no multiple of the number of ranks.
MINIMA_API Tensor scatter_sum_to_ranks(const Tensor& x, const ProcessGroup& group, int dim = 0,
                                       const std::vector<std::int64_t>& sizes = {});
/// Cuts x into equal parts along `split`, sends part r to rank r, and joins what ranks send along `join`: from
/// sequences shared by ranks to heads shared by ranks, and back. The gradient goes the other way.
MINIMA_API Tensor all_to_all_ranks(const Tensor& x, const ProcessGroup& group, int split, int join);

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
