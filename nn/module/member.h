#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>

namespace minima::nn {

class ModuleBase;

namespace detail {

struct Slot;

/// Base of what a module finds inside itself by name: child modules, lists of them, parameters and buffers.
///
/// `nn::Linear a = child("a", nn::Linear(…));` has to learn where the member `a` lies without a macro or a constructor
/// in user code. child() enters its argument under the name and returns it. Whatever is copied or moved from an entered
/// object queues behind it: the result, which in this line *is* the member, or what the result is then assigned to.
/// At the end of the expression the argument and temporaries die and the one that stays has the name. The module
/// keeps its distance from the module's own address, which is right in every copy of the module too.
class MINIMA_API Member {
 public:
  Member() = default;
  Member(const Member& other) noexcept { follow(other); }
  Member& operator=(const Member& other) noexcept {
    if (!is_entered()) follow(other);
    return *this;
  }
  ~Member() {
    if (is_entered()) leave();
  }

 private:
  friend struct Registry;

  bool is_entered() const { return __atomic_load_n(&slot_, __ATOMIC_RELAXED) != nullptr; }
  void follow(const Member& other) noexcept {
    if (other.is_entered()) join(other);
  }
  void join(const Member& other) noexcept;
  void leave() noexcept;

  Slot* slot_ = nullptr;     ///< the name that this object has, or may get, in a module that was never copied
  Member* next_ = nullptr;   ///< who gets it next
  const void* self_ = this;  ///< tells a live object from other memory
};

}  // namespace detail

}  // namespace minima::nn
