#pragma once

#include <minima/nn/module/any_module.h>
#include <minima/nn/module/forward_wrapper.h>

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <typeinfo>
#include <vector>

// The state that all copies of a module share. Internal to nn.

namespace minima::nn::detail {

/// A named member of a module: child, group of children, parameter or buffer, or a parameter that is computed from
/// others before each call (nn/parametrize) and so counts as none. A parameter may have a stand-in (nn/parametrize).
/// Until the module is first copied or moved, `first` points to the member; from then on `offset` locates it.
struct Registration {
  enum class Kind : std::uint8_t { module, group, parameter, buffer, transient_buffer, computed };

  std::string name;
  Kind kind;
  EachChild each = nullptr;            ///< visits the children of a group
  const ModuleBase* parent = nullptr;  ///< the object that contains the member
  Member* first = nullptr;             ///< queue of candidates, led by the member once temporaries die
  bool is_open = true;                 ///< objects may still join the queue
  bool is_lost = false;                ///< no member holds the result of child()
  std::ptrdiff_t offset = 0;           ///< from the module's ModuleBase to the member, once `first` is null
  Tensor stand_in = {};                ///< if defined, is the parameter to everyone but the module itself
  Shape whole = {};                    ///< of the parameter of which the stand-in is a part
  std::int64_t begin = 0;              ///< of that part in the parameter's elements
};

struct ForwardHook {
  ReferenceCount references{};
  std::atomic<bool> is_removed{false};
  ForwardPreHook before{};
  ForwardPostHook after{};
  ForwardWrapper wrapper{};
  bool is_watcher = false;  ///< it sees no tensors, so fused code need not call the module for it
};

struct ModuleState {
  ReferenceCount references{};
  bool is_training = true;
  std::atomic<bool> is_placed{false};      ///< registered somewhere, or allowed to be nowhere; see module_call.h
  std::atomic<bool> has_warned{false};     ///< about a module that it calls and has not registered
  std::atomic<bool> is_settled{true};      ///< every registration has its offset
  const std::type_info* type = nullptr;    ///< the type the offsets are valid for
  std::deque<Registration> registrations;  // a deque: members point to its elements
  std::vector<std::string> item_names;     ///< names of `items`, the heap-allocated children
  std::vector<AnyModule> items;
  /// Null if there are none. Replaced as a whole, so a call runs those that it began with whatever hooks add or remove.
  std::shared_ptr<const std::vector<ForwardHookHandle>> hooks;
};

}  // namespace minima::nn::detail
