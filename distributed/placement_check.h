#pragma once

#include <minima/distributed/mesh.h>
#include <minima/distributed/placement/placement.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace minima::distributed {

struct PlacementOptions {
  std::vector<std::string> data = {};  ///< axes along which batches are shared
};

/// Checks, for its scope and on its thread, that tensors and collectives fit together: along each axis of a mesh a
/// tensor is replicated, varying or a partial sum, operators propagate that, and collectives convert it. A function of
/// a partial sum that is not linear, a sum of replicated and partial tensors, a collective too many, too few or over
/// another axis, a gradient that is a partial sum when the optimizer reads it, and a norm of gradients that counts only
/// one rank's shards are PlacementErrors. Values do not matter: a pretended group will do, and one rank of it.
///
///     const Mesh mesh(pretend(0, 4), {{"data", 2}, {"tensor", 2}});
///     PlacementCheck check(mesh, {.data = {"data"}});
///     check.declare(net.up.weight, "tensor", Placement::varying, 0);      // each rank has some of the rows
///     check.declare(net.down.weight, "tensor", Placement::varying, 1);
///     loss_of(net(x)).backward();
///     optimizer.step();
///
/// What is not declared is replicated along all axes, except for tensors other than parameters along `data` axes, which
/// vary there. DistributedDataParallel and shard() make their group a data axis. Axes of one rank are not checked.
///
/// With MINIMA_DISTRIBUTED_CHECK=1, DistributedDataParallel and shard() check their own group without this object.
/// Without a check, collectives and steps test a pointer, operators nothing.
class MINIMA_API PlacementCheck {
 public:
  /// Throws ValueError if an axis of the options is none of the mesh.
  explicit PlacementCheck(const Mesh& mesh, const PlacementOptions& options = {});
  ~PlacementCheck();
  PlacementCheck(const PlacementCheck&) = delete;
  PlacementCheck& operator=(const PlacementCheck&) = delete;

  /// Says where x is. `dim` is the dimension of which the ranks have shards, if x varies so: the checker then knows
  /// what sums over it are. A parameter that is declared invariant needs its whole gradient when backward ends; others
  /// need it when an optimizer reads it. Throws ValueError for an unknown axis or dimension.
  void declare(const Tensor& x, const std::string& axis, Placement placement, std::optional<int> dim = {});
  /// Returns where x is, or no value if the checker cannot tell. Replicated stands for invariant, too.
  std::optional<Placement> placement_of(const Tensor& x, const std::string& axis) const;
  /// Throws PlacementError if the gradient of one of these parameters is a partial sum, as an optimizer's step does:
  /// for steps written by hand.
  void expect_complete_gradients(const std::vector<Tensor>& parameters) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace minima::distributed
