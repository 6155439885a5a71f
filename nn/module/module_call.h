#pragma once

#include <minima/tensor/base/api.h>

namespace minima::nn {

class ModuleBase;

/// Says that `module` may be called in the forward of a module that has not registered it, which otherwise warns: a
/// discriminator that a loss holds and another optimizer trains. Frozen modules, and calls under NoGrad, need no such
/// permission.
MINIMA_API void allow_unregistered(const ModuleBase& module);

namespace detail {

/// A running call of a module, on its thread's stack. Its end warns about a module that is not registered below others.
struct MINIMA_API Call {
  explicit Call(const ModuleBase& called);  ///< throws ValueError if the outermost has parameters to be drawn yet
  Call(const Call&) = delete;
  ~Call() {
    innermost = outer;
    if (outer) expect_registered();
  }
  void expect_registered() const noexcept;

  const ModuleBase& module;
  const Call* outer;
  static constinit thread_local const Call* innermost;
};

}  // namespace detail

}  // namespace minima::nn
