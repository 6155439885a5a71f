#include <minima/distributed/mesh.h>

#include <minima/distributed/agreement.h>
#include <minima/distributed/process_group.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace minima::distributed {

namespace {

/// `data 4 × tensor 2`.
std::string grid_of(const std::vector<Axis>& axes) {
  std::string text;
  for (const Axis& axis : axes) text += str(text.empty() ? "" : " × ", axis.name, " ", axis.size);
  return text;
}

void expect_grid(const ProcessGroup& world, const std::vector<Axis>& axes) {
  if (!world.defined()) throw ValueError("Mesh: the process group is undefined; distributed::init() makes one");
  if (axes.empty()) throw ValueError("Mesh: needs an axis at least: {{\"data\", world.size()}}");
  std::int64_t product = 1;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Axis& axis = axes[i];
    if (axis.name.empty()) throw ValueError(str("Mesh: axis ", i, " has no name"));
    if (axis.size < 1)
      throw ValueError(str("Mesh: axis \"", axis.name, "\" has ", axis.size, " ranks; needs one at least"));
    for (std::size_t j = 0; j < i; ++j)
      if (axes[j].name == axis.name) throw ValueError(str("Mesh: two axes are called \"", axis.name, "\""));
    product = product > world.size() ? product : product * axis.size;  // large enough to be refused
  }
  if (product == world.size()) return;
  double ranks = 1;
  for (const Axis& axis : axes) ranks *= axis.size;
  throw ValueError(str("Mesh: ", grid_of(axes), " = ", ranks, " ranks, but the world has ", world.size(),
                       "; change an axis, or start as many ranks"));
}

}  // namespace

Mesh::Mesh(const ProcessGroup& world, const std::vector<Axis>& axes) : world_(world), axes_(axes) {
  expect_grid(world, axes);
  detail::expect_agreement("Mesh", "mesh", grid_of(axes), world);
  int stride = world.size();
  for (const Axis& axis : axes) {
    stride /= axis.size;
    const int coordinate = world.rank() / stride % axis.size, first = world.rank() - coordinate * stride;
    std::vector<int> ranks;
    ranks.reserve(static_cast<std::size_t>(axis.size));
    for (int i = 0; i < axis.size; ++i) ranks.push_back(first + i * stride);
    groups_.push_back(world.subgroup(ranks));
  }
}

const ProcessGroup& Mesh::operator[](const std::string& axis) const {
  for (std::size_t i = 0; i < axes_.size(); ++i)
    if (axes_[i].name == axis) return groups_[i];
  throw ValueError(str("Mesh: there is no axis \"", axis, "\"; the mesh is ", grid_of(axes_)));
}

}  // namespace minima::distributed
