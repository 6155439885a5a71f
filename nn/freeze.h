#pragma once

#include <minima/nn/module/module_base.h>

namespace minima::nn {

/// No gradients for the parameters whose names begin with `prefix` (all if it is empty), as for a backbone that stays
/// as it is. Their gradients so far are dropped. Returns how many there are.
///   freeze(net, "backbone.");
MINIMA_API std::int64_t freeze(const ModuleBase& module, const std::string& prefix = "");
/// Gradients again.
MINIMA_API std::int64_t unfreeze(const ModuleBase& module, const std::string& prefix = "");

}  // namespace minima::nn
