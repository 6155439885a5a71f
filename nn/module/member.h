#pragma once

#include <minima/tensor/base/api.h>

#include <cstdint>

namespace minima::nn {

class ModuleBase;

namespace detail {

struct Registration;

/// Base of everything a module registers by name: child modules, lists of them, parameters and buffers.
///
/// `nn::Linear a = child("a", nn::Linear(…));` must find the address of the member `a` without a macro or extra user
/// code. child() registers its argument and returns it by value. Every copy or move of a registered object joins the
/// registration's queue, so the member does too: the result is constructed in it or assigned to it. When the full
/// expression ends, the argument and the temporaries are gone and only the member is left. The module stores the
/// member's offset from the module's own address, which is valid in every copy of the module.
class MINIMA_API Member {
 public:
  Member() = default;
  Member(const Member& other) noexcept { follow(other); }
  Member& operator=(const Member& other) noexcept {
    if (this != &other && !is_registered()) follow(other);
    return *this;
  }
  ~Member() {
    if (is_registered()) leave();
  }

 private:
  friend struct Registry;

  bool is_registered() const { return __atomic_load_n(&registration_, __ATOMIC_RELAXED) != nullptr; }
  void follow(const Member& other) noexcept {
    if (other.is_registered()) join(other);
  }
  void join(const Member& other) noexcept;
  void leave() noexcept;

  Registration* registration_ = nullptr;  ///< this object's, or the one it queues for, until the module is copied
  Member* next_ = nullptr;                ///< next in the queue
  const void* self_ = this;               ///< == this in a live object; a check on computed addresses
};

}  // namespace detail

}  // namespace minima::nn
