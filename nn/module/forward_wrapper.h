#pragma once

#include <minima/nn/module/module.h>

namespace minima::nn {

/// Computes a module's result from its input, in a call that gives the module more than that. It holds the rest, and
/// may be kept to compute the result again.
using ModuleForward = Function<Tensor(const Tensor& x)>;
/// Called instead of a module's forward; it decides how to run `forward(x)`, for example checkpointed. In a call with
/// nothing but x `forward` is empty, and stands for `module.forward`.
using ForwardWrapper = Function<Tensor(Module& module, const Tensor& x, const ModuleForward& forward)>;

/// Routes calls of the module through `wrapper`, inside its forward hooks, until the handle's `remove`. The latest
/// wrapper wins. Throws ValueError unless the module maps one tensor to one tensor.
MINIMA_API ForwardHookHandle wrap_forward(ModuleBase& module, ForwardWrapper wrapper);

/// forward(x), through the module's wrapper if it has one. For modules that others call with more than x.
MINIMA_API Tensor run_wrapped(Module& module, const Tensor& x, const ModuleForward& forward);

namespace detail {

/// As add_forward_pre_hook, but before the hooks that are there. Internal: for what makes weights ready, which hooks
/// that were added before may read.
MINIMA_API ForwardHookHandle add_first_pre_hook(ModuleBase& module, ForwardPreHook hook);

}  // namespace detail

}  // namespace minima::nn
