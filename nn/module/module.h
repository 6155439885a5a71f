#pragma once

// IWYU pragma: begin_exports
#include <minima/nn/module/hooked_tensors.h>
#include <minima/nn/module/module_base.h>
#include <minima/nn/module/module_call.h>
// IWYU pragma: end_exports

namespace minima::nn {

/// A module that maps one tensor to one tensor:
///
///   struct Net : nn::Module {
///     nn::Linear a = child("a", nn::Linear({.in = 784, .out = 512}));
///     nn::Linear b = child("b", nn::Linear({.in = 512, .out = 10}));
///     Tensor forward(const Tensor& x) { return b(relu(a(x))); }
///   };
///   Net net;
///   Tensor y = net(x);
///
/// Call the module, not `forward`: the call runs hooks, prefixes errors with the failing module's path, and warns once
/// about modules with parameters that it uses but has not registered with `child`. A const module can be called: it is
/// a handle, and what its forward changes, such as running statistics, is behind it.
class MINIMA_API Module : public ModuleBase {
 public:
  virtual Tensor forward(const Tensor& x) = 0;  // for other signatures derive from ModuleOf<Self>
  /// Throws ValueError if x is undefined.
  Tensor operator()(const Tensor& x) const;
  template <class... Args>
  requires(sizeof...(Args) != 1) Tensor operator()(const Args&...) const {
    static_assert(sizeof...(Args) == 1,
                  "an nn::Module takes one tensor: derive from nn::ModuleOf<Self> for other arguments");
    return {};
  }

 protected:
  Module() = default;
  Module(const Module&) = default;
  Module(Module&&) noexcept = default;
  Module& operator=(const Module&) = default;
  Module& operator=(Module&&) noexcept = default;
};

/// A module with any other signature. Self is the derived class, whose `forward` it calls:
///
///   struct Attention : nn::ModuleOf<Attention> {
///     std::tuple<Tensor, Tensor> forward(const Tensor& query, const Tensor& memory, bool causal = false);
///   };
///   auto [y, weights] = attention(query, memory);
template <class Self>
class ModuleOf : public ModuleBase {
 public:
  // Derived = Self delays the check: clang 14 would evaluate it while Self is still incomplete.
  template <class... Args, class Derived = Self>
  auto operator()(Args&&... args) const {
    constexpr bool takes_these = requires(Derived& self) { self.forward(std::forward<Args>(args)...); };
    static_assert(takes_these, "the module has no public forward that takes these arguments");
    if constexpr (takes_these) return call(std::forward<Args>(args)...);
    else return Tensor();
  }

 protected:
  ModuleOf() = default;
  ModuleOf(const ModuleOf&) = default;
  ModuleOf(ModuleOf&&) noexcept = default;
  ModuleOf& operator=(const ModuleOf&) = default;
  ModuleOf& operator=(ModuleOf&&) noexcept = default;

 private:
  template <class... Args>
  auto call(Args&&... args) const {
    Self& self = const_cast<Self&>(static_cast<const Self&>(*this));  // a handle
    try {
      const detail::Call running(*this);
      if (!has_forward_hooks()) return self.forward(std::forward<Args>(args)...);
      std::vector<Tensor> inputs;
      (detail::collect_argument(args, inputs), ...);
      self.run_pre_hooks(inputs);
      std::size_t next = 0;
      // Braces guarantee left-to-right evaluation.
      std::tuple<detail::Held<Args>...> held{detail::hold<Args>(args, inputs, next)...};
      const auto forward = [&](auto&... held_args) {
        return self.forward(static_cast<detail::Held<Args>&&>(held_args)...);
      };
      if constexpr (std::is_void_v<decltype(std::apply(forward, held))>) {
        std::apply(forward, held);
        std::vector<Tensor> outputs;
        self.run_post_hooks(inputs, outputs);
      } else {
        auto result = std::apply(forward, held);
        std::vector<Tensor> outputs;
        detail::for_each_tensor(result, [&](Tensor& tensor) { outputs.push_back(tensor); });
        self.run_post_hooks(inputs, outputs);
        next = 0;
        detail::for_each_tensor(result, [&](Tensor& tensor) { tensor = outputs.at(next++); });
        return result;
      }
    } catch (Error& error) {
      note_module(error);
      throw;
    }
  }
};

}  // namespace minima::nn
