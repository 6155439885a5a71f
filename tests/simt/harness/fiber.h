#pragma once

#include <cstddef>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

// Stacks that take turns on one OS thread, in a way that the sanitizers understand.

namespace simt {

#if defined(SIMT_UNDER_TSAN)
inline constexpr bool under_tsan = true;
#else
inline constexpr bool under_tsan = false;
#endif

/// Where a computation stands. A default one is the caller's own stack; start() gives it a stack of its own.
class Fiber {
 public:
  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// The next switch to it calls entry(argument), which must end by a switch and never return.
  void start(void (*entry)(void*), void* argument);
  /// Leaves `from`, the stack that runs now, for this one. Comes back when somebody switches to `from`.
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
  void (*entry_)(void*) = nullptr;
  void* argument_ = nullptr;
  // What address sanitizer and thread sanitizer know it by.
  const void* bottom_ = nullptr;
  std::size_t size_ = 0;
  void* fake_stack_ = nullptr;
  [[maybe_unused]] void* tsan_ = nullptr;
  Fiber* came_from_ = nullptr;
};

}  // namespace simt
