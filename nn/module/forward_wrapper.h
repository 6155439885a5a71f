#pragma once

#include <minima/nn/module/module.h>

namespace minima::nn {

/// Called instead of a module's forward; it decides how to run `module.forward(x)`, for example checkpointed.
using ForwardWrapper = Function<Tensor(Module& module, const Tensor& x)>;

/// Routes calls of the module through `wrapper`, inside its forward hooks, until the handle's `remove`. The latest
/// wrapper wins. Throws ValueError unless the module maps one tensor to one tensor.
MINIMA_API ForwardHookHandle wrap_forward(ModuleBase& module, ForwardWrapper wrapper);

}  // namespace minima::nn
