#pragma once

#include <minima/tensor/base/api.h>

namespace minima::nn {

class ModuleBase;

/// Whether a call of the module runs its forward and nothing else: no hook, wrapper or parametrization. Fused code that
/// uses a child's weight in place of a call asks this first, and calls the child if it is false:
///   if (is_called_plainly(up)) y = linear(x, up.weight, up.bias, Activation::gelu); else y = gelu(up(x));
MINIMA_API bool is_called_plainly(const ModuleBase& module);

}  // namespace minima::nn
