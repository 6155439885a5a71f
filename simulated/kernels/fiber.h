#pragma once

#include <cstddef>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

// Stacks that alternate on one OS thread, announced to the sanitizers.

namespace simulated::simt {

#if defined(SIMT_UNDER_TSAN)
inline constexpr bool under_tsan = true;
#else
inline constexpr bool under_tsan = false;
#endif

/// A suspended computation: the caller's, or after start() one on a new stack.
class Fiber {
 public:
  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// The next switch to it calls entry(argument), which must end with a switch and never return.
  void start(void (*entry)(void*), void* argument);
  /// Switches from `from`, the running stack, to this one. Returns when something switches back to `from`.
  void resume(Fiber& from);

 private:
  static void enter();
  void switch_from(Fiber& from);
  void arrived();

#if defined(__x86_64__)
  void* stack_pointer_ = nullptr;
#else
  ucontext_t context_;
#endif
  char* stack_ = nullptr;
  [[maybe_unused]] std::size_t shift_ = 0;  ///< of the stack's top
  void (*entry_)(void*) = nullptr;
  void* argument_ = nullptr;
  // Its handles for the address and thread sanitizers.
  const void* bottom_ = nullptr;
  std::size_t size_ = 0;
  void* fake_stack_ = nullptr;
  [[maybe_unused]] void* tsan_ = nullptr;
  Fiber* came_from_ = nullptr;
};

}  // namespace simulated::simt
