#pragma once

#include <minima/tensor/base/function.h>
#include <minima/tensor/tensor.h>

#include <vector>

namespace minima::nn {

class ModuleBase;

namespace detail {
struct HookEntry;
struct Registry;
}

/// Called before a module's forward with those of its arguments that are tensors, in order; what it puts there is what
/// forward gets.
using ForwardPreHook = Function<void(ModuleBase& module, std::vector<Tensor>& inputs)>;
/// Called after a module's forward, with the tensors in its result (of a tuple, pair, array or vector: all of them);
/// what it puts there is what the caller gets.
using ForwardPostHook =
    Function<void(ModuleBase& module, const std::vector<Tensor>& inputs, std::vector<Tensor>& outputs)>;

/// Refers to a forward hook. Dropping it keeps the hook; `remove` takes it away.
class MINIMA_API ForwardHookHandle {
 public:
  ForwardHookHandle() = default;
  /// Takes over one reference.
  explicit ForwardHookHandle(detail::HookEntry* entry) : entry_(entry) {}
  ForwardHookHandle(const ForwardHookHandle& other);
  ForwardHookHandle& operator=(ForwardHookHandle other) noexcept;
  ~ForwardHookHandle();
  void remove();

 private:
  friend struct detail::Registry;

  detail::HookEntry* entry_ = nullptr;
};

}  // namespace minima::nn
