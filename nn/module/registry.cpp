#include <minima/nn/module/registry.h>

#include <minima/nn/module/any_module.h>
#include <minima/nn/module/listed_parameter.h>
#include <minima/nn/module/member.h>
#include <minima/nn/module/module_base.h>
#include <minima/nn/module/module_state.h>
#include <minima/nn/module/structure_version.h>
#include <minima/tensor/base/error.h>
#include <minima/tensor/base/format.h>

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <utility>

namespace minima::nn::detail {

namespace {

/// One lock for all modules, because registration is rare. Needed because several threads may copy one module.
std::mutex& registration_mutex() {
  static std::mutex mutex;
  return mutex;
}

/// A member has a small positive offset from the module's base; anything else is a local variable or on the heap.
bool is_plausible(std::ptrdiff_t offset) {
  constexpr std::ptrdiff_t largest_module = 1 << 20;
  return offset > 0 && offset < largest_module;
}

std::string where(const ModuleBase& module, const Registration& registration) {
  return str(module.type_name(), ": \"", registration.name, "\"");
}

}  // namespace

ModuleState& Registry::state(const ModuleBase& module) {
  if (!module.state_) throw ValueError(str(module.type_name(), ": this module has been moved from"));
  return *module.state_;
}

void Registry::set_state(ModuleBase& module, ModuleState* state) {
  structure_changed();
  release(std::exchange(module.state_, state));
}

void Registry::retain(ModuleState* state) {
  if (state) state->references.retain();
}

void Registry::release(ModuleState* state) noexcept {
  if (!state || !state->references.release()) return;
  {
    const std::lock_guard lock(registration_mutex());
    for (Registration& registration : state->registrations) forget(registration);
  }
  delete state;
}

void Registry::check_name(const ModuleBase& module, const std::string& name) {
  const ModuleState& s = state(module);
  if (name.empty() && (dynamic_cast<const ListedParameter*>(&module) || dynamic_cast<const ListedBuffer*>(&module)))
    return;  // takes the list element's name
  if (name.empty() || name.find('.') != std::string::npos)
    throw ValueError(
        str(module.type_name(), ": \"", name, "\" is not a valid name: it must not be empty or contain a dot"));
  bool taken = false;
  for (const Registration& registration : s.registrations) taken = taken || registration.name == name;
  for (const std::string& item : s.item_names) taken = taken || item == name;
  if (taken)
    throw ValueError(str(module.type_name(), ": \"", name, "\" is already registered; to replace a registered member, ",
                         "assign to it without child, parameter or buffer"));
}

void Registry::register_member(ModuleBase& module, Member& member, Registration registration) {
  check_name(module, registration.name);
  ModuleState& s = state(module);
  if (!s.references.is_one())
    throw ValueError(
        str(where(module, registration), " is registered after the module was copied; register it before copying"));
  const std::lock_guard lock(registration_mutex());
  if (member.registration_)
    throw ValueError(
        str(where(module, registration), " is already being registered as \"", member.registration_->name, "\""));
  if (registration.kind == Registration::Kind::module)
    if (ModuleState* const placed = static_cast<ModuleBase&>(member).state_)
      placed->is_placed.store(true, std::memory_order_relaxed);
  registration.parent = &module;
  registration.first = &member;
  s.registrations.push_back(std::move(registration));
  s.is_settled.store(false, std::memory_order_release);
  member.registration_ = &s.registrations.back();
  structure_changed();
}

void Registry::join(const Member& earlier, Member& later) noexcept {
  const std::lock_guard lock(registration_mutex());
  Registration* registration = earlier.registration_;
  if (!registration || !registration->is_open) return;
  Member** end = &registration->first;
  while (*end) end = &(*end)->next_;
  *end = &later;
  later.registration_ = registration;
}

void Registry::leave(Member& member) noexcept {
  const std::lock_guard lock(registration_mutex());
  Registration* registration = member.registration_;
  if (!registration) return;
  Member** link = &registration->first;
  while (*link != &member) link = &(*link)->next_;
  *link = member.next_;
  member.registration_ = nullptr;
  member.next_ = nullptr;
  if (!registration->first) registration->is_lost = true;
  else if (!registration->first->next_) registration->is_open = false;
}

void Registry::forget(Registration& registration) noexcept {
  while (Member* member = registration.first) {
    registration.first = std::exchange(member->next_, nullptr);
    __atomic_store_n(&member->registration_, nullptr, __ATOMIC_RELAXED);
  }
  registration.is_open = false;
}

void Registry::settle(const ModuleBase& module) noexcept {
  ModuleState& s = *module.state_;
  if (s.is_settled.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(registration_mutex());
  for (Registration& registration : s.registrations) {
    if (!registration.first) continue;
    registration.offset =
        reinterpret_cast<char*>(registration.first) - reinterpret_cast<const char*>(registration.parent);
    if (!is_plausible(registration.offset)) registration.is_lost = true;
    forget(registration);
  }
  s.type = &typeid(module);
  s.is_settled.store(true, std::memory_order_release);
}

Member& Registry::resolve(const ModuleBase& module, const Registration& registration) {
  Member* member = registration.first;
  if (!member && !registration.is_lost) {
    const ModuleState& s = *module.state_;
    if (s.type && typeid(module) != *s.type)
      throw ValueError(str(module.type_name(),
                           ": this object was sliced from a module of another type, so members such as \"",
                           registration.name, "\" cannot be found"));
    char* base = reinterpret_cast<char*>(const_cast<ModuleBase*>(&module));
    member = reinterpret_cast<Member*>(base + registration.offset);
    if (member->self_ != member) member = nullptr;
  }
  if (!member)
    throw ValueError(str(where(module, registration), " is registered, but no member of the module holds the result; ",
                         "write `T x = child(\"", registration.name, "\", T(…));` as a member, or assign it to one"));
  return *member;
}

bool Registry::contains(const ModuleBase& module, const void* state) {
  bool found = false;
  walk(module, [&](const std::string&, const ModuleBase& inner) { found = found || inner.state_ == state; });
  return found;
}

void Registry::add_item(ModuleBase& module, const std::string& name, AnyModule item) {
  check_name(module, name);
  if (!item.box_) throw ValueError(str(module.type_name(), ": the module for \"", name, "\" is an empty AnyModule"));
  if (contains(*item, &state(module)))
    throw ValueError(str(module.type_name(), ": cannot contain itself, as \"", name, "\""));
  ModuleState& s = state(module);
  state(*item).is_placed.store(true, std::memory_order_relaxed);
  s.item_names.push_back(name);
  s.items.push_back(std::move(item));
  structure_changed();
}

ModuleBase* Registry::find_item(const ModuleBase& module, const std::string& name) {
  const ModuleState& s = state(module);
  for (std::size_t i = 0; i < s.items.size(); ++i)
    if (s.item_names[i] == name) return &*s.items[i];
  return nullptr;
}

void Registry::remove_item(ModuleBase& module, const std::string& name) {
  ModuleState& s = state(module);
  for (std::size_t i = 0; i < s.items.size(); ++i) {
    if (s.item_names[i] != name) continue;
    s.items.erase(s.items.begin() + static_cast<std::ptrdiff_t>(i));
    s.item_names.erase(s.item_names.begin() + static_cast<std::ptrdiff_t>(i));
    structure_changed();
    return;
  }
}

void Member::join(const Member& other) noexcept { Registry::join(other, *this); }
void Member::leave() noexcept { Registry::leave(*this); }

}  // namespace minima::nn::detail
