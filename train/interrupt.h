#pragma once

#include <minima/tensor/base/api.h>

namespace minima {

/// Turns Ctrl-C (SIGINT) and SIGTERM into a flag that a training loop polls between steps, so that it can save its
/// state and exit. A second signal of the same kind ends the process at once.
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
/// At most one per process, created and destroyed by the main thread; a second one throws Error. The destructor
/// restores the previous handlers. If your program installs its own handlers, give them SA_ONSTACK and a sigaltstack
/// as well: on the thread's stack they could overwrite the heap while oneDNN runs. Ranks receive the signal at
/// different steps, so let them agree, for instance by `sum_over_ranks`, before they leave a loop.
class MINIMA_API Interrupt {
 public:
  Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt();

  /// Whether a signal has arrived.
  bool requested() const { return signal() != 0; }
  /// Its number; 0 without one.
  int signal() const;
  /// The shells' convention for a program ended by a signal: 128 + signal, 130 for Ctrl-C.
  int exit_code() const { return 128 + signal(); }
};

}  // namespace minima
