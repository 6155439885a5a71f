#pragma once

#include <minima/io/state.h>
#include <minima/nn/module/forward_hook.h>
#include <minima/nn/module/load_report.h>
#include <minima/nn/module/parameter.h>

#include <string>
#include <type_traits>
#include <vector>

namespace minima {
class Error;
}

namespace minima::nn {

namespace detail {
struct ModuleState;

/// Receives the children of a list or an optional; index -1 for one that has no number.
class ChildVisitor {
 public:
  virtual void visit(ModuleBase& child, std::int64_t index) = 0;

 protected:
  ~ChildVisitor() = default;
};
using EachChild = void (*)(Member& group, ChildVisitor& visitor);

template <class M>
concept ChildModule = std::is_base_of_v<ModuleBase, M>;
/// ListOf, OptionalOf: a member that holds any number of children.
template <class M>
concept ChildGroup =
    std::is_base_of_v<Member, M> && requires(Member& group, ChildVisitor& visitor) { M::each_child(group, visitor); };

}  // namespace detail

/// A parameter or buffer and its dotted name.
struct NamedTensor {
  std::string name;
  Tensor tensor;
};
/// A module and its dotted name.
struct NamedModule {
  std::string name;
  ModuleBase* module;
};

/// What all modules have. Derive from `Module` (one tensor in, one out) or `ModuleOf<Self>` (anything else).
///
/// A module is a handle: a copy is the same module (parameters, training flag, hooks), `clone` makes another one.
/// Members registered with `child`, `parameter` and `buffer` are ordinary members that may be assigned at any time; all
/// functions here see what they hold at that moment. A copy of a module has members of its own, so assigning one of
/// them is not seen through the original. Names are PyTorch's: `layers.0.weight`.
class MINIMA_API ModuleBase : public detail::Member {
 public:
  virtual ~ModuleBase();

  // --- contents; each tensor or module once, under its first name ---
  std::vector<Tensor> parameters() const;
  std::vector<NamedTensor> named_parameters() const;
  std::vector<Tensor> buffers() const;
  std::vector<NamedTensor> named_buffers() const;
  /// The modules directly inside. The pointers hold while this object and its members stay where they are.
  std::vector<NamedModule> children() const;
  /// This module (with an empty name), then all inside it, outer before inner.
  std::vector<NamedModule> named_modules() const;
  /// Calls f(ModuleBase&) for every module inside, inner before outer, this one last:
  ///   net.for_each([](nn::ModuleBase& m) { if (auto* conv = m.as<nn::Conv2d>()) nn::init::zeros_(conv->weight); });
  template <class F>
  void for_each(F&& f) const {
    for (ModuleBase* module : inner_first()) f(*module);
  }
  /// This module as an M, null if it is none.
  template <class M>
  M* as() {
    return dynamic_cast<M*>(this);
  }
  /// The class without its namespaces: `Linear`.
  std::string type_name() const;

  // --- state ---
  /// Training mode (the initial one) or evaluation mode, of this module and all inside. Dropout and batch
  /// normalisation differ between the two.
  void train(bool on = true);
  void eval() { train(false); }
  bool is_training() const;
  /// Whether gradients are computed for all parameters: `encoder.requires_grad(false)` freezes it.
  void requires_grad(bool wanted);
  /// Forgets all gradients; their memory stays for the next ones.
  void zero_grad() const;
  /// Moves all parameters and buffers. They stay the same tensors, so that optimizers and other handles follow.
  void to(Device device);
  /// Converts the floating ones in the same way.
  void to(DType dtype);

  /// All parameters and persistent buffers by name, a module's own before its children's. The tensors share the
  /// module's memory. Tied tensors are there under each of their names, as in PyTorch.
  State state_dict() const;
  /// Copies values into the module's tensors, which stay the same tensors; dtype and device are converted. All is
  /// checked first: where it throws (ValueError listing all differences), nothing has been changed.
  ///   nn::LoadReport report = net.load_state_dict(load("backbone.safetensors"), {.strict = false});
  LoadReport load_state_dict(const State& state, LoadOptions options = {});

  // --- hooks, run by calls of the module in the order they were added ---
  ForwardHookHandle add_forward_pre_hook(ForwardPreHook hook);
  ForwardHookHandle add_forward_hook(ForwardPostHook hook);

 protected:
  ModuleBase();
  ModuleBase(const ModuleBase& other);
  ModuleBase(ModuleBase&& other) noexcept;
  ModuleBase& operator=(const ModuleBase& other);
  ModuleBase& operator=(ModuleBase&& other) noexcept;

  /// Registers a child, or a list or optional of children, under the name of the member that takes the result:
  ///   nn::Linear fc = child("fc", nn::Linear({.in = 8, .out = 2}));
  /// Throws ValueError if the name is empty, has a dot or is taken.
  template <class M>
  M child(const std::string& name, M module) {
    constexpr bool is_module = detail::ChildModule<M>, is_group = detail::ChildGroup<M>;
    static_assert(is_module || is_group,
                  "a child is a module, ListOf or OptionalOf; a tensor is a parameter(...) or buffer(...)");
    if constexpr (is_module) enter(module, name, nullptr);
    else if constexpr (is_group) enter(module, name, &M::each_child);
    return module;
  }
  /// Registers a parameter: `nn::Parameter weight = parameter("weight", empty({out, in}));`.
  Parameter parameter(const std::string& name, Parameter value);
  /// Registers a buffer. A persistent one is part of the state dict.
  Buffer buffer(const std::string& name, Buffer value, bool persistent = true);

  // --- for operator() ---
  bool has_forward_hooks() const;
  void run_pre_hooks(std::vector<Tensor>& inputs);
  void run_post_hooks(const std::vector<Tensor>& inputs, std::vector<Tensor>& outputs);
  /// Puts the name of the child that an error came from in front of its text.
  void note_module(Error& error) const;

 private:
  friend struct detail::Registry;
  std::vector<ModuleBase*> inner_first() const;
  void enter(Member& member, const std::string& name, detail::EachChild each);

  detail::ModuleState* state_;
};

}  // namespace minima::nn
