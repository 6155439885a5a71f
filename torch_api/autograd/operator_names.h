#pragma once

#include <minima/autograd/node.h>

#include <string>

namespace torch::autograd {

/// A node's name in LibTorch.
std::string operator_name(const minima::Node& node);

}  // namespace torch::autograd
