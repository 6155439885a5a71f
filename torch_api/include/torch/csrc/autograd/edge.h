#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace torch::autograd {

struct Node;

/// An input of an operator's gradient: output `input_nr` of the operator that made a tensor, or a leaf.
struct Edge {
  Edge() = default;
  Edge(std::shared_ptr<Node> node, std::uint32_t number) noexcept : function(std::move(node)), input_nr(number) {}

  bool is_valid() const { return function != nullptr; }
  bool operator==(const Edge& other) const { return function == other.function && input_nr == other.input_nr; }

  std::shared_ptr<Node> function;
  std::uint32_t input_nr = 0;
};

using edge_list = std::vector<Edge>;
using IndexRange = std::pair<std::size_t, std::size_t>;

}  // namespace torch::autograd
