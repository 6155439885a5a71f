#pragma once

// IWYU pragma: begin_exports
#include <minima/io/state.h>
#include <minima/nn/module/forward_hook.h>
#include <minima/nn/module/load_report.h>
#include <minima/nn/module/parameter.h>
// IWYU pragma: end_exports

#include <string>
#include <type_traits>
#include <vector>

namespace minima {
class Error;
}

namespace minima::nn {

namespace detail {
struct ModuleState;

/// Receives the children of a list or an optional; index is -1 for an unnumbered one.
class ChildVisitor {
 public:
  virtual void visit(ModuleBase& child, std::int64_t index) = 0;

 protected:
  ~ChildVisitor() = default;
};
using EachChild = void (*)(Member& group, ChildVisitor& visitor);

template <class M>
concept ChildModule = std::is_base_of_v<ModuleBase, M>;
/// A member that holds any number of children: ListOf, OptionalOf.
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

/// Base of all modules. Derive from `Module` (one tensor in, one tensor out) or `ModuleOf<Self>` (anything else).
///
/// A module is a handle: a copy is the same module, with the same parameters, training flag and hooks; `clone` makes a
/// deep copy. Members registered with `child`, `parameter` and `buffer` are ordinary members. You may assign to them at
/// any time, and all functions here see the current value. Assigning to a member of one copy does not affect the
/// members of another. Names follow PyTorch: `layers.0.weight`.
class MINIMA_API ModuleBase : public detail::Member {
 public:
  virtual ~ModuleBase();

  // --- contents; each tensor or module appears once, under its first name ---
  std::vector<Tensor> parameters() const;
  std::vector<NamedTensor> named_parameters() const;
  std::vector<Tensor> buffers() const;
  std::vector<NamedTensor> named_buffers() const;
  /// The direct children. The pointers are valid until this object or its members move.
  std::vector<NamedModule> children() const;
  /// This module (with an empty name) and its descendants, parents first.
  std::vector<NamedModule> named_modules() const;
  /// Calls f(ModuleBase&) for every descendant, children first, then for this module:
  ///   net.for_each([](nn::ModuleBase& m) { if (auto* conv = m.as<nn::Conv2d>()) nn::init::zeros_(conv->weight); });
  template <class F>
  void for_each(F&& f) const {
    for (ModuleBase* module : inner_first()) f(*module);
  }
  /// This module as an M, or null if it is not one.
  template <class M>
  M* as() {
    return dynamic_cast<M*>(this);
  }
  /// The class name without namespaces: `Linear`.
  std::string type_name() const;

  // --- state ---
  /// Sets training mode (the default) or evaluation mode for this module and its descendants. Dropout and batch
  /// normalisation behave differently in the two.
  void train(bool on = true);
  void eval() { train(false); }
  bool is_training() const;
  /// Sets requires_grad on all parameters: `encoder.requires_grad(false)` freezes the encoder.
  void requires_grad(bool on);
  /// Clears all gradients, keeping their memory for the next ones.
  void zero_grad() const;
  /// Moves all parameters and buffers. They stay the same tensors, so optimizers and other handles see the move.
  void to(Device device);
  /// Converts all floating parameters and buffers, likewise. Throws DTypeError unless `dtype` is floating.
  void to(DType dtype);

  /// All parameters and persistent buffers by name, a module's own before its children's. The tensors share the
  /// module's memory. As in PyTorch, a tied tensor appears under each of its names.
  State state_dict() const;
  /// Copies values into the module's tensors, converting dtype and device. Checks everything first: if it throws
  /// (ValueError listing all differences), nothing has changed.
  ///   nn::LoadReport report = net.load_state_dict(load("backbone.safetensors"), {.strict = false});
  LoadReport load_state_dict(const State& state, LoadOptions options = {});

  // --- hooks, which a call of the module runs in the order they were added ---
  ForwardHookHandle add_forward_pre_hook(ForwardPreHook hook);
  ForwardHookHandle add_forward_hook(ForwardPostHook hook);
  /// For reports. It sees no tensors, so unlike hooks it leaves fused code fused (nn/module/plain_call.h).
  ForwardHookHandle add_forward_watcher(Function<void()> before, Function<void()> after);

 protected:
  ModuleBase();
  ModuleBase(const ModuleBase& other);
  ModuleBase(ModuleBase&& other) noexcept;
  ModuleBase& operator=(const ModuleBase& other);
  ModuleBase& operator=(ModuleBase&& other) noexcept;

  /// Registers a child, or a list or optional of children, under the name of the member that receives the result:
  ///   nn::Linear fc = child("fc", nn::Linear({.in = 8, .out = 2}));
  /// Throws ValueError if the name is empty, contains a dot or is taken.
  template <class M>
  [[nodiscard]] M child(const std::string& name, M module) {
    register_child(module, name);
    return module;
  }
  /// Registers a parameter: `nn::Parameter weight = parameter("weight", empty({out, in}));`.
  [[nodiscard]] Parameter parameter(const std::string& name, Parameter value);
  /// Registers a buffer. The state dict includes it if `persistent`.
  [[nodiscard]] Buffer buffer(const std::string& name, Buffer value, bool persistent = true);

  /// The same for a member that exists, in a constructor's body: `register_module("fc", fc);`. Returns the member.
  template <class M>
  requires(!std::is_const_v<M>) M& register_module(const std::string& name, M& member) {
    register_child(member, name);
    return member = M(member);  // ends the search for the member that holds it
  }
  Parameter& register_parameter(const std::string& name, Parameter& member);
  Buffer& register_buffer(const std::string& name, Buffer& member);
  /// LibTorch's names for `child`, `parameter` and `buffer`, for use in a constructor's body:
  ///   fc = register_module("fc", nn::Linear({.in = 8, .out = 2}));
  template <class M>
  requires(!std::is_reference_v<M>) [[nodiscard]] M register_module(const std::string& name, M&& module) {
    register_child(module, name);
    return static_cast<M&&>(module);
  }
  [[nodiscard]] Parameter register_parameter(const std::string& name, Parameter&& value);
  [[nodiscard]] Buffer register_buffer(const std::string& name, Buffer&& value);

  // --- for operator() ---
  bool has_forward_hooks() const;
  void run_pre_hooks(std::vector<Tensor>& inputs);
  void run_post_hooks(const std::vector<Tensor>& inputs, std::vector<Tensor>& outputs);
  /// Prefixes the error with the name of the child it came from.
  void note_module(Error& error) const;

 private:
  friend struct detail::Registry;
  std::vector<ModuleBase*> inner_first() const;
  void register_member(Member& member, const std::string& name, detail::EachChild each);
  template <class M>
  void register_child(M& module, const std::string& name) {
    constexpr bool is_module = detail::ChildModule<M>, is_group = detail::ChildGroup<M>;
    static_assert(is_module || is_group,
                  "a child is a module, ListOf or OptionalOf; a tensor is a parameter(...) or buffer(...)");
    if constexpr (is_module) register_member(module, name, nullptr);
    else if constexpr (is_group) register_member(module, name, &M::each_child);
  }

  detail::ModuleState* state_;
};

}  // namespace minima::nn
