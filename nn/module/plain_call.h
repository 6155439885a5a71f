#pragma once

#include <minima/tensor/base/api.h>

namespace minima::nn {

class ModuleBase;

/// Whether a call of the module runs its forward and nothing else that could change a tensor: no hook, wrapper or
/// parametrization. Fused code that uses a child's weight in place of a call asks this first, and calls the child if it
/// is false:
///   if (is_called_plainly(up)) y = linear(x, up.weight, up.bias, Activation::gelu); else y = gelu(up(x));
MINIMA_API bool is_called_plainly(const ModuleBase& module);

/// Fused code that does all of a module's work calls this where that begins, for the module's watchers
/// (ModuleBase::add_forward_watcher), so that profiles name the module.
MINIMA_API void begin_in_place_of(const ModuleBase& module);
/// The same where it ends.
MINIMA_API void end_in_place_of(const ModuleBase& module);

}  // namespace minima::nn
