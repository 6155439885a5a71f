#pragma once

#include <minima/nn/module/module_base.h>

namespace minima::nn {

/// Freezes the parameters whose names start with `prefix` (all by default): they no longer require grad, and their
/// gradients are dropped. Returns how many matched.
///   freeze(net, "backbone.");
MINIMA_API std::int64_t freeze(const ModuleBase& module, const std::string& prefix = "");
/// Makes them require grad again. Returns how many matched.
MINIMA_API std::int64_t unfreeze(const ModuleBase& module, const std::string& prefix = "");

}  // namespace minima::nn
