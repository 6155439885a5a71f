#pragma once

#include <minima/nn/module/module_base.h>

#include <cstdint>
#include <string>
#include <vector>

// Parameters that others see as another tensor: weights of which a process has a part. Internal.

namespace minima::nn::detail {

/// A parameter, and the tensor that parameters(), state_dict(), to() and all else list in its place and under its
/// names; the members stay as they are. An undefined stand-in ends that. A stand-in is a vector of the parameter's
/// elements from `begin` on, which load_state_dict takes from whole parameters, too.
struct StandIn {
  Tensor parameter, other;
  Shape whole = {};
  std::int64_t begin = 0;
};
/// For `root` and its descendants, and their copies.
void set_stand_ins(const ModuleBase& root, const std::vector<StandIn>& stand_ins);
/// The name of a parameter that has a stand-in; empty if there is none.
std::string find_stand_in(const ModuleBase& root);
/// The state dict with the shapes of whole parameters: those that have stand-ins are there without memory.
State whole_state(const ModuleBase& root);
/// The parameters of this module, without its descendants.
std::vector<Tensor> own_parameters(const ModuleBase& module);

}  // namespace minima::nn::detail
