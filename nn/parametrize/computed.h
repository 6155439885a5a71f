#pragma once

#include <minima/nn/module/forward_hook.h>
#include <minima/nn/module/module_base.h>

#include <string>

// Parameters that are recomputed before each call. Internal to nn/parametrize.

namespace minima::nn::detail {

/// The member that is registered as a parameter under this name, computed or not. Throws ValueError if there is none.
Tensor& parameter_member(const char* op, ModuleBase& module, const std::string& name);
bool is_computed(const ModuleBase& module, const std::string& name);
/// From now on the member is no parameter: `compute` assigns it before each call.
void make_computed(ModuleBase& module, const std::string& name, void (*compute)(ModuleBase&, const std::string&));
/// Makes it the parameter `value` again. Throws ValueError if copies of the module would keep what was computed.
void make_parameter(const char* op, ModuleBase& module, const std::string& name, const Parameter& value);

}  // namespace minima::nn::detail
