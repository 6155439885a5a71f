#pragma once

#include <minima/nn/module/module_base.h>

#include <utility>
#include <vector>

// Parameters that others see as another tensor: weights of which a process has a part. Internal.

namespace minima::nn::detail {

/// A parameter, and the tensor that parameters(), state_dict(), to() and all else list in its place and under its
/// names; the members stay as they are. An undefined stand-in ends that.
using StandIn = std::pair<Tensor, Tensor>;
/// For `root` and its descendants, and their copies.
void set_stand_ins(const ModuleBase& root, const std::vector<StandIn>& stand_ins);
/// The name of a parameter that has a stand-in; empty if there is none.
std::string find_stand_in(const ModuleBase& root);
/// The parameters of this module, without its descendants.
std::vector<Tensor> own_parameters(const ModuleBase& module);

}  // namespace minima::nn::detail
