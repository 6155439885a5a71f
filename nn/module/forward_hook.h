#pragma once

#include <minima/tensor/base/function.h>
#include <minima/tensor/tensor.h>

#include <vector>

namespace minima::nn {

class ModuleBase;

namespace detail {
struct ForwardHook;
struct Registry;
}

/// Called before a module's forward with its tensor arguments, in order. May replace them, but not change their number.
using ForwardPreHook = Function<void(ModuleBase& module, std::vector<Tensor>& inputs)>;
/// Called after a module's forward with the tensors in its result (all of a tuple, pair, array, vector or
/// optional, or of a struct of two or three tensors). May replace them, but not change their number.
using ForwardPostHook =
    Function<void(ModuleBase& module, const std::vector<Tensor>& inputs, std::vector<Tensor>& outputs)>;

/// A handle to a forward hook. Destroying the handle keeps the hook; `remove` removes it.
class MINIMA_API ForwardHookHandle {
 public:
  ForwardHookHandle() = default;
  /// Takes ownership of one reference.
  explicit ForwardHookHandle(detail::ForwardHook* hook) : hook_(hook) {}
  ForwardHookHandle(const ForwardHookHandle& other);
  ForwardHookHandle& operator=(ForwardHookHandle other) noexcept;
  ~ForwardHookHandle();
  void remove();

 private:
  friend struct detail::Registry;

  detail::ForwardHook* hook_ = nullptr;
};

}  // namespace minima::nn
