#include <torch/core/tensor.h>

#include <c10/util/Exception.h>

#include <minima/autograd/node_hooks.h>

#include <algorithm>
#include <functional>
#include <utility>

// LibTorch numbers the hooks of a tensor. They are hooks of minima's node with identifiers of their own: the highest
// bit, the node's output and the position. minima counts its own from 1.

namespace at {

namespace {

constexpr std::uint64_t ours = std::uint64_t{1} << 63;

std::uint64_t id_of(std::uint32_t output, unsigned position) { return ours | std::uint64_t{output} << 32 | position; }

bool belongs(std::uint64_t id, std::uint32_t output) { return (id >> 32) == (id_of(output, 0) >> 32); }

minima::Edge edge_of(const Tensor& tensor, const char* action) {
  minima::Edge edge = minima::detail::edge_to(tensor.native());
  TORCH_CHECK(edge, "cannot ", action, " a hook on a variable that doesn't require gradient");
  return edge;
}

}  // namespace

unsigned Tensor::_register_hook(std::function<Tensor(const Tensor&)> hook) const {
  const minima::Edge edge = edge_of(*this, "register");
  minima::NodeHooks& hooks = minima::NodeHooks::of(*edge.node());
  unsigned position = 0;
  for (const auto& entry : hooks.copy(&minima::NodeHooks::on_gradient))
    if (belongs(entry.id, edge.output())) position = std::max(position, static_cast<unsigned>(entry.id) + 1);
  using Entry = minima::NodeHooks::Entry<minima::Tensor(const minima::Tensor&)>;
  hooks.add(&minima::NodeHooks::on_gradient,
            Entry{id_of(edge.output(), position), edge.output(),
                  [hook = std::move(hook)](const minima::Tensor& grad) { return hook(Tensor(grad)).native(); }});
  return position;
}

void Tensor::remove_hook(unsigned position) const {
  const minima::Edge edge = edge_of(*this, "remove");
  minima::NodeHooks& hooks = minima::NodeHooks::of(*edge.node());
  const std::uint64_t id = id_of(edge.output(), position);
  const auto registered = hooks.copy(&minima::NodeHooks::on_gradient);
  TORCH_CHECK(std::any_of(registered.begin(), registered.end(), [id](const auto& entry) { return entry.id == id; }),
              "Invalid index, no hook at position ", position);
  hooks.remove(id);
}

}  // namespace at
