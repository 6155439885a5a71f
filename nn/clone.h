#pragma once

#include <minima/nn/module/module_base.h>

namespace minima::nn {

namespace detail {
MINIMA_API void make_deep(ModuleBase& copy);
}

/// A deep copy: new parameters and buffers with the same values (tied ones stay tied), cloned children, and a separate
/// training flag and hooks, but for watchers and wrappers, which belong to reports and memory budgets of this module.
/// Gradients are not copied. Unregistered members are copied by their copy constructors. Copying a module, by contrast,
/// gives another handle to the same module.
template <class M>
requires detail::ChildModule<M> M clone(const M& module) {
  M copy(module);
  detail::make_deep(copy);
  return copy;
}

}  // namespace minima::nn
