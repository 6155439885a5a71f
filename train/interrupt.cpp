#include <minima/train/interrupt.h>

#include <minima/tensor/base/error.h>

#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <memory>

namespace minima {

namespace {

constexpr int signals[] = {SIGINT, SIGTERM};

volatile std::sig_atomic_t received = 0;
bool in_use = false;
struct sigaction former[2];

/// The handlers' stack. During oneDNN's products the thread's stack pointer may point into the heap, where a handler's
/// frame would overwrite data. The kernel delivers process signals to the main thread by preference.
std::unique_ptr<char[]> signal_stack;

void note(int signal) { received = signal; }

}  // namespace

Interrupt::Interrupt() {
  if (in_use) throw Error("Interrupt: the process already has one; a signal can have only one handler");
  in_use = true;
  received = 0;
  if (stack_t present{}; sigaltstack(nullptr, &present) == 0 && (present.ss_flags & SS_DISABLE)) {
    stack_t own{};
    own.ss_size = static_cast<std::size_t>(sysconf(_SC_SIGSTKSZ));
    signal_stack = std::make_unique<char[]>(own.ss_size);
    own.ss_sp = signal_stack.get();
    sigaltstack(&own, nullptr);
  }
  struct sigaction action{};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART | SA_ONSTACK | SA_RESETHAND;  // a second signal of this kind ends the process
  for (int i = 0; i < 2; ++i) sigaction(signals[i], &action, &former[i]);
}

Interrupt::~Interrupt() {
  for (int i = 0; i < 2; ++i) sigaction(signals[i], &former[i], nullptr);
  if (signal_stack) {
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
    signal_stack.reset();
  }
  in_use = false;
}

int Interrupt::signal() const { return received; }

}  // namespace minima
