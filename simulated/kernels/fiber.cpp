#include "simulated/kernels/fiber.h"

#include <sys/mman.h>
#include <atomic>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(SIMT_UNDER_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

// Compiled without the thread sanitizer, which must see only the kernels' reads and writes.

#if defined(__x86_64__)
// Saves the callee-saved registers and the stack pointer, and switches to another stack. swapcontext makes two system
// calls for that, which would take most of the time of a kernel with many barriers.
asm(R"(
.text
.globl simt_switch
.hidden simt_switch
.type simt_switch, @function
simt_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size simt_switch, .-simt_switch
)");
extern "C" void simt_switch(void** saved, void* taken);
#endif

namespace simulated::simt {

namespace {

/// The running fiber, for a stack that starts.
thread_local Fiber* target __attribute__((tls_model("initial-exec"))) = nullptr;

constexpr std::size_t stack_bytes = 256 << 10;

char* new_stack() {
  void* const memory =
      mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<char*>(memory);
}

}  // namespace

Fiber::Fiber() {
#if defined(SIMT_UNDER_TSAN)
  tsan_ = __tsan_get_current_fiber();
#endif
}

Fiber::~Fiber() {
  if (!stack_) return;
#if defined(SIMT_UNDER_TSAN)
  __tsan_destroy_fiber(tsan_);
#endif
  munmap(stack_, stack_bytes);
}

void Fiber::start(void (*entry)(void*), void* argument) {
  if (!stack_) {
    stack_ = new_stack();
    bottom_ = stack_;
    size_ = stack_bytes;
    // Stacks that began at equal distances would compete for the same lines of the cache.
    static std::atomic<unsigned> made = 0;
    shift_ = made++ % 128 * 320;
#if defined(SIMT_UNDER_TSAN)
    tsan_ = __tsan_create_fiber(0);
#endif
  }
#if defined(__SANITIZE_ADDRESS__)
  ASAN_UNPOISON_MEMORY_REGION(stack_, stack_bytes);  // frames left by an earlier fault
#endif
  fake_stack_ = nullptr;
  entry_ = entry;
  argument_ = argument;
#if defined(__x86_64__)
  // As if enter() had been called and simt_switch had just saved six registers.
  auto** const top = reinterpret_cast<void**>(stack_ + stack_bytes - shift_) - 8;
  for (int i = 0; i < 8; ++i) top[i] = nullptr;
  top[6] = reinterpret_cast<void*>(&Fiber::enter);
  stack_pointer_ = top;
#else
  getcontext(&context_);
  context_.uc_stack.ss_sp = stack_;
  context_.uc_stack.ss_size = stack_bytes;
  context_.uc_link = nullptr;
  makecontext(&context_, &Fiber::enter, 0);
#endif
}

void Fiber::enter() {
  Fiber* const self = target;
  self->arrived();
  self->entry_(self->argument_);
}

void Fiber::switch_from(Fiber& from) {
  target = this;
#if defined(__x86_64__)
  simt_switch(&from.stack_pointer_, stack_pointer_);
#else
  swapcontext(&from.context_, &context_);
#endif
}

void Fiber::resume(Fiber& from) {
  came_from_ = &from;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&from.fake_stack_, bottom_, size_);
#endif
#if defined(SIMT_UNDER_TSAN)
  __tsan_switch_to_fiber(tsan_, __tsan_switch_to_fiber_no_sync);
#endif
  switch_from(from);
  from.arrived();
}

/// The first thing that runs after a switch, on the stack that was switched to.
void Fiber::arrived() {
#if defined(__SANITIZE_ADDRESS__)
  // Reports the bounds of the previous stack, the only way to learn those of the thread's own.
  const void* bottom = nullptr;
  std::size_t size = 0;
  __sanitizer_finish_switch_fiber(fake_stack_, &bottom, &size);
  if (came_from_ && !came_from_->bottom_) {
    came_from_->bottom_ = bottom;
    came_from_->size_ = size;
  }
#endif
}

}  // namespace simulated::simt
