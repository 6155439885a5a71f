#include <minima/nn/module/registry.h>

#include <minima/nn/module/listed_parameter.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <mutex>

namespace minima::nn::detail {

namespace {

/// Registrations are rare; copying one module from several threads is a const use of it and has to be safe.
std::mutex& registration_mutex() {
  static std::mutex mutex;
  return mutex;
}

/// A member lies behind the module's base and not far; anything else is a local variable or on the heap.
bool is_plausible(std::ptrdiff_t distance) {
  constexpr std::ptrdiff_t largest_module = 1 << 20;
  return distance > 0 && distance < largest_module;
}

std::string where(const ModuleBase& module, const Slot& slot) {
  return str(module.type_name(), ": \"", slot.name, "\"");
}

}  // namespace

ModuleState& Registry::state(const ModuleBase& module) {
  if (!module.state_) throw ValueError(str(module.type_name(), ": this module has been moved from"));
  return *module.state_;
}

void Registry::set_state(ModuleBase& module, ModuleState* state) { release(std::exchange(module.state_, state)); }

void Registry::retain(ModuleState* state) {
  if (state) state->references.retain();
}

void Registry::release(ModuleState* state) noexcept {
  if (!state || !state->references.release()) return;
  {
    const std::lock_guard lock(registration_mutex());
    for (Slot& slot : state->slots) forget(slot);
  }
  delete state;
}

void Registry::check_name(const ModuleBase& module, const std::string& name) {
  const ModuleState& s = state(module);
  if (name.empty() && dynamic_cast<const ListedParameter*>(&module)) return;  // it has its list's name
  if (name.empty() || name.find('.') != std::string::npos)
    throw ValueError(str(module.type_name(), ": \"", name, "\" is not a name: it must not be empty or have a dot"));
  bool taken = false;
  for (const Slot& slot : s.slots) taken = taken || slot.name == name;
  for (const std::string& item : s.item_names) taken = taken || item == name;
  if (taken)
    throw ValueError(str(module.type_name(), ": \"", name, "\" is registered already; to replace a registered member, ",
                         "assign to it without child, parameter or buffer"));
}

void Registry::enter(ModuleBase& module, Member& member, Slot slot) {
  check_name(module, slot.name);
  ModuleState& s = state(module);
  if (!s.references.is_one())
    throw ValueError(str(where(module, slot), " is registered after the module was copied; register first"));
  const std::lock_guard lock(registration_mutex());
  if (member.slot_)
    throw ValueError(str(where(module, slot), " is being registered as \"", member.slot_->name, "\" already"));
  slot.parent = &module;
  slot.first = &member;
  s.slots.push_back(std::move(slot));
  s.is_settled.store(false, std::memory_order_release);
  member.slot_ = &s.slots.back();
}

void Registry::join(const Member& earlier, Member& later) noexcept {
  const std::lock_guard lock(registration_mutex());
  Slot* slot = earlier.slot_;
  if (!slot || !slot->is_open) return;
  Member** end = &slot->first;
  while (*end) end = &(*end)->next_;
  *end = &later;
  later.slot_ = slot;
}

void Registry::leave(Member& member) noexcept {
  const std::lock_guard lock(registration_mutex());
  Slot* slot = member.slot_;
  if (!slot) return;
  Member** link = &slot->first;
  while (*link != &member) link = &(*link)->next_;
  *link = member.next_;
  member.slot_ = nullptr;
  member.next_ = nullptr;
  if (!slot->first) slot->is_lost = true;
  else if (!slot->first->next_) slot->is_open = false;
}

void Registry::forget(Slot& slot) noexcept {
  while (Member* member = slot.first) {
    slot.first = std::exchange(member->next_, nullptr);
    __atomic_store_n(&member->slot_, nullptr, __ATOMIC_RELAXED);
  }
  slot.is_open = false;
}

void Registry::settle(const ModuleBase& module) noexcept {
  ModuleState& s = *module.state_;
  if (s.is_settled.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(registration_mutex());
  for (Slot& slot : s.slots) {
    if (!slot.first) continue;
    slot.distance = reinterpret_cast<char*>(slot.first) - reinterpret_cast<const char*>(slot.parent);
    if (!is_plausible(slot.distance)) slot.is_lost = true;
    forget(slot);
  }
  s.type = &typeid(module);
  s.is_settled.store(true, std::memory_order_release);
}

Member& Registry::resolve(const ModuleBase& module, const Slot& slot) {
  Member* member = slot.first;
  if (!member && !slot.is_lost) {
    const ModuleState& s = *module.state_;
    if (s.type && typeid(module) != *s.type)
      throw ValueError(str(module.type_name(), ": this is a copy of only a part of another module (sliced); members ",
                           "such as \"", slot.name, "\" cannot be found in it"));
    char* base = reinterpret_cast<char*>(const_cast<ModuleBase*>(&module));
    member = reinterpret_cast<Member*>(base + slot.distance);
    if (member->self_ != member) member = nullptr;
  }
  if (!member)
    throw ValueError(str(where(module, slot), " is registered, but the result was not kept in a member of the module; ",
                         "write `T x = child(\"", slot.name, "\", T(…));` as a member, or assign it to one"));
  return *member;
}

bool Registry::contains(const ModuleBase& module, const void* state) {
  bool found = false;
  walk(module, [&](const std::string&, const ModuleBase& inner) { found = found || inner.state_ == state; });
  return found;
}

void Registry::add_item(ModuleBase& module, const std::string& name, AnyModule item) {
  check_name(module, name);
  if (!item.box_) throw ValueError(str(module.type_name(), ": there is no module in the handle for \"", name, "\""));
  if (contains(*item, &state(module)))
    throw ValueError(str(module.type_name(), ": cannot be put into itself, as \"", name, "\""));
  ModuleState& s = state(module);
  s.item_names.push_back(name);
  s.items.push_back(std::move(item));
}

void Member::join(const Member& other) noexcept { Registry::join(other, *this); }
void Member::leave() noexcept { Registry::leave(*this); }

}  // namespace minima::nn::detail
