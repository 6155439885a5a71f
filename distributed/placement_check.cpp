#include <minima/distributed/placement_check.h>

#include <minima/distributed/group.h>
#include <minima/distributed/mesh.h>
#include <minima/distributed/placement/checker.h>
#include <minima/distributed/placement/hooks.h>
#include <minima/distributed/placement/placement.h>
#include <minima/distributed/process_group.h>
#include <minima/tensor/base/counted.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace minima::distributed {

struct PlacementCheck::State {
  explicit State(const Mesh& given) : mesh(given) {}
  /// No value for an axis of one rank.
  std::optional<std::size_t> index(const std::string& axis) const {
    const ProcessGroup& group = mesh[axis];
    if (group.size() == 1) return std::nullopt;
    return checker->add_axis(detail::rank_set(group));
  }

  Mesh mesh;
  detail::PlacementUser user;
  Ref<detail::PlacementChecker> checker = detail::PlacementChecker::here();
};

PlacementCheck::PlacementCheck(const Mesh& mesh, const PlacementOptions& options)
    : state_(std::make_unique<State>(mesh)) {
  std::vector<std::size_t> world;
  for (const Axis& axis : mesh.axes())
    if (const auto index = state_->index(axis.name)) {
      state_->checker->axes()[*index].set.name = axis.name;
      state_->checker->axes()[*index].is_declared = true;
      world.push_back(*index);
    }
  state_->checker->set_grid(detail::rank_set(mesh.world()).ranks, world);
  for (const std::string& axis : options.data)
    if (const auto index = state_->index(axis)) state_->checker->axes()[*index].is_data = true;
}

PlacementCheck::~PlacementCheck() = default;

void PlacementCheck::declare(const Tensor& x, const std::string& axis, Placement placement, std::optional<int> dim) {
  if (!x.defined()) throw ValueError("PlacementCheck::declare: the tensor is undefined");
  int at = -1;
  if (dim) {
    if (placement != Placement::varying)
      throw ValueError(str("PlacementCheck::declare: ", x, " is ", name(placement),
                           " and has no dimension that ranks share; only a varying tensor has"));
    if (*dim < -x.rank() || *dim >= x.rank())
      throw ValueError(str("PlacementCheck::declare: dimension ", *dim, " of ", x, "; it has ", x.rank()));
    at = *dim < 0 ? *dim + x.rank() : *dim;
  }
  if (const auto index = state_->index(axis)) state_->checker->declare(x, *index, placement, at);
}

std::optional<Placement> PlacementCheck::placement_of(const Tensor& x, const std::string& axis) const {
  if (!x.defined()) throw ValueError("PlacementCheck::placement_of: the tensor is undefined");
  const auto index = state_->index(axis);
  if (!index) return Placement::replicated;
  switch (state_->checker->place_of(x, *index).kind) {
    case detail::OnAxis::same: return Placement::replicated;
    case detail::OnAxis::varying: return Placement::varying;
    case detail::OnAxis::partial: return Placement::partial;
    case detail::OnAxis::unknown: break;
  }
  return std::nullopt;
}

void PlacementCheck::expect_complete_gradients(const std::vector<Tensor>& parameters) const {
  state_->checker->expect_complete("expect_complete_gradients", parameters);
}

}  // namespace minima::distributed
