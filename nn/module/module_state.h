#pragma once

#include <minima/nn/module/any_module.h>
#include <minima/nn/module/forward_wrapper.h>

#include <atomic>
#include <cstddef>
#include <deque>
#include <string>
#include <typeinfo>
#include <vector>

// What the copies of a module share. Internal to nn.

namespace minima::nn::detail {

/// A registered member of the user's module type. While the module is where it was built, the member itself is known;
/// the first copy or move of the module turns that into a distance.
struct Slot {
  enum class Kind : std::uint8_t { module, group, parameter, buffer, transient_buffer };

  std::string name;
  Kind kind;
  EachChild each = nullptr;            ///< for a group
  const ModuleBase* parent = nullptr;  ///< the object that the member lies in
  Member* first = nullptr;             ///< queue of objects: the member, behind it what died after it or will
  bool is_open = true;                 ///< objects may still queue up
  bool is_lost = false;                ///< nothing in the module holds the result of child()
  std::ptrdiff_t distance = 0;         ///< from the module's ModuleBase to the member, once `first` is null
};

struct HookEntry {
  ReferenceCount references{};
  std::atomic<bool> is_removed{false};
  ForwardPreHook before{};
  ForwardPostHook after{};
  AroundForward around{};
};

struct ModuleState {
  ReferenceCount references{};
  bool is_training = true;
  std::atomic<bool> is_settled{true};    ///< every slot is a distance
  const std::type_info* type = nullptr;  ///< what the distances are right for
  std::deque<Slot> slots;                // members point to their slots
  std::vector<std::string> item_names;   ///< children that lie on the heap: those of Sequential and ModuleList
  std::vector<AnyModule> items;
  std::vector<ForwardHookHandle> hooks;
};

}  // namespace minima::nn::detail
