#pragma once

#include <minima/nn/module/module.h>

namespace minima::nn {

/// Is called in place of a module's forward and decides how to run it: `module.forward(x)`, a checkpoint of that, ….
using AroundForward = Function<Tensor(Module& module, const Tensor& x)>;

/// Calls of the module go through `around` from now on, inside its forward hooks; of several, through the last one that
/// was set and not removed. Throws ValueError for a module that does not map one tensor to one.
MINIMA_API ForwardHookHandle set_forward_around(ModuleBase& module, AroundForward around);

}  // namespace minima::nn
