#pragma once

#include <minima/distributed/process_group.h>

#include <string>
#include <vector>

namespace minima::distributed {

/// An axis of a mesh: `{"data", 4}`.
struct Axis {
  std::string name;
  int size = 1;
};

/// The ranks of a group as a grid with named axes, as in torch.distributed's DeviceMesh. Neighbours along the last axis
/// have consecutive ranks, so put the axis that communicates most there: its ranks share a host.
///
///     Mesh mesh(world, {{"data", 4}, {"tensor", 2}});   // ranks 0 and 1, 2 and 3, … share "tensor"
///     DistributedDataParallel parallel(net, mesh["data"]);
///
/// A handle: copies are the same mesh.
class MINIMA_API Mesh {
 public:
  /// Makes the group of each axis; all ranks of `world` must call it with the same axes. Throws ValueError on every
  /// rank if the sizes' product is not the world's size, a name is repeated or empty, or ranks disagree.
  Mesh(const ProcessGroup& world, const std::vector<Axis>& axes);

  /// The group of the ranks that differ from this one along the axis only; its rank is the coordinate. Throws
  /// ValueError for an unknown name.
  const ProcessGroup& operator[](const std::string& axis) const;
  const ProcessGroup& world() const { return world_; }
  const std::vector<Axis>& axes() const { return axes_; }

 private:
  ProcessGroup world_;
  std::vector<Axis> axes_;
  std::vector<ProcessGroup> groups_;
};

}  // namespace minima::distributed
