#pragma once

#include <minima/tensor/base/api.h>

namespace minima {

/// Turns Ctrl-C (SIGINT) and SIGTERM into a question that a training loop asks between steps, so that it can save its
/// state before it ends. The second signal ends the process at once, as if there were no Interrupt.
///
///     Interrupt interrupt;
///     for (auto& [x, y] : loader) {
///       step(x, y);
///       if (interrupt.requested()) {
///         save("run.safetensors", state());
///         return interrupt.exit_code();
///       }
///     }
///
/// One at a time in a process, made and destroyed by the main thread; a second one throws Error. The destructor puts
/// the former handlers back. A program's own handlers need SA_ONSTACK and a sigaltstack, too: on the thread's stack
/// they could overwrite the heap while oneDNN computes. Ranks get the signal at different steps: let them agree, for
/// instance by `sum_over_ranks`, before they leave a loop.
class MINIMA_API Interrupt {
 public:
  Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt();

  /// A signal has come.
  bool requested() const { return signal() != 0; }
  /// Which one, 0 for none.
  int signal() const;
  /// What shells expect of a program that a signal ended: 128 + the signal, 130 for Ctrl-C.
  int exit_code() const { return 128 + signal(); }
};

}  // namespace minima
