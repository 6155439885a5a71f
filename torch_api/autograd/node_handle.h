#pragma once

#include <torch/csrc/autograd/edge.h>

#include <minima/autograd/node.h>

namespace torch::autograd {

/// The library's node under LibTorch's name; null for null. Retains it.
std::shared_ptr<Node> node_handle(minima::Node* node);
Edge edge_handle(const minima::Edge& edge);

}  // namespace torch::autograd
