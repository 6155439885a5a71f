#pragma once

#include <minima/tensor/base/api.h>

namespace minima::nn {

class ModuleBase;

/// Says that `module` may be called in the forward of a module that has not registered it, which otherwise warns: a
/// discriminator that a loss holds and another optimizer trains. Frozen modules, and calls under NoGrad, need no such
/// permission.
MINIMA_API void allow_unregistered(const ModuleBase& module);

namespace detail {

/// A running call of a module, on the stack of its thread. A module with parameters that require grad, called in
/// another's forward without being registered below it, would train nothing: the end of its first such call writes one
/// warning to standard error. Afterwards a call costs a flag.
class MINIMA_API Call {
 public:
  explicit Call(const ModuleBase& module) : module_(module), outer_(innermost) { innermost = this; }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() {
    innermost = outer_;
    if (outer_) expect_registered();
  }

 private:
  void expect_registered() const noexcept;
  bool is_trained() const;
  bool is_below_a_caller() const;
  bool has_parameters_of_its_own() const;
  void warn() const;

  static constinit thread_local const Call* innermost;

  const ModuleBase& module_;
  const Call* outer_;
};

}  // namespace detail

}  // namespace minima::nn
