#pragma once

#include <minima/nn/module/module_base.h>

namespace minima::nn {

namespace detail {
MINIMA_API void separate(ModuleBase& copy);
}

/// A deep copy: other parameters and buffers with equal values (tied ones stay tied), other children, an own training
/// flag and own copies of hooks. Gradients are not copied. Members that are not registered are copied as they are.
template <class M>
requires detail::ChildModule<M> M clone(const M& module) {
  M copy(module);
  detail::separate(copy);
  return copy;
}

}  // namespace minima::nn
