#pragma once

#include <minima/distributed/process_group.h>

#include <memory>
#include <vector>

namespace minima::distributed {

/// Tells optimizers that each rank of a group has a part of its own of these parameters, as tensor-parallel layers
/// split weights. For as long as it exists, norms of gradients count the parts of all ranks, and parameters that are
/// not listed once; a gradient that is not finite on one rank skips the step of a loss scaler, or of `NonFinite::skip`,
/// on all.
///
///     const distributed::Mesh mesh(world, {{"data", 4}, {"tensor", 2}});
///     const distributed::SplitParameters split({up.weight, up.bias, down.weight}, mesh["tensor"]);
///     const distributed::Sharding sharding = distributed::shard(net, blocks, mesh["data"]);   // or data parallelism
///     optim::AdamW optimizer(net.parameters(), {.lr = 1e-3});
///     optimizer.max_grad_norm(1.0);                                                           // over the whole mesh
///
/// With shard(), whole parameters stand for their shards, before and behind the call. All ranks of the group list the
/// same parameters, which may differ in shape. Element-wise optimizers and LAMB accept such parameters; Muon, Adafactor
/// and LBFGS refuse them, since they would have to know where parts belong.
class MINIMA_API SplitParameters {
 public:
  /// Throws ValueError for an undefined group or parameter, and, on every rank, if ranks list different numbers of
  /// them.
  SplitParameters(const std::vector<Tensor>& parameters, const ProcessGroup& group);
  ~SplitParameters();
  SplitParameters(const SplitParameters&) = delete;
  SplitParameters& operator=(const SplitParameters&) = delete;

 private:
  class Ranks;
  std::unique_ptr<Ranks> ranks_;
  std::vector<Tensor> parameters_;  ///< kept: they are known by their addresses
};

}  // namespace minima::distributed
