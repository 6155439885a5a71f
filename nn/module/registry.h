#pragma once

#include <minima/nn/module/module_state.h>

#include <string>
#include <utility>

namespace minima::nn::detail {

/// The one place that looks inside modules. Internal to nn.
struct Registry {
  /// Throws ValueError if the module was moved from.
  static ModuleState& state(const ModuleBase& module);
  static const ModuleState* identity(const ModuleBase& module) { return module.state_; }
  static void set_state(ModuleBase& module, ModuleState* state);
  static void retain(ModuleState* state);
  static void release(ModuleState* state) noexcept;

  // --- registration ---
  static void check_name(const ModuleBase& module, const std::string& name);
  static void enter(ModuleBase& module, Member& member, Slot slot);
  /// Turns what is known by address into distances, before `module` is copied or moved.
  static void settle(const ModuleBase& module) noexcept;
  static void join(const Member& earlier, Member& later) noexcept;
  static void leave(Member& member) noexcept;
  static void forget(Slot& slot) noexcept;  // with the lock held

  // --- walking ---
  /// The member; throws ValueError where the result of child() was not kept in one.
  static Member& resolve(const ModuleBase& module, const Slot& slot);

  /// f(name, child) for the children that are members, in order of registration.
  template <class F>
  static void for_each_member_child(const ModuleBase& module, F&& f);
  /// The same, then those on the heap.
  template <class F>
  static void for_each_child(const ModuleBase& module, F&& f);
  /// f(slot, tensor) for the module's own parameters and buffers that have a tensor.
  template <class F>
  static void for_each_tensor(const ModuleBase& module, F&& f);
  /// f(path, module) for the module and all inside, outer before inner, each as often as it appears.
  template <class F>
  static void walk(const ModuleBase& module, F&& f, const std::string& path = {});
  /// Whether `state` is that of the module or of one inside.
  static bool contains(const ModuleBase& module, const void* state);

  // --- heap children ---
  static void add_item(ModuleBase& module, const std::string& name, AnyModule item);

  /// Gives a copy of a module state, members and tensors of its own.
  struct Copies;
  static void separate(ModuleBase& copy, Copies& copies);

  static const HookEntry* entry(const ForwardHookHandle& hook) { return hook.entry_; }
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
  for (const Slot& slot : state(module).slots) {
    if (slot.kind == Slot::Kind::module) {
      f(slot.name, static_cast<ModuleBase&>(resolve(module, slot)));
    } else if (slot.kind == Slot::Kind::group) {
      Visitor visitor(f, slot.name);
      slot.each(resolve(module, slot), visitor);
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
void Registry::for_each_tensor(const ModuleBase& module, F&& f) {
  for (const Slot& slot : state(module).slots) {
    if (slot.kind == Slot::Kind::module || slot.kind == Slot::Kind::group) continue;
    Member& member = resolve(module, slot);
    Tensor& tensor = slot.kind == Slot::Kind::parameter ? static_cast<Tensor&>(static_cast<Parameter&>(member))
                                                        : static_cast<Tensor&>(static_cast<Buffer&>(member));
    if (tensor.defined()) f(slot, tensor);
  }
}

template <class F>
void Registry::walk(const ModuleBase& module, F&& f, const std::string& path) {
  f(path, const_cast<ModuleBase&>(module));
  for_each_child(module, [&](const std::string& name, ModuleBase& child) { walk(child, f, join_path(path, name)); });
}

}  // namespace minima::nn::detail
