#pragma once

#include <minima/nn/module/module_state.h>

#include <string>
#include <utility>

namespace minima::nn::detail {

/// All access to the insides of a module. Internal to nn.
struct Registry {
  /// Throws ValueError if the module was moved from.
  static ModuleState& state(const ModuleBase& module);
  static const ModuleState* identity(const ModuleBase& module) { return module.state_; }
  static void set_state(ModuleBase& module, ModuleState* state);
  static void retain(ModuleState* state);
  static void release(ModuleState* state) noexcept;

  // --- registration ---
  static void check_name(const ModuleBase& module, const std::string& name);
  static void register_member(ModuleBase& module, Member& member, Registration registration);
  /// Replaces the members' addresses by offsets, before `module` is copied or moved.
  static void settle(const ModuleBase& module) noexcept;
  static void join(const Member& earlier, Member& later) noexcept;
  static void leave(Member& member) noexcept;
  static void forget(Registration& registration) noexcept;  // the caller holds the lock

  // --- walking ---
  /// The registered member; throws ValueError if no member holds the result of child().
  static Member& resolve(const ModuleBase& module, const Registration& registration);
  /// A registered parameter or buffer.
  static Tensor& tensor_of(const ModuleBase& module, const Registration& registration) {
    using Kind = Registration::Kind;
    Member& member = resolve(module, registration);
    if (registration.kind == Kind::parameter || registration.kind == Kind::computed)
      return static_cast<Parameter&>(member);
    return static_cast<Buffer&>(member);
  }

  /// f(name, child) for the children that are members, in registration order.
  template <class F>
  static void for_each_member_child(const ModuleBase& module, F&& f);
  /// The same, then the heap-allocated ones.
  template <class F>
  static void for_each_child(const ModuleBase& module, F&& f);
  /// f(registration, tensor) for the module's own parameters (or their stand-ins) and buffers, the undefined ones, too.
  template <class F>
  static void for_each_place(const ModuleBase& module, F&& f);
  /// The same for those that are defined.
  template <class F>
  static void for_each_tensor(const ModuleBase& module, F&& f);
  /// f(path, module) for the module and its descendants, parents first, shared ones once per occurrence.
  template <class F>
  static void walk(const ModuleBase& module, F&& f, const std::string& path = {});
  /// f(module) likewise. Fast, because it makes no names.
  template <class F>
  static void visit(const ModuleBase& module, F&& f);
  /// Whether `state` belongs to the module or a descendant.
  static bool contains(const ModuleBase& module, const void* state);

  // --- heap-allocated children ---
  static void add_item(ModuleBase& module, const std::string& name, AnyModule item);
  /// The child of this name, or null.
  static ModuleBase* find_item(const ModuleBase& module, const std::string& name);
  static void remove_item(ModuleBase& module, const std::string& name);

  /// Gives a copied module its own state, children and tensors.
  struct Copies;
  static void make_deep(ModuleBase& copy, Copies& copies);

  static const ForwardHook* hook_of(const ForwardHookHandle& handle) { return handle.hook_; }
};

inline std::string join_path(const std::string& path, const std::string& name) {
  return path.empty() ? name : name.empty() ? path : path + "." + name;
}

template <class F>
void Registry::for_each_member_child(const ModuleBase& module, F&& f) {
  struct Visitor final : ChildVisitor {
    Visitor(F& call, const std::string& group) : f(call), name(group) {}
    void visit(ModuleBase& child, std::int64_t index) override {
      f(index < 0 ? name : name + "." + std::to_string(index), child);
    }
    F& f;
    const std::string& name;
  };
  for (const Registration& registration : state(module).registrations) {
    if (registration.kind == Registration::Kind::module) {
      f(registration.name, static_cast<ModuleBase&>(resolve(module, registration)));
    } else if (registration.kind == Registration::Kind::group) {
      Visitor visitor(f, registration.name);
      registration.each(resolve(module, registration), visitor);
    }
  }
}

template <class F>
void Registry::for_each_child(const ModuleBase& module, F&& f) {
  for_each_member_child(module, f);
  const ModuleState& s = state(module);
  for (std::size_t i = 0; i < s.items.size(); ++i) f(s.item_names[i], *s.items[i]);
}

template <class F>
void Registry::for_each_place(const ModuleBase& module, F&& f) {
  for (const Registration& registration : state(module).registrations) {
    using Kind = Registration::Kind;
    if (registration.kind == Kind::module || registration.kind == Kind::group || registration.kind == Kind::computed)
      continue;
    f(registration,
      registration.stand_in.defined() ? const_cast<Tensor&>(registration.stand_in) : tensor_of(module, registration));
  }
}

template <class F>
void Registry::for_each_tensor(const ModuleBase& module, F&& f) {
  for_each_place(module, [&](const Registration& registration, Tensor& tensor) {
    if (tensor.defined()) f(registration, tensor);
  });
}

template <class F>
void Registry::walk(const ModuleBase& module, F&& f, const std::string& path) {
  f(path, const_cast<ModuleBase&>(module));
  for_each_child(module, [&](const std::string& name, ModuleBase& child) { walk(child, f, join_path(path, name)); });
}

template <class F>
void Registry::visit(const ModuleBase& module, F&& f) {
  struct Visitor final : ChildVisitor {
    explicit Visitor(F& call) : f(call) {}
    void visit(ModuleBase& child, std::int64_t) override { Registry::visit(child, f); }
    F& f;
  };
  f(module);
  Visitor visitor(f);
  const ModuleState& s = state(module);
  for (const Registration& registration : s.registrations) {
    if (registration.kind == Registration::Kind::module)
      visit(static_cast<ModuleBase&>(resolve(module, registration)), f);
    else if (registration.kind == Registration::Kind::group) registration.each(resolve(module, registration), visitor);
  }
  for (const AnyModule& item : s.items) visit(*item, f);
}

}  // namespace minima::nn::detail
